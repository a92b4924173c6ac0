import { readLines } from '../../client/programs/lines.js';
import { isObject, objectAt, type JsonObject } from '../lib/json.js';
import { getError } from './errors.js';
import { readJson, send } from './http.js';
import type { Metadata } from './objects.js';

/** A column of a table in the form of Kubernetes. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** More than 0: less important. */
  readonly priority: number;
}

export interface TableRow {
  readonly cells: readonly (string | number | boolean | null)[];
  readonly object: { readonly metadata: Metadata };
}

/** The number of a list's objects with a value. */
export interface FacetValue {
  readonly value: string | number | boolean;
  readonly count: number;
}

/** By field, the most frequent first. */
export type Facets = Readonly<Record<string, readonly FacetValue[]>>;

/** A page of a list as rows. */
export interface Table {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    /** For a list by cursor: the number of objects after this part. */
    readonly remainingItemCount?: number;
  };
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly TableRow[];
  readonly page: number;
  readonly size: number;
  /** Exact, of all pages. */
  readonly total: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  /** Present when they were requested. */
  readonly facets?: Facets;
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** A part of a list, and the cursor of the next one. */
type Part<T> = readonly [part: T, cursor: string | undefined];

/** The parts of a list by cursor, so that changes hide no object. */
export async function* iterateList<T>(
  list: URLSearchParams,
  limit: number,
  read: (request: URLSearchParams) => Promise<Part<T>>,
): AsyncGenerator<T> {
  const request = new URLSearchParams(list);
  request.set('limit', String(limit));
  for (;;) {
    const [part, cursor] = await read(request);
    yield part;
    if (cursor === undefined) return;
    request.set('continue', cursor);
  }
}

/** The names of listed objects, part by part. */
export function iterateNames(
  path: string,
  list: URLSearchParams,
  limit: number,
  signal?: AbortSignal,
): AsyncGenerator<readonly string[]> {
  return iterateList(list, limit, async (request) => {
    const { rows, metadata } = await readTable(path, request, signal);
    return [rows.map(({ object }) => object.metadata.name), metadata.continue];
  });
}

/** The number of objects of a model. */
export async function readTotal(path: string, signal: AbortSignal): Promise<number> {
  return (await readTable(path, new URLSearchParams({ limit: '1' }), signal)).total;
}

/** A page of a list. */
export async function readTable(
  path: string,
  parameters: URLSearchParams,
  signal?: AbortSignal,
): Promise<Table> {
  const query = new URLSearchParams(parameters);
  // An age is outdated a moment later, and is in English.
  query.set('dateCells', 'Time');
  const response = await send(`${path}?${query.toString()}`, { signal, headers: { Accept: TABLE } });
  return (await readJson(response)) as Table;
}

/** Rows without objects. */
const ROWS = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** The event of a change, with its row. */
interface WatchEvent {
  readonly type: unknown;
  readonly object: JsonObject;
}

/** The changes from a watch, as rows without objects. @throws ApiError also at the end of a watch, Unreachable */
export async function* watchRows(
  path: string,
  parameters: URLSearchParams,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent> {
  const query = new URLSearchParams(parameters);
  query.set('watch', 'true');
  query.set('includeObject', 'None');
  const { body } = await send(`${path}?${query.toString()}`, { signal, headers: { Accept: ROWS } });
  for await (const line of readLines(body)) {
    const event: unknown = line === '' ? undefined : JSON.parse(line);
    if (!isObject(event)) continue;
    const object = objectAt(event, 'object');
    if (event.type === 'ERROR') throw getError(Number(object.code), object);
    yield { type: event.type, object };
  }
}
