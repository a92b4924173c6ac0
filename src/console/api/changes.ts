import { readLines } from '../../client/programs/lines.js';
import { arrayAt, isObject, objectAt, textAt } from '../lib/json.js';
import { getJson, send } from './http.js';
import { MODELS_URL, getPath, type ModelRef } from './models.js';
import { getError } from './errors.js';

/** A change of an object from a watch. */
export interface Change {
  readonly model: ModelRef;
  readonly name: string;
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
}

/** The time for a watch to send the existing changes, in seconds. */
const WATCH_SECONDS = '1';
const ROWS = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** The last changes of the models. */
export interface LastChanges {
  /** Revision of the last change of the store. */
  readonly head: number;
  /** The revision of the last change of each changed model, by the path of the model. */
  readonly models: ReadonlyMap<string, number>;
}

/** One request for all models that may be listed. @throws ApiError, Unreachable */
export async function readLastChanges(after: number, signal: AbortSignal): Promise<LastChanges> {
  const list = await getJson(`${MODELS_URL}?changedAfter=${after}`, signal);
  const items = arrayAt(list, 'items') as readonly (ModelRef & { readonly lastChange: string })[];
  return {
    head: Number(textAt(objectAt(list, 'metadata'), 'resourceVersion')),
    models: new Map(items.map((item) => [getPath(item), Number(item.lastChange)])),
  };
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
  const query = new URLSearchParams({
    watch: 'true',
    includeObject: 'None',
    resourceVersion: String(after),
    timeoutSeconds: WATCH_SECONDS,
  });
  const { body } = await send(`${getPath(model)}?${query.toString()}`, { signal, headers: { Accept: ROWS } });
  const changes: Change[] = [];
  for await (const line of readLines(body)) {
    const change = changeIn(line, model);
    if (change === undefined) continue;
    changes.push(change);
    if (change.revision >= until) break;
  }
  return changes;
}

/** @throws ApiError at the end of a watch */
function changeIn(line: string, model: ModelRef): Change | undefined {
  const event: unknown = line === '' ? undefined : JSON.parse(line);
  if (!isObject(event)) return undefined;
  const { type } = event;
  const table = objectAt(event, 'object');
  if (type === 'ERROR') throw getError(Number(table.code), table);
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return undefined;
  const [row] = arrayAt(table, 'rows');
  const [name] = arrayAt(row, 'cells');
  const revision = Number(textAt(objectAt(table, 'metadata'), 'resourceVersion'));
  return typeof name === 'string' ? { model, name, revision, type } : undefined;
}
