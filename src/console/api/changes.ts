import { arrayAt, objectAt, textAt } from '../lib/json.js';
import { getJson } from './http.js';
import { MODELS_URL, getPath, type ModelRef } from './models.js';
import { watchRows } from './tables.js';

/** A change of an object from a watch. */
export interface Change {
  readonly model: ModelRef;
  readonly name: string;
  readonly revision: number;
  readonly type: (typeof TYPES)[number];
}

const TYPES = ['ADDED', 'MODIFIED', 'DELETED'] as const;
/** The time for a watch to send the existing changes, in seconds. */
const WATCH_SECONDS = '1';

interface LastChanges {
  /** Revision of the last change of the store. */
  readonly head: number;
  /** The revision of the last change of each changed model, by the path of the model. */
  readonly models: ReadonlyMap<string, number>;
}

/** One request for all models that may be listed. */
export async function readLastChanges(after: number, signal: AbortSignal): Promise<LastChanges> {
  const list = await getJson(`${MODELS_URL}?changedAfter=${after}`, signal);
  const items = arrayAt(list, 'items') as readonly (ModelRef & { readonly lastChange: string })[];
  return {
    head: revisionOf(list),
    models: new Map(items.map((item) => [getPath(item), Number(item.lastChange)])),
  };
}

function revisionOf(list: unknown): number {
  return Number(textAt(objectAt(list, 'metadata'), 'resourceVersion'));
}

/** A range of the changes of a model. */
interface Between {
  readonly after: number;
  /** The last revision of the range. */
  readonly until: number;
}

/**
 * The changes of a model's objects, in order. It uses a connection only briefly: a browser has few for all pages of a service, and
 * models may be many. Changes that do not arrive within that time are left out.
 * @throws ApiError (410 when the log does not go back so far), Unreachable
 */
export async function readChanges(
  model: ModelRef,
  { after, until }: Between,
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const query = new URLSearchParams({ resourceVersion: String(after), timeoutSeconds: WATCH_SECONDS });
  const changes: Change[] = [];
  for await (const event of watchRows(getPath(model), query, signal)) {
    const type = TYPES.find((one) => one === event.type);
    const [name] = arrayAt(arrayAt(event.object, 'rows')[0], 'cells');
    if (type === undefined || typeof name !== 'string') continue;
    const revision = revisionOf(event.object);
    changes.push({ model, name, revision, type });
    if (revision >= until) break;
  }
  return changes;
}
