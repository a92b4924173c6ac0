import { expect } from './expect.js';
import type { Write } from './history.js';
import type { Truth } from './truth.js';

/** Compares the writes of clients with the truth: nothing answered is lost, nothing is stored twice or in part. */
export class WriteCheck {
  readonly #byRevision: ReadonlyMap<number, Truth>;
  /** The changes by the write that they are of. Other changes of an object, as by a cascade, keep its write. */
  readonly #byOp = new Map<string, Truth[]>();

  constructor(truth: readonly Truth[]) {
    this.#byRevision = new Map(truth.map((one) => [one.revision, one]));
    for (const one of truth)
      if (one.type !== 'DELETED' && one.before?.op !== one.op)
        this.#byOp.set(one.op, [...this.#stored(one.op), one]);
  }

  check(commit: readonly Write[]): void {
    for (const write of commit) this.#checkOne(write);
    const made = commit.filter(({ verb }) => verb !== 'delete').map(({ op }) => this.#stored(op)[0]);
    const commits = new Set(made.map((one) => one?.commit));
    expect(commits.size <= 1, 'a batch is stored in part, or in several commits', commit, made);
  }

  #stored(op: string): Truth[] {
    return this.#byOp.get(op) ?? [];
  }

  #checkOne(write: Write): void {
    const { verb, op, outcome, floor, basedOn } = write;
    const stored = this.#stored(op);
    expect(stored.length <= 1, 'a write is stored twice', write, stored);
    for (const one of stored)
      if (verb === 'update')
        expect(
          one.before?.revision === basedOn,
          'an update replaces another state than it is of',
          write,
          one,
        );
    if (outcome === undefined) return;
    if ('refused' in outcome) {
      expect(stored.length === 0, 'a refused write is stored', write, stored);
      return;
    }
    const found = this.#byRevision.get(outcome.revision);
    expect(found !== undefined && isOf(write, found), 'an answered write is lost', write, found);
    if (outcome.changed)
      expect(outcome.revision > floor, 'a write has an earlier revision than was seen before it', write);
  }
}

function isOf({ model, name, verb, op }: Write, found: Truth): boolean {
  if (found.kind !== model.kind || found.name !== name) return false;
  if (verb === 'delete') return found.type === 'DELETED' || found.isDeleting;
  return found.op === op && found.type !== 'DELETED';
}
