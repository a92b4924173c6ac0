import type { ExtensionObject } from '../../src/model/object.js';
import { readStep } from '../../src/store/log/log-reader.js';
import { seen, type Seen } from './history.js';
import { SCHEMES } from './models.js';
import type { Server } from './world.js';

/** A change as the log has it. */
export interface Truth extends Seen {
  readonly kind: string;
  readonly type: string;
  readonly level: number;
  /** The state of the object before. */
  readonly before: Truth | undefined;
}

function levelOf({ spec }: ExtensionObject): number {
  return (spec as { readonly level: number }).level;
}

/** All changes, as a process reads them that has begun after all. */
export async function readTruth({ service: { store } }: Server): Promise<Truth[]> {
  const tables = SCHEMES.map(({ resource }) => store.findTable(resource)).filter(
    (table) => table !== undefined,
  );
  const truth: Truth[] = [];
  const last = new Map<string, Truth>();
  const current = await store.readCurrent();
  try {
    for (let after = 0, isEnd = false; !isEnd;) {
      const step = await readStep(current, after, new Set(tables.map(({ modelId }) => modelId)));
      for (const { table, changes } of step.batches)
        for (const change of changes) {
          const { kind } = table.resource;
          const key = `${kind}/${change.name}`;
          const object = change.object();
          const { type, revision } = change;
          const one = {
            ...seen(object),
            revision,
            kind,
            type,
            level: levelOf(object),
            before: last.get(key),
          };
          truth.push(one);
          if (type === 'DELETED') last.delete(key);
          else last.set(key, one);
        }
      ({ until: after, isEnd } = step);
    }
  } finally {
    current.view.close();
  }
  return truth.sort((a, b) => a.revision - b.revision);
}
