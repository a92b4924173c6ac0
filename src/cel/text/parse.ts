import { formatExcerpt } from '../../errors.js';
import { ExpressionFault } from './fault.js';
import { Uint } from '../scalars.js';
import type { ArithmeticOperator, ComparisonOperator, Expression, Literal } from './syntax.js';
import { iterateTokens, type LexicalToken } from './tokens.js';

/** Limit for the parts of an expression: names, values, operators and calls. */
export const NODES_MAX = 5_000;
/** Limit for nesting. */
export const DEPTH_MAX = 100;

const COMPARISONS: readonly ComparisonOperator[] = ['==', '!=', '<', '<=', '>', '>=', 'in'];
const SUMS: readonly ArithmeticOperator[] = ['+', '-'];
const PRODUCTS: readonly ArithmeticOperator[] = ['*', '/', '%'];
const INTEGER_MAX = 2n ** 63n - 1n;
const CONSTANTS: ReadonlyMap<string, Literal> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * Parses an expression by the grammar of CEL: https://github.com/google/cel-spec. Messages (`Name{...}`) are not
 * supported. The meaning of names and calls is not known here.
 * @param nodesMax limit for the parts of the expression
 * @throws ExpressionFault for wrong syntax, and for a text that is too long or too deep
 */
export function parse(text: string, nodesMax = NODES_MAX): Expression {
  return new Parser(text, nodesMax).whole();
}

class Parser {
  readonly #tokens: Iterator<LexicalToken, void>;
  #next: LexicalToken = { kind: 'end', at: 0 };
  #nodes = 0;
  #depth = 0;

  constructor(
    text: string,
    private readonly nodesMax: number,
  ) {
    this.#tokens = iterateTokens(text);
    this.#advance();
  }

  whole(): Expression {
    const expression = this.#expression();
    if (this.#next.kind !== 'end') throw this.#expected('an operator or the end');
    return expression;
  }

  #expression(): Expression {
    const test = this.#disjunction();
    const { at } = this.#next;
    if (!this.#take('?')) return test;
    const yes = this.#nested(() => this.#disjunction());
    this.#demand(':');
    const no = this.#nested(() => this.#expression());
    return this.#made({ kind: 'conditional', test, yes, no, at });
  }

  #disjunction(): Expression {
    return this.#joined('or', '||', () => this.#joined('and', '&&', () => this.#comparison()));
  }

  #joined(kind: 'and' | 'or', sign: string, part: () => Expression): Expression {
    const first = part();
    if (!this.#isNext(sign)) return first;
    const of = [first];
    const { at } = this.#next;
    while (this.#take(sign)) of.push(part());
    return this.#made({ kind, of, at });
  }

  #comparison(): Expression {
    let left = this.#sum();
    for (;;) {
      const { at } = this.#next;
      const operator = COMPARISONS.find((sign) => this.#take(sign));
      if (operator === undefined) return left;
      left = this.#made({ kind: 'comparison', operator, left, right: this.#sum(), at });
    }
  }

  #sum(): Expression {
    return this.#arithmetic(SUMS, () => this.#arithmetic(PRODUCTS, () => this.#unary()));
  }

  #arithmetic(operators: readonly ArithmeticOperator[], part: () => Expression): Expression {
    let left = part();
    for (;;) {
      const { at } = this.#next;
      const operator = operators.find((sign) => this.#take(sign));
      if (operator === undefined) return left;
      left = this.#made({ kind: 'arithmetic', operator, left, right: part(), at });
    }
  }

  #unary(): Expression {
    const { at } = this.#next;
    if (this.#take('!')) return this.#made({ kind: 'not', of: this.#nested(() => this.#unary()), at });
    if (this.#take('-')) return this.#negative(at);
    return this.#suffixed(this.#primary());
  }

  /** The smallest integer has no positive counterpart, so the sign before a number is part of it. */
  #negative(at: number): Expression {
    const token = this.#next;
    if (token.kind !== 'number' || token.value instanceof Uint)
      return this.#made({ kind: 'negative', of: this.#nested(() => this.#unary()), at });
    this.#advance();
    return this.#suffixed(this.#made({ kind: 'literal', value: -token.value, at }));
  }

