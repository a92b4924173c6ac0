import { bind } from '../query/bind.js';
import { getField } from '../query/fields.js';
import { pageOf, type ListOptions, type ListRequest, type Page } from '../query/list-options.js';
import { readListOptions } from '../query/list-request.js';
import { apiVersionOf, modelKey, type Resource } from '../model/resource.js';
import { list, type ListAnswer, type ListQuery } from '../store/list.js';
import type { ReadView } from '../store/store.js';
import type { Table } from '../store/table.js';
import type { ServiceContext } from './context.js';

/** Objects read at a time: bounds what a streamed list has in memory. */
const OBJECTS_CHUNK = 500;

/** A list as stored bytes. */
export interface RawList {
  readonly resource: Resource;
  readonly page: Page;
  /** Revision of the snapshot the list was read from. */
  readonly resourceVersion: string;
  /**
   * The objects as JSON, in order, in chunks, read while they are consumed. It must be consumed or returned,
   * for it holds the snapshot.
   */
  readonly objects: AsyncGenerator<readonly Buffer[]>;
}

/** Answers a list request. @throws ServiceError `BadRequest` for what cannot be read as a request */
export async function listRaw(context: ServiceContext, asked: Table, options: ListOptions): Promise<RawList> {
  const { view, table, answer, page } = await find(context, asked, options);
  try {
    const resourceVersion = String(await view.revision());
    return { resource: table.resource, page, resourceVersion, objects: objectsOf(view, table, answer) };
  } catch (error) {
    view.close();
    throw error;
  }
}

/** Names of the matches, in order. No object is read. */
export async function listNames(
  context: ServiceContext,
  table: Table,
  options: ListOptions,
): Promise<string[]> {
  const { view, answer } = await find(context, table, options);
  try {
    const names: string[] = [];
    for await (const chunk of answer.names) for (const name of chunk) names.push(name);
    return names;
  } finally {
    view.close();
  }
}

/** Number of all matches, whatever page is asked for. */
export async function count(context: ServiceContext, table: Table, options: ListOptions): Promise<number> {
  const { view, answer } = await find(context, table, options);
  view.close();
  return answer.total;
}

interface Found {
  /** Must be closed. */
  readonly view: ReadView;
  /** As of the view. */
  readonly table: Table;
  readonly answer: ListAnswer;
  readonly page: Page;
}

async function find(context: ServiceContext, asked: Table, options: ListOptions): Promise<Found> {
  const { view, tables } = await context.store.readCurrent();
  try {
    const table = tables.get(modelKey(asked.resource)) ?? asked;
    const building = table.building();
    if (building !== undefined) throw building;
    const { page, size, ...request } = readListOptions(options, table.resource);
    const answer = await list(
      view,
      table,
      { ...queryOf(table, request), ...sliceOf(page, size) },
      context.derived,
    );
    return { view, table, answer, page: pageOf(page, size, answer.total) };
  } catch (error) {
    view.close();
    throw error;
  }
}

function queryOf(
  { resource }: Table,
  { condition, sort }: Pick<ListRequest, 'condition' | 'sort'>,
): Pick<ListQuery, 'condition' | 'order'> {
  const order = sort.map(({ field, direction }) => ({ index: getField(resource, field).index, direction }));
  return { condition: bind(condition, resource), order };
}

function sliceOf(page: number, size: number): Pick<ListQuery, 'offset' | 'limit'> {
  if (size > 0) return { offset: (page - 1) * size, limit: size };
  return { offset: 0, limit: page === 1 ? Infinity : 0 };
}

async function* objectsOf(
  view: ReadView,
  table: Table,
  answer: ListAnswer,
): AsyncGenerator<readonly Buffer[]> {
  try {
    for await (const names of answer.names) {
      for (let at = 0; at < names.length; at += OBJECTS_CHUNK) {
        const stored = await view.findMany(table, names.slice(at, at + OBJECTS_CHUNK));
        yield stored.flatMap((object) => (object === undefined ? [] : [object.bytes]));
      }
    }
  } finally {
    view.close();
  }
}

/** The members of a list answer that are not the objects. */
export function listHead({ resource, page, resourceVersion }: RawList): Page & {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string };
} {
  return {
    apiVersion: apiVersionOf(resource),
    kind: `${resource.kind}List`,
    metadata: { resourceVersion },
    ...page,
  };
}
