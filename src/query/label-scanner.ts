import { formatExcerpt } from '../errors.js';
import { keyFaults, labelValueFaults } from '../model/names-and-labels.js';
import type { Condition } from './condition.js';
import { Scanner } from './scanner.js';

/** Reads one text of label requirements. Keys and values are validated; none of them needs an escape. */
export class LabelScanner extends Scanner {
  constructor(text: string) {
    super(text, 'labelSelector');
  }

  protected override requirement(): Condition {
    if (this.take('!')) {
      this.skipSpace();
      return { op: 'not', of: { op: 'labelExists', key: this.key() } };
    }
    const key = this.key();
    this.skipSpace();
    if (this.atEnd() || this.text[this.at] === ',') return { op: 'labelExists', key };
    return this.comparison(key);
  }

  private comparison(key: string): Condition {
    const word = this.takeSetOperator();
    if (word !== undefined) {
      this.skipSpace();
      if (this.text[this.at] !== '(') throw this.expected(`"(" after ${word}`);
      const within: Condition = { op: 'labelIn', key, values: this.set() };
      return word === 'in' ? within : { op: 'not', of: within };
    }
    if (this.take('!=')) {
      return { op: 'not', of: { op: 'labelIn', key, values: [this.value()] } };
    }
    const double = this.take('==');
    if (!double && !this.take('=')) throw this.expected('"=", "==", "!=", "in", "notin", "," or the end');
    this.skipSpace();
    if (!double && this.text[this.at] === '(') return { op: 'labelIn', key, values: this.set() };
    return { op: 'labelIn', key, values: [this.value()] };
  }

  private key(): string {
    const start = this.at;
    const key = this.word();
    if (key === '') throw this.expected('a label key');
    const [problem] = keyFaults(key);
    if (problem !== undefined)
      throw this.fault(`"${formatExcerpt(key)}" is not a label key (${problem.message})`, start);
    return key;
  }

  /** A missing value is the empty one: `k=` requires a label that is present and empty. */
  private value(): string {
    this.skipSpace();
    const start = this.at;
    const value = this.word();
    const [problem] = labelValueFaults(value);
    if (problem !== undefined)
      throw this.fault(`"${formatExcerpt(value)}" is not a label value (${problem.message})`, start);
    return value;
  }

  private set(): string[] {
    this.take('(');
    this.skipSpace();
    if (this.text[this.at] === ')') throw this.expected('a value (the set is empty)');
    const values = [this.value()];
    for (;;) {
      this.skipSpace();
      if (this.take(')')) return values;
      if (!this.take(',')) throw this.expected('"," or ")"');
      values.push(this.value());
    }
  }
}
