import { excerpt, type ServiceError } from '../../errors.js';
import { faultIn, type ComparisonOperator, type Expression } from './syntax.js';
import { tokensOf, type Token } from './tokens.js';

/** Parts that a filter may have: names, values, operators and calls. */
export const NODES_MAX = 5_000;
/** How deep they may nest. */
export const DEPTH_MAX = 100;

const COMPARISONS: readonly ComparisonOperator[] = ['==', '!=', '<', '<=', '>', '>=', 'in'];
const INTEGER_MAX = 2n ** 63n - 1n;

/**
 * Reads a filter by the grammar of CEL, as far as filters have it: https://github.com/google/cel-spec.
 * What its names and calls mean is not known here.
 * @throws ServiceError `BadRequest` with the position of what is wrong, for a text that is too long or too deep as well
 */
export function parse(text: string): Expression {
  return new Parser(text).whole();
}

class Parser {
  private readonly tokens: Iterator<Token, void>;
  private next: Token = { kind: 'end', at: 0 };
  private nodes = 0;
  private depth = 0;

  constructor(private readonly text: string) {
    this.tokens = tokensOf(text);
    this.advance();
  }

  whole(): Expression {
    const expression = this.disjunction();
    if (this.next.kind !== 'end') throw this.expected('an operator or the end');
    return expression;
  }

  private disjunction(): Expression {
    return this.joined('or', '||', () => this.joined('and', '&&', () => this.comparison()));
  }

  private joined(kind: 'and' | 'or', sign: string, part: () => Expression): Expression {
    const first = part();
    if (!this.isNext(sign)) return first;
    const of = [first];
    const { at } = this.next;
    while (this.take(sign)) of.push(part());
    return this.made({ kind, of, at });
  }

  private comparison(): Expression {
    const left = this.sum();
    const { at } = this.next;
    const operator = COMPARISONS.find((sign) => this.take(sign));
    if (operator === undefined) return left;
    const right = this.sum();
    if (COMPARISONS.some((sign) => this.isNext(sign))) {
      throw this.fault('comparisons cannot be chained; join them with &&', this.next.at);
    }
    return this.made({ kind: 'comparison', operator, left, right, at });
  }

  private sum(): Expression {
    let left = this.unary();
    for (;;) {
      const { at } = this.next;
      const operator = (['+', '-'] as const).find((sign) => this.take(sign));
      if (operator === undefined) return left;
      left = this.made({ kind: 'sum', operator, left, right: this.unary(), at });
    }
  }

  private unary(): Expression {
    const { at } = this.next;
    if (this.take('!')) return this.made({ kind: 'not', of: this.nested(() => this.unary()), at });
    if (this.take('-')) return this.negative(at);
    return this.suffixed(this.primary());
  }

  private negative(at: number): Expression {
    const token = this.next;
    if (token.kind !== 'number') throw this.expected('a number after "-"');
    this.advance();
    return this.made({ kind: 'literal', value: -token.value, at });
  }

  /** Members, items and calls that follow a value. */
  private suffixed(value: Expression): Expression {
    let of = value;
    for (;;) {
      if (this.take('.')) {
        const { at } = this.next;
        const name = this.name('a field or a function after "."');
        of = this.isNext('(') ? this.call(of, name, at) : this.made({ kind: 'member', of, name, at: of.at });
      } else if (this.take('[')) {
        const key = this.nested(() => this.disjunction());
        this.demand(']');
        of = this.made({ kind: 'item', of, key, at: of.at });
      } else {
        return of;
      }
    }
  }

  private primary(): Expression {
    const token = this.next;
    const { at } = token;
    if (token.kind === 'string') {
      this.advance();
      return this.made({ kind: 'literal', value: token.value, at });
    }
    if (token.kind === 'number') return this.positive(token.value, at);
    if (this.take('(')) {
      const inner = this.nested(() => this.disjunction());
      this.demand(')');
      return inner;
    }
    if (this.take('[')) return this.made({ kind: 'list', items: this.listUpTo(']'), at });
    if (token.kind !== 'name' || token.text === 'in') throw this.expected('a field, a value or "("');
    const name = this.name('a field');
    if (name === 'true' || name === 'false')
      return this.made({ kind: 'literal', value: name === 'true', at });
    if (name === 'null') throw this.fault('null is no value here; write has(field) or !has(field)', at);
    return this.isNext('(') ? this.call(undefined, name, at) : this.made({ kind: 'name', name, at });
  }

  private positive(value: bigint | number, at: number): Expression {
    if (typeof value === 'bigint' && value > INTEGER_MAX) {
      throw this.fault(`the number ${value} is too large`, at);
    }
    this.advance();
    return this.made({ kind: 'literal', value, at });
  }

  private call(on: Expression | undefined, name: string, at: number): Expression {
    this.demand('(');
    return this.made({ kind: 'call', on, name, args: this.listUpTo(')'), at });
  }

  private listUpTo(end: string): Expression[] {
    const items: Expression[] = [];
    if (this.take(end)) return items;
    for (;;) {
      items.push(this.nested(() => this.disjunction()));
      if (this.take(end)) return items;
      if (!this.take(',')) throw this.expected(`"," or "${end}"`);
    }
  }

  private name(what: string): string {
    const token = this.next;
    if (token.kind !== 'name') throw this.expected(what);
    this.advance();
    return token.text;
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > DEPTH_MAX) throw this.fault(`it nests deeper than ${DEPTH_MAX}`, this.next.at);
    const inner = read();
    this.depth -= 1;
    return inner;
  }

  private made(expression: Expression): Expression {
    if (++this.nodes <= NODES_MAX) return expression;
    throw this.fault(`it has more than ${NODES_MAX} names, values, operators and calls`, expression.at);
  }

  private advance(): void {
    const { value } = this.tokens.next();
    if (value !== undefined) this.next = value;
  }

  private isNext(text: string): boolean {
    return (this.next.kind === 'sign' || this.next.kind === 'name') && this.next.text === text;
  }

  private take(text: string): boolean {
    const isNext = this.isNext(text);
    if (isNext) this.advance();
    return isNext;
  }

  private demand(sign: string): void {
    if (!this.take(sign)) throw this.expected(`"${sign}"`);
  }

  private expected(what: string): ServiceError {
    return this.fault(`expected ${what}, found ${shown(this.next)}`, this.next.at);
  }

  private fault(reason: string, at: number): ServiceError {
    return faultIn(this.text, at, reason);
  }
}

function shown(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'the end';
    case 'string':
      return JSON.stringify(excerpt(token.value));
    case 'number':
      return String(token.value);
    default:
      return `"${excerpt(token.text)}"`;
  }
}
