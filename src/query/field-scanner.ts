import type { Condition } from './condition.js';
import { isSpace, Scanner } from './selector-scanner.js';

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
    super(text, 'fieldSelector', '"=", "==", "!=", ">", ">=", "<", "<=", "in", "notin", "," or the end');
  }

  protected override subject(): string {
    const word = this.word(DELIMITERS);
    if (word === '') throw this.expected('a field');
    return word === 'name' ? 'metadata.name' : word;
  }

  protected override exists(field: string): Condition {
    return { op: 'not', of: this.absent(field) };
  }

  protected override absent(field: string): Condition {
    return { op: 'isNull', field };
  }

  protected override within(field: string, values: readonly string[]): Condition {
    return { op: 'in', field, values };
  }

  protected override comparison(field: string): Condition {
    for (const [operator, end, inclusive] of LIMITS)
      if (this.take(operator))
        return { op: 'range', field, [end]: { value: this.single(operator), inclusive } };
    return super.comparison(field);
  }

  protected override single(operator: string): string {
    this.skipSpace();
    // As a text, `f!=(a,b)` would silently differ in meaning from `f=(a,b)`.
    if (this.text[this.at] === '(')
      throw this.expected(`a value after ${operator} (write "\\(", or use in or notin)`);
    return this.value(false);
  }

  /**
   * Reads a value up to a comma, or in a set up to the comma or the parenthesis that ends it. White space at its end
   * is not part of it. Parentheses inside are counted, so that they need no escape in a set.
   */
  protected override value(inSet: boolean): string {
    let value = '';
    let length = 0;
    let depth = 0;
    for (; !this.atEnd(); this.at += 1) {
      const char = this.text.charAt(this.at);
      if (char === ',') {
        this.#checkComma(depth);
        break;
      }
      if (char === ')' && inSet && depth === 0) break;
      if (char === '(') depth += 1;
      if (char === ')') depth -= 1;
      const isEscape = char === '\\';
      value += isEscape ? this.#escaped() : char;
      if (isEscape || !isSpace(char)) length = value.length;
    }
    return value.slice(0, length);
  }

  /** A comma between parentheses is ambiguous, so the text must close the set or escape the comma. */
  #checkComma(depth: number): void {
    if (depth <= 0 || !this.text.includes(')', this.at)) return;
    throw this.expected('")" or "\\," (a comma inside a value must be escaped)');
  }

  #escaped(): string {
    const char = this.text.charAt(this.at + 1);
    if (char === '' || !ESCAPABLE.includes(char)) {
      throw this.expected('",", "=", "(", ")" or "\\" after the escape "\\"', this.at + 1);
    }
    this.at += 1;
    return char;
  }
}
