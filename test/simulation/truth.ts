import type { ExtensionObject } from '../../src/model/object.js';
import { logAfter, revisionInLogKey } from '../../src/store/index/keys.js';
import { isStamped } from '../../src/store/log/log.js';
import { readStep } from '../../src/store/log/log-reader.js';
import type { CurrentView } from '../../src/store/store.js';
import { seen, type Seen } from './history.js';
import { type CardStatus, REFERENCES, SCHEMES } from './models.js';
import { WEBHOOK_SCHEME } from './webhooks.js';
import type { Server } from './world.js';

/** A change as the log has it. */
export interface Truth extends Seen {
  readonly kind: string;
  readonly type: string;
  /** True when the object waits for its removal. */
  readonly isDeleting: boolean;
  readonly slot: string | undefined;
  /** The notes that the object refers to. */
  readonly targets: readonly string[];
  /** Of the leader that has written the status; undefined without a status. */
  readonly token: number | undefined;
  /** The revision of the first change of its commit. */
  readonly commit: number;
  /** The state of the object before. */
  readonly before: Truth | undefined;
}

/** Most changes of a run. */
const CHANGES_MAX = 10_000;

/** Reads all changes, from consecutive states of a store whose log loses old ones. */
export class TruthReader {
  readonly #truth: Truth[] = [];
  readonly #last = new Map<string, Truth>();
  #after = 0;

  get truth(): readonly Truth[] {
    return this.#truth;
  }

  /** Reads the changes after those of the previous state. */
  async read({ service: { store } }: Server): Promise<void> {
    const tables = [...SCHEMES, WEBHOOK_SCHEME]
      .map(({ resource }) => store.findTable(resource))
      .filter((table) => table !== undefined);
    const models = new Set(tables.map(({ modelId }) => modelId));
    const current = await store.readCurrent();
    try {
      const commits = await readCommits(current, this.#after);
      for (let isEnd = false; !isEnd;) {
        const step = await readStep(current, this.#after, models);
        const changes = step.batches.flatMap(({ table, changes: some }) =>
          some.map((change) => ({ kind: table.resource.kind, change })),
        );
        changes.sort((a, b) => a.change.revision - b.change.revision);
        for (const { kind, change } of changes) {
          const { type, revision } = change;
          this.#add({ kind, type, revision, commit: commits.get(revision) ?? revision }, change.object());
        }
        ({ until: this.#after, isEnd } = step);
      }
    } finally {
      current.view.close();
    }
  }

  #add(change: Pick<Truth, 'kind' | 'type' | 'revision' | 'commit'>, object: ExtensionObject): void {
    const spec = object.spec as Readonly<Record<string, string | undefined>>;
    const key = `${change.kind}/${object.metadata.name}`;
    const one = {
      ...seen(object),
      ...change,
      isDeleting: object.metadata.deletionTimestamp !== undefined,
      slot: spec.slot,
      token: (object.status as CardStatus | undefined)?.token,
      targets: REFERENCES.map((field) => spec[field]).filter((name) => name !== undefined),
      before: this.#last.get(key),
    };
    this.#truth.push(one);
    if (change.type === 'DELETED') this.#last.delete(key);
    else this.#last.set(key, one);
  }
}

/** The first change of the commit of each change. */
async function readCommits({ view }: CurrentView, after: number): Promise<ReadonlyMap<number, number>> {
  const commits = new Map<number, number>();
  let first = after + 1;
  for (const { key, value } of await view.snapshot.scan(logAfter(after), { limit: CHANGES_MAX })) {
    const revision = revisionInLogKey(key);
    if (isStamped(value)) first = revision;
    commits.set(revision, first);
  }
  return commits;
}
