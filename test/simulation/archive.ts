import { decodeLogHead, LOG_HEAD_KEY, type LogHead } from '../../src/store/log/log.js';
import type { Pairs } from './pairs.js';

function headOf(pairs: Pairs): LogHead {
  return decodeLogHead(pairs.get(LOG_HEAD_KEY));
}

/** Keeps the states before each removal of old changes, so that all changes can be compared at the end. */
export class Archive {
  readonly states: Pairs[] = [];
  /** A change that was removed although it had to be kept. */
  problem: string | undefined;

  /** @param changesMin the number of last changes that are never removed */
  constructor(private readonly changesMin: number) {}

  /** Notes a commit. */
  note(before: Pairs, after: Pairs): void {
    const [old, now] = [headOf(before), headOf(after)];
    if (now.trimmed === old.trimmed) return;
    this.states.push(before);
    if (now.trimmed > now.revision - this.changesMin)
      this.problem ??= `the log lost changes up to ${now.trimmed} of ${now.revision}`;
  }
}
