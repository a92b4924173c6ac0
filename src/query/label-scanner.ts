import { formatExcerpt } from '../errors.js';
import { keyFaults, labelValueFaults } from '../model/names-and-labels.js';
import type { Condition } from './condition.js';
import { Scanner } from './selector-scanner.js';

/** Reads one text of label requirements. Keys and values are validated; none of them needs an escape. */
export class LabelScanner extends Scanner {
  constructor(text: string) {
    super(text, 'labelSelector', '"=", "==", "!=", "in", "notin", "," or the end');
  }

  protected override subject(): string {
    const start = this.at;
    const key = this.word();
    if (key === '') throw this.expected('a label key');
    const [problem] = keyFaults(key);
    if (problem !== undefined)
      throw this.fault(`"${formatExcerpt(key)}" is not a label key (${problem.message})`, start);
    return key;
  }

  protected override exists(key: string): Condition {
    return { op: 'labelExists', key };
  }

  protected override absent(key: string): Condition {
    return { op: 'not', of: this.exists(key) };
  }

  protected override within(key: string, values: readonly string[]): Condition {
    return { op: 'labelIn', key, values };
  }

  /** A missing value is the empty one: `k=` requires a label that is present and empty. */
  protected override value(): string {
    const start = this.at;
    const value = this.word();
    const [problem] = labelValueFaults(value);
    if (problem !== undefined)
      throw this.fault(`"${formatExcerpt(value)}" is not a label value (${problem.message})`, start);
    return value;
  }
}