  /** Members, items and calls that follow a value. */
  #suffixed(value: Expression): Expression {
    let of = value;
    for (;;) {
      if (this.#take('.')) of = this.#member(of);
      else if (this.#take('[')) {
        const isOptional = this.#take('?');
        const key = this.#nested(() => this.#expression());
        this.#demand(']');
        of = this.#made({ kind: 'item', of, key, isOptional, at: of.at });
      } else return of;
    }
  }

  #member(of: Expression): Expression {
    const isOptional = this.#take('?');
    const { at: nameAt } = this.#next;
    const name = this.#name('a field or a function after "."');
    if (!isOptional && this.#isNext('(')) return this.#call(of, name, nameAt);
    return this.#made({ kind: 'member', of, name, nameAt, isOptional, at: of.at });
  }

  #primary(): Expression {
    const token = this.#next;
    const { at } = token;
    if (token.kind === 'string') {
      this.#advance();
      return this.#made({ kind: 'literal', value: token.value, at });
    }
    if (token.kind === 'number') return this.#positive(token.value, at);
    if (this.#take('(')) {
      const inner = this.#nested(() => this.#expression());
      this.#demand(')');
      return inner;
    }
    if (this.#take('['))
      return this.#made({ kind: 'list', items: this.#listUpTo(']', () => this.#expression()), at });
    if (this.#take('{'))
      return this.#made({ kind: 'map', entries: this.#listUpTo('}', () => this.#entry()), at });
    if (token.kind !== 'name' || token.text === 'in') throw this.#expected('a field, a value or "("');
    const name = this.#name('a field');
    const constant = CONSTANTS.get(name);
    if (constant !== undefined) return this.#made({ kind: 'literal', value: constant, at });
    return this.#isNext('(') ? this.#call(undefined, name, at) : this.#made({ kind: 'name', name, at });
  }

  #entry(): readonly [Expression, Expression] {
    const key = this.#expression();
    this.#demand(':');
    return [key, this.#expression()];
  }

  #positive(value: bigint | number | Uint, at: number): Expression {
    if (typeof value === 'bigint' && value > INTEGER_MAX)
      throw new ExpressionFault(`the number ${value} is too large`, at);
    this.#advance();
    return this.#made({ kind: 'literal', value, at });
  }

  #call(on: Expression | undefined, name: string, at: number): Expression {
    this.#demand('(');
    return this.#made({ kind: 'call', on, name, args: this.#listUpTo(')', () => this.#expression()), at });
  }

  #listUpTo<T>(end: string, item: () => T): T[] {
    const items: T[] = [];
    for (;;) {
      // A comma may follow the last item of a list or map, but not the last argument of a call.
      if ((items.length === 0 || end !== ')') && this.#take(end)) return items;
      items.push(this.#nested(item));
      if (this.#take(end)) return items;
      if (!this.#take(',')) throw this.#expected(`"," or "${end}"`);
    }
  }

  #name(what: string): string {
    const token = this.#next;
    if (token.kind !== 'name') throw this.#expected(what);
    this.#advance();
    return token.text;
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > DEPTH_MAX)
      throw new ExpressionFault(`it nests deeper than ${DEPTH_MAX}`, this.#next.at);
    const inner = read();
    this.#depth -= 1;
    return inner;
  }

  #made(expression: Expression): Expression {
    if (++this.#nodes <= this.nodesMax) return expression;
    throw new ExpressionFault(
      `it has more than ${this.nodesMax} names, values, operators and calls`,
      expression.at,
    );
  }

  #advance(): void {
    const { value } = this.#tokens.next();
    if (value !== undefined) this.#next = value;
  }

  #isNext(text: string): boolean {
    return (this.#next.kind === 'sign' || this.#next.kind === 'name') && this.#next.text === text;
  }

  #take(text: string): boolean {
    const isNext = this.#isNext(text);
    if (isNext) this.#advance();
    return isNext;
  }

  #demand(sign: string): void {
    if (!this.#take(sign)) throw this.#expected(`"${sign}"`);
  }

  #expected(what: string): ExpressionFault {
    return new ExpressionFault(`expected ${what}, found ${shown(this.#next)}`, this.#next.at);
  }
}

function shown(token: LexicalToken): string {
  switch (token.kind) {
    case 'end':
      return 'the end';
    case 'string':
      return typeof token.value === 'string' ? JSON.stringify(formatExcerpt(token.value)) : 'bytes';
    case 'number':
      return String(token.value);
    default:
      return `"${formatExcerpt(token.text)}"`;
  }
}
