import type { History } from './history.js';
import type { Log } from './log.js';

/** Properties of every history. */
export interface Property {
  readonly name: string;
  /** The violations in a history. */
  readonly faults: (history: History, log: Log) => readonly string[];
}
