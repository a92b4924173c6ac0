import type { Engine, Transaction } from '../../store/engine.js';

/** An upgrade of a store from one format to the next. */
export interface FormatStep {
  readonly from: number;
  readonly to: number;
  /** Its changes, for operators. */
  readonly description: string;
  /** Runs in the commit that writes the new format number. Processes with the store open must notice it. */
  readonly begin: (tx: Transaction, owner: string) => void;
  /** The rest of the work, in small commits. After an interruption it is called again and continues. */
  readonly run: (run: UpgradeRun) => Promise<void>;
  /** The record of an object as the new format has it: for readers of a store that they must not write. */
  readonly read: (record: Buffer) => Buffer;
}

export interface UpgradeRun {
  readonly engine: Engine;
  /** The owner name of this process. */
  readonly owner: string;
  /** Throws when another process took over. */
  readonly stillMine: (tx: Transaction) => void;
  /** Called with the number of upgraded objects. */
  readonly progress: (done: number) => void;
}
