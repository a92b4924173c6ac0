import { bind } from '../query/bind.js';
import { getField } from '../query/fields.js';
import { pageOf, type ListOptions, type Page } from '../query/list-options.js';
import { readListOptions } from '../query/list-request.js';
import { apiVersionOf, type Resource } from '../model/resource.js';
import { list, type ListAnswer } from '../store/list.js';
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
export async function listRaw(context: ServiceContext, table: Table, options: ListOptions): Promise<RawList> {
  const { view, answer, page } = await find(context, table, options);
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
  readonly answer: ListAnswer;
  readonly page: Page;
}

async function find(context: ServiceContext, table: Table, options: ListOptions): Promise<Found> {
  const { resource } = table;
  const { page, size, ...request } = readListOptions(options, resource);
  const condition = bind(request.condition, resource);
  const order = request.sort.map(({ field, direction }) => ({
    index: getField(resource, field).index,
    direction,
  }));
  const slice =
    size === 0 ? { offset: 0, limit: page === 1 ? Infinity : 0 } : { offset: (page - 1) * size, limit: size };
  const view = context.store.read();
  try {
    const answer = await list(view, table, { condition, order, ...slice }, context.counts);
    return { view, answer, page: pageOf(page, size, answer.total) };
  } catch (error) {
    view.close();
    throw error;
  }
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
