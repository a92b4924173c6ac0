import type { Condition } from './condition.js';
import { isSpace, Scanner } from './scanner.js';

const ESCAPABLE = ',=()\\';
/** Characters that end a field. Label keys do not contain `<` and `>`. */
const DELIMITERS = '=!<>,()';

/**
 * Operators of ranges: the limit that the value is, and true when the limit is inclusive. Longer operators come
 * first.
 */
const LIMITS = [
  ['>=', 'from', true],
  ['>', 'from', false],
  ['<=', 'to', true],
  ['<', 'to', false],
] as const;

/** Reads one text of field requirements. */
export class FieldScanner extends Scanner {
  constructor(text: string) {
    super(text, 'fieldSelector');
  }

  protected override requirement(): Condition {
    if (this.take('!')) {
      this.skipSpace();
      return { op: 'isNull', field: this.field() };
    }
    const field = this.field();
    this.skipSpace();
    if (this.atEnd() || this.text[this.at] === ',') return { op: 'not', of: { op: 'isNull', field } };
    const operator = this.takeSetOperator();
    if (operator === undefined) return this.comparison(field);
    this.skipSpace();
    if (this.text[this.at] !== '(') throw this.expected(`"(" after ${operator}`);
    const within: Condition = { op: 'in', field, values: this.set() };
    return operator === 'in' ? within : { op: 'not', of: within };
  }

  private field(): string {
    const word = this.word(DELIMITERS);
    if (word === '') throw this.expected('a field');
    return word === 'name' ? 'metadata.name' : word;
  }

  private comparison(field: string): Condition {
    if (this.take('!=')) return { op: 'not', of: { op: 'in', field, values: [this.single('!=')] } };
    if (this.take('==')) return { op: 'in', field, values: [this.single('==')] };
    for (const [operator, end, inclusive] of LIMITS)
      if (this.take(operator))
        return { op: 'range', field, [end]: { value: this.single(operator), inclusive } };
    if (!this.take('=')) {
      throw this.expected('"=", "==", "!=", ">", ">=", "<", "<=", "in", "notin", "," or the end');
    }
    this.skipSpace();
    const values = this.text[this.at] === '(' ? this.set() : [this.single('=')];
    return { op: 'in', field, values };
  }

  private single(operator: string): string {
    this.skipSpace();
    // As a text, `f!=(a,b)` would silently differ in meaning from `f=(a,b)`.
    if (this.text[this.at] === '(')
      throw this.expected(`a value after ${operator} (write "\\(", or use in or notin)`);
    return this.value(false);
  }

  private set(): string[] {
    this.take('(');
    this.skipSpace();
    if (this.text[this.at] === ')') throw this.expected('a value (the set is empty)');
    const values: string[] = [];
    for (;;) {
      this.skipSpace();
      values.push(this.value(true));
      if (this.take(')')) return values;
      if (!this.take(',')) throw this.expected('"," or ")"');
    }
  }

  /**
   * Reads a value up to a comma, or in a set up to the comma or the parenthesis that ends it. White space at its end
   * is not part of it. Parentheses inside are counted, so that they need no escape in a set.
   */
  private value(inSet: boolean): string {
    let value = '';
    let length = 0;
    let depth = 0;
    for (; !this.atEnd(); this.at += 1) {
      const char = this.text.charAt(this.at);
      if (char === ',') {
        this.checkComma(depth);
        break;
      }
      if (char === ')' && inSet && depth === 0) break;
      if (char === '(') depth += 1;
      if (char === ')') depth -= 1;
      const isEscape = char === '\\';
      value += isEscape ? this.escaped() : char;
      if (isEscape || !isSpace(char)) length = value.length;
    }
    return value.slice(0, length);
  }

  /** A comma between parentheses is ambiguous, so the text must close the set or escape the comma. */
  private checkComma(depth: number): void {
    if (depth <= 0 || !this.text.includes(')', this.at)) return;
    throw this.expected('")" or "\\," (a comma inside a value must be escaped)');
  }

  private escaped(): string {
    const char = this.text.charAt(this.at + 1);
    if (char === '' || !ESCAPABLE.includes(char)) {
      throw this.expected('",", "=", "(", ")" or "\\" after the escape "\\"', this.at + 1);
    }
    this.at += 1;
    return char;
  }
}
