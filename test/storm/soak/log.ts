import type { Change, Watched } from './history.js';
import { KINDS, type Kind } from './models.js';

/** All changes in the order of their revisions, as received by the watches `whole` of each kind. */
export class Log {
  readonly #ofObjects = new Map<string, Change[]>();
  readonly #byMarks = new Map<string, Change[]>();

  constructor(readonly changes: readonly Change[]) {
    for (const change of changes) {
      const ofObject = this.of(change.kind, change.name);
      if (isStated(change, ofObject.at(-1))) {
        const ofMark = this.#byMarks.get(change.mark) ?? [];
        this.#byMarks.set(change.mark, [...ofMark, change]);
      }
      this.#ofObjects.set(keyOf(change.kind, change.name), ofObject);
      ofObject.push(change);
    }
  }

  static from(watches: readonly Watched[]): Log {
    const ofKinds = KINDS.map((kind) => watches.find(({ watch }) => watch === wholeOf(kind))?.changes ?? []);
    return new Log(ofKinds.flat().sort((a, b) => a.revision - b.revision));
  }

  /** The changes of one object, the oldest first. */
  of(kind: Kind, name: string): Change[] {
    return this.#ofObjects.get(keyOf(kind, name)) ?? [];
  }

  /** The changes that stored a mark: more than one is one too many. */
  stored(mark: string): readonly Change[] {
    return this.#byMarks.get(mark) ?? [];
  }

  /** The last change of an object at a revision. */
  at(kind: Kind, name: string, revision: number): Change | undefined {
    return this.of(kind, name).findLast((change) => change.revision <= revision);
  }

  before({ kind, name, revision }: Change): Change | undefined {
    return this.at(kind, name, revision - 1);
  }

  /** The next change of an object after a revision. */
  after(kind: Kind, name: string, revision: number): Change | undefined {
    return this.of(kind, name).find((change) => change.revision > revision);
  }
}

/** The name of the watch that the log is made of. */
export function wholeOf(kind: Kind): string {
  return `whole ${kind}`;
}

/** True when a change has a new mark: the controller keeps the mark, and a deletion has the previous one. */
export function isStated(change: Change, before: Change | undefined): boolean {
  return change.type !== 'DELETED' && (before?.type === 'DELETED' || before?.mark !== change.mark);
}

function keyOf(kind: Kind, name: string): string {
  return `${kind} ${name}`;
}
