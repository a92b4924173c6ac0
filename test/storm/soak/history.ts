import type { Kind } from './models.js';

/** `refused`: it must not be stored. `unsure`: nobody answered; it may be stored, once. */
export type Outcome = 'done' | 'refused' | 'unsure';

interface Call {
  readonly client: string;
  /** Milliseconds of this process's clock. */
  readonly began: number;
  readonly ended: number;
}

/** One object that a call writes. */
export interface Item {
  readonly kind: Kind;
  readonly name: string;
  /** Absent for a deletion. */
  readonly mark?: string;
  /** The revision that the object must have had before. */
  readonly base?: number;
}

export interface WriteCall extends Call {
  readonly verb: string;
  /** A status code of HTTP, an exit code, or why there is none. */
  readonly answer: string;
  readonly outcome: Outcome;
  readonly items: readonly Item[];
  /** All items are stored in one commit or none is. */
  readonly isAtomic: boolean;
  /** Of the last change; absent where the answer does not say it. */
  readonly revision?: number;
}

export interface GetCall extends Call {
  readonly kind: Kind;
  readonly name: string;
  /** Absent when there was no such object. */
  readonly revision?: number;
}

export interface ListCall extends Call {
  readonly kind: Kind;
  /** Absent for all objects. */
  readonly shelf?: string;
  readonly revision: number;
  /** Revisions by names. */
  readonly shown: Readonly<Record<string, number>>;
}

/** A change as received from a watch. */
export interface Change {
  readonly kind: Kind;
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly name: string;
  readonly mark: string;
  readonly shelf: string;
  readonly amount: number;
  /** The mark that the controller has copied to the status. */
  readonly reconciled?: string;
}

export interface Watched {
  readonly watch: string;
  readonly kind: Kind;
  /** Absent for all objects. */
  readonly shelf?: string;
  readonly changes: Change[];
}

/** All that clients did and saw, in memory and as JSON lines. */
export class History {
  readonly writes: WriteCall[] = [];
  readonly gets: GetCall[] = [];
  readonly lists: ListCall[] = [];
  readonly watches: Watched[] = [];
  /** Errors seen while the run goes on. */
  readonly faults: string[] = [];

  /** @param keep gets each line */
  constructor(private readonly keep: (line: string) => void = () => undefined) {}

  write(call: WriteCall): void {
    this.writes.push(call);
    this.#line('write', call);
  }

  get(call: GetCall): void {
    this.gets.push(call);
    this.#line('get', call);
  }

  list(call: ListCall): void {
    this.lists.push(call);
    this.#line('list', call);
  }

  change(watched: Watched, change: Change): void {
    watched.changes.push(change);
    this.#line('change', { watch: watched.watch, at: performance.now(), ...change });
  }

  /** Something that was done to processes. */
  event(what: string): void {
    this.#line('event', { at: performance.now(), what });
  }

  fault(what: string): void {
    this.faults.push(what);
    this.#line('fault', { at: performance.now(), what });
  }

  #line(record: string, of: object): void {
    this.keep(`${JSON.stringify({ record, ...of })}\n`);
  }
}
