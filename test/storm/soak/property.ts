import type { History } from './history.js';
import type { Log } from './log.js';

/** What must hold of every history. */
export interface Property {
  readonly name: string;
  /** What in a history contradicts it. */
  readonly faults: (history: History, log: Log) => readonly string[];
}
