import { badRequest, formatExcerpt, type ServiceError } from '../errors.js';
import type { Condition } from './condition.js';

/** The shared part of both selector languages: requirements on labels or fields, which are their subjects. */
export abstract class Scanner {
  protected at = 0;

  constructor(
    protected readonly text: string,
    private readonly parameter: string,
    /** The tokens that can follow a subject, for messages. */
    private readonly operators: string,
  ) {}

  /** The requirements in the order of the text; none for an empty text. */
  requirements(): Condition[] {
    const found: Condition[] = [];
    this.skipSpace();
    if (this.atEnd()) return found;
    for (;;) {
      found.push(this.#requirement());
      this.skipSpace();
      if (this.atEnd()) return found;
      if (!this.take(',')) throw this.expected('"," or the end');
      this.skipSpace();
    }
  }

  protected abstract subject(): string;
  protected abstract exists(subject: string): Condition;
  protected abstract absent(subject: string): Condition;
  protected abstract within(subject: string, values: readonly string[]): Condition;
  protected abstract value(inSet: boolean): string;

  #requirement(): Condition {
    if (this.take('!')) {
      this.skipSpace();
      return this.absent(this.subject());
    }
    const subject = this.subject();
    this.skipSpace();
    if (this.atEnd() || this.text[this.at] === ',') return this.exists(subject);
    const operator = this.#takeSetOperator();
    if (operator === undefined) return this.comparison(subject);
    this.skipSpace();
    if (this.text[this.at] !== '(') throw this.expected(`"(" after ${operator}`);
    const within = this.within(subject, this.#set());
    return operator === 'in' ? within : { op: 'not', of: within };
  }

  protected comparison(subject: string): Condition {
    if (this.take('!=')) return { op: 'not', of: this.within(subject, [this.single('!=')]) };
    if (this.take('==')) return this.within(subject, [this.single('==')]);
    if (!this.take('=')) throw this.expected(this.operators);
    this.skipSpace();
    return this.within(subject, this.text[this.at] === '(' ? this.#set() : [this.single('=')]);
  }

  protected single(_operator: string): string {
    this.skipSpace();
    return this.value(false);
  }

  #set(): string[] {
    this.take('(');
    this.skipSpace();
    if (this.text[this.at] === ')') throw this.expected('a value (the set is empty)');
    const values: string[] = [];
    for (;;) {
      this.skipSpace();
      values.push(this.value(true));
      this.skipSpace();
      if (this.take(')')) return values;
      if (!this.take(',')) throw this.expected('"," or ")"');
    }
  }

  protected atEnd(): boolean {
    return this.at >= this.text.length;
  }

  protected skipSpace(): void {
    while (isSpace(this.text[this.at])) this.at += 1;
  }

  /** Consumes the token if it comes next. */
  protected take(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  /** Consumes `in` or `notin` if it is the next whole word. */
  #takeSetOperator(): 'in' | 'notin' | undefined {
    for (const word of ['in', 'notin'] as const) {
      if (!this.text.startsWith(word, this.at)) continue;
      const next = this.text[this.at + word.length];
      if (next !== undefined && next !== '(' && !isSpace(next)) continue;
      this.at += word.length;
      return word;
    }
    return undefined;
  }

  /**
   * Reads up to white space, an operator, a comma or a parenthesis; may be empty.
   * @param delimiters characters that end the word, in addition to white space
   */
  protected word(delimiters = '=!,()'): string {
    const start = this.at;
    for (; !this.atEnd(); this.at += 1) {
      const char = this.text.charAt(this.at);
      if (isSpace(char) || delimiters.includes(char)) break;
    }
    return this.text.slice(start, this.at);
  }

  /** The error for an unexpected character at `at`, by default the current position. */
  protected expected(what: string, at: number = this.at): ServiceError {
    const found =
      at >= this.text.length ? 'the end' : `"${String.fromCodePoint(this.text.codePointAt(at) ?? 0)}"`;
    return this.fault(`expected ${what}, found ${found}`, at);
  }

  /** The error at `at`; its message gives the 1-based position. */
  protected fault(reason: string, at: number): ServiceError {
    return badRequest(`${this.parameter}: ${reason} at position ${at + 1} of "${formatExcerpt(this.text)}"`);
  }
}

export function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\t' || char === '\n' || char === '\r';
}
