import { bind } from '../../query/bind.js';
import { canonical } from '../../query/bound-condition.js';
import { decodeCursor, encodeCursor, listDigest } from '../../query/cursor.js';
import { getField } from '../../query/fields.js';
import {
  pageOf,
  type ListOptions,
  type ListRequest,
  type MatchOptions,
  type Page,
} from '../../query/list-options.js';
import { readListOptions } from '../../query/list-request.js';
import { ConversionError } from '../../model/evolve/conversion.js';
import { getApiVersion, modelKey, versionKey, type Resource } from '../../model/resource.js';
import type { Work } from '../../lib/work/work.js';
import { Yielder } from '../../lib/work/yield.js';
import { list, getPosition, type ListAnswer } from '../../list/execute.js';
import type { FacetCount } from '../../list/facets/facets.js';
import type { PlannedQuery } from '../../list/plan.js';
import { ReadStats } from '../../list/scope.js';
import type { Freshness } from '../../store/engine.js';
import type { ReadView } from '../../store/read-view.js';
import type { StoredObject } from '../../store/object-record.js';
import type { ServiceContext } from '../context.js';
import { getExplanation, withCosts } from './explanation.js';
import { SkippedObjects } from './skipped-objects.js';
import type { Facets, ListExplanation, ListMetadata, ListPage } from '../verbs.js';
import { type ModelView, ViewReader } from './view.js';

/** Objects in one read: bounds the memory of a streamed list. */
const OBJECTS_CHUNK = 200;
/** Objects in the first step; later steps have about this many bytes. */
const VISITED_FIRST = 10;
const VISITED_BYTES = 256 * 1024;
/** Most objects of a list that is returned in one piece. */
const AT_ONCE_MAX = 1_000;
/** Objects that are converted in one step. */
const CONVERTED_MAX = 20;

/** Options for reading a list. */
export interface Reading {
  /** Default: the latest. */
  readonly freshness?: Freshness | undefined;
  /** Can stop the list early, and counts its reads. Default: no limits. */
  readonly work?: Work | undefined;
}

/** A list as bytes: the stored bytes, when the requested version is the storage version. */
export interface RawList {
  readonly resource: Resource;
  readonly page: Page;
  readonly metadata: ListMetadata;
  /** Undefined when none were requested. */
  readonly facets: Facets | undefined;
  /** State of the store from which the list was read, see `Store.stamp`. */
  readonly stamp: string;
  /** The objects as JSON, in order, in chunks: already read for a page, otherwise read while they are consumed. */
  readonly objects: readonly (readonly Buffer[])[] | LongObjects;
  /** Objects that were left out; complete after the objects have been read. */
  readonly unshown: SkippedObjects;
  /** Explains the plan; must be called after the objects have been read. */
  explain(): ListExplanation;
}

/**
 * Objects that are read while they are consumed. One of both methods must be consumed, to the end or until the
 * generator is returned, because they keep the snapshot open.
 */
export class LongObjects {
  constructor(
    private readonly view: ReadView,
    private readonly reader: ObjectReader,
    private readonly ids: Ids,
    private readonly work: Work,
  ) {}

  /** True when all objects are returned as stored. */
  get isVerbatim(): boolean {
    return this.reader.isVerbatim;
  }

  /** Copies, in chunks. */
  copies(): AsyncGenerator<readonly Buffer[], undefined> {
    return closing(this.view, this.chunks());
  }

  /**
   * Calls back with each object, whose bytes are valid until the callback returns. Yields after some of them, so that
   * other work can run.
   */
  inPlace(visit: (json: Buffer) => void): AsyncGenerator<void, undefined> {
    return closing(this.view, this.isVerbatim ? this.visits(visit) : this.visitsOfCopies(visit));
  }

  private async *chunks(): AsyncGenerator<readonly Buffer[], undefined> {
    const seen = { objects: 0, bytes: 0 };
    for await (const ids of this.ids) {
      for (let at = 0; at < ids.length;) {
        const some = ids.slice(at, at + (this.isVerbatim ? OBJECTS_CHUNK : getPart(seen)));
        this.work.check();
        const chunk = await this.reader.read(this.view, some);
        at += some.length;
        seen.objects += chunk.length;
        for (const json of chunk) seen.bytes += json.length;
        yield chunk;
      }
    }
  }

  private async *visitsOfCopies(visit: (json: Buffer) => void): AsyncGenerator<void, undefined> {
    for await (const chunk of this.chunks()) {
      for (const json of chunk) visit(json);
      yield;
    }
  }

  private async *visits(visit: (json: Buffer) => void): AsyncGenerator<void, undefined> {
    const seen = { objects: 0, bytes: 0 };
    for await (const ids of this.ids) {
      for (let at = 0; at < ids.length;) {
        const some = ids.slice(at, at + getPart(seen));
        this.work.check();
        await this.view.visitMany(this.reader.model.table, some, (json) => {
          seen.objects++;
          seen.bytes += json.length;
          visit(json);
        });
        at += some.length;
        yield;
      }
    }
  }
}

/** Reads the objects of one list in the requested version. */
class ObjectReader {
  readonly unshown = new SkippedObjects();
  private readonly reader: ViewReader;

  constructor(
    readonly model: ModelView,
    private readonly work: Work,
  ) {
    this.reader = new ViewReader(model);
  }

  get isVerbatim(): boolean {
    return this.model.isVerbatim;
  }

  /** In the order of the ids; deleted objects and those that cannot be converted are left out. */
  async read(view: ReadView, ids: readonly number[]): Promise<Buffer[]> {
    const stored = getBytes(await view.readMany(this.model.table, ids));
    if (this.isVerbatim) return stored;
    this.unshown.nextChunk();
    const shown: Buffer[] = [];
    const breaks = new Yielder(this.work);
    for (let at = 0; at < stored.length; at += CONVERTED_MAX) {
      if (breaks.isDue) await breaks.take();
      for (const one of this.reader.read(stored.slice(at, at + CONVERTED_MAX))) {
        if (one instanceof ConversionError) this.unshown.add(one);
        else shown.push(one);
      }
    }
    return shown;
  }
}

/** Number of objects for the next step, from the size of earlier ones: the caller should keep little in memory. */
function getPart({ objects, bytes }: { readonly objects: number; readonly bytes: number }): number {
  if (objects === 0) return VISITED_FIRST;
  return Math.max(1, Math.min(OBJECTS_CHUNK, Math.floor((VISITED_BYTES * objects) / bytes)));
}

/** The objects of any list, as copies, in chunks. */
export function iterateCopies({
  objects,
}: RawList): AsyncGenerator<readonly Buffer[], undefined> | readonly (readonly Buffer[])[] {
  return objects instanceof LongObjects ? objects.copies() : objects;
}

/**
 * Runs a list request.
 * @throws ServiceError `BadRequest` for an invalid request
 */
export async function listRaw(
  context: ServiceContext,
  asked: ModelView,
  options: ListOptions,
  reading: Reading = {},
): Promise<RawList> {
  const found = await find(context, asked, options, reading);
  const { view, model, answer, page } = found;
  const { work } = answer.stats;
  try {
    const resourceVersion = String(await view.revision());
    const stamp = await view.stamp();
    const facets = await getFacets(found);
    const cut = found.cut && (await cutIds(context, found, found.cut));
    const ids = cut === undefined ? answer.ids : [cut.ids];
    // The response starts after this, so the list can no longer be refused.
    if (cut === undefined) work.expect(answer.entriesLeft);
    work.onlyCount();
    const reader = new ObjectReader(model, work);
    const objects = isSmall(ids)
      ? await objectsAtOnce(view, reader, ids)
      : new LongObjects(view, reader, ids, work);
    const metadata = { resourceVersion, ...cut?.metadata };
    return {
      resource: model.resource,
      page: cut?.page ?? page,
      metadata,
      facets,
      stamp,
      objects,
      unshown: reader.unshown,
      explain: () => getExplanation(found, getCount(objects, page)),
    };
  } catch (error) {
    view.close();
    throw withCosts(error, answer.stats, model.resource);
  }
}

/** Number of objects in a list. */
function getCount(objects: RawList['objects'], { page, size, total }: Page): number {
  if (!(objects instanceof LongObjects)) return objects.reduce((sum, chunk) => sum + chunk.length, 0);
  return size === 0 ? total : Math.max(0, Math.min(size, total - (page - 1) * size));
}

/** The first matches up to the limit, and the continue token if more follow. */
async function cutIds(
  context: ServiceContext,
  { view, model, query, answer }: FoundObjects,
  { limit, digest, seen }: Cut,
): Promise<{ ids: number[]; page: Page; metadata: Pick<ListMetadata, 'continue' | 'remainingItemCount'> }> {
  const ids: number[] = [];
  for await (const chunk of answer.ids) ids.push(...chunk);
  const page: Page = { ...pageOf(1, limit, answer.total), first: seen === 0, hasPrevious: seen > 0 };
  if (ids.length <= limit) return { ids, page: { ...page, last: true, hasNext: false }, metadata: {} };
  ids.length = limit;
  const { name, keys } = await getPosition(view, model.table, query.order, ids[limit - 1] ?? 0);
  const token = encodeCursor({ name, keys, seen: seen + limit }, digest, context.store.secret);
  const remainingItemCount = Math.max(1, answer.total - seen - limit);
  return {
    ids,
    page: { ...page, last: false, hasNext: true },
    metadata: { continue: token, remainingItemCount },
  };
}

/** Names of the matches, in order. */
export async function listNames(
  context: ServiceContext,
  asked: ModelView,
  options: ListOptions,
  work?: Work,
): Promise<string[]> {
  const found = await find(context, asked, options, { work });
  const { view, answer } = found;
  try {
    const names: string[] = [];
    for await (const ids of answer.ids) {
      for (const name of await view.readNames(found.model.table, ids)) names.push(name);
    }
    return names;
  } catch (error) {
    throw withCosts(error, answer.stats, found.model.resource);
  } finally {
    view.close();
  }
}

/** Names that are read from one snapshot. */
const NAMES_PAGE = 5_000;

/**
 * Names of the matches, in order, page by page. No page keeps a snapshot open while its names are consumed. So an
 * object that is created meanwhile may be missing, but no name comes twice.
 */
export async function* eachName(
  context: ServiceContext,
  asked: ModelView,
  options: MatchOptions,
  work?: Work,
): AsyncGenerator<string> {
  let token: string | undefined;
  do {
    const page = token === undefined ? { limit: NAMES_PAGE } : { limit: NAMES_PAGE, continue: token };
    const found = await find(context, asked, { ...options, ...page }, { work });
    let names: string[];
    try {
      if (found.cut === undefined) return;
      const cut = await cutIds(context, found, found.cut);
      names = await found.view.readNames(found.model.table, cut.ids);
      token = cut.metadata.continue;
    } finally {
      found.view.close();
    }
    yield* names;
  } while (token !== undefined);
}

/** Number of all matches, independent of the requested page. */
export async function count(
  context: ServiceContext,
  asked: ModelView,
  options: ListOptions,
  work?: Work,
): Promise<number> {
  const { view, answer } = await find(context, asked, options, { work });
  view.close();
  return answer.total;
}

export interface FoundObjects {
  /** Must be closed. */
  readonly view: ReadView;
  /** As of the view. */
  readonly model: ModelView;
  readonly query: PlannedQuery;
  readonly answer: ListAnswer;
  readonly page: Page;
  /** Undefined when the list has numbered pages. */
  readonly cut: Cut | undefined;
  /** The fields to count, and the most values of each. */
  readonly counts: Pick<ListRequest, 'facets' | 'facetLimit'>;
}

/** A list that ends at a limit. */
interface Cut {
  readonly limit: number;
  /** Identifies the list and its order; a token is valid only for the same digest. */
  readonly digest: string;
  /** Objects listed before. */
  readonly seen: number;
}

/** Parses a request and finds its matches. */
export async function find(
  context: ServiceContext,
  asked: ModelView,
  options: ListOptions,
  { freshness, work }: Reading = {},
): Promise<FoundObjects> {
  work?.check();
  const { view, tables } = await context.store.readCurrent(freshness);
  const stats = new ReadStats(work);
  try {
    const model = asked.at(tables.get(modelKey(asked.resource)) ?? asked.table);
    const { table, resource } = model;
    const building = table.building();
    if (building !== undefined) throw building;
    const request = readListOptions(options, resource, context.now().getTime());
    const { condition, order } = getQuery(resource, request);
    const digest = request.limit === undefined ? '' : digestRequest(resource, request);
    const token = request.continue;
    const cursor = token === undefined ? undefined : decodeCursor(token, digest, context.store.secret);
    const query: PlannedQuery = { condition, order, after: cursor, ...getSlice(request) };
    const answer = await list({ view, table, stats }, query, context.listCaches);
    const cut =
      request.limit === undefined ? undefined : { limit: request.limit, digest, seen: cursor?.seen ?? 0 };
    const page = pageOf(request.page, request.size, answer.total);
    return { view, model, query, answer, page, cut, counts: request };
  } catch (error) {
    view.close();
    throw withCosts(error, stats, asked.resource);
  }
}

/** Counts the values of the requested fields. */
async function getFacets({ answer, counts }: FoundObjects): Promise<Facets | undefined> {
  if (counts.facets.length === 0) return undefined;
  const facets: [string, readonly FacetCount[]][] = [];
  for (const field of counts.facets) {
    facets.push([field.name, await answer.facet(field, counts.facetLimit)]);
  }
  return Object.fromEntries(facets);
}

/** The identity that a token is valid for. */
function digestRequest(resource: Resource, { identity, sort }: ListRequest): string {
  const condition = canonical(bind(identity.condition, resource));
  return listDigest(versionKey(resource), condition, ...identity.filters, JSON.stringify(sort));
}

function getQuery(
  resource: Resource,
  { condition, sort }: Pick<ListRequest, 'condition' | 'sort'>,
): Pick<PlannedQuery, 'condition' | 'order'> {
  const order = sort.map(({ field, direction }) => ({ index: getField(resource, field).index, direction }));
  return { condition: bind(condition, resource), order };
}

function getSlice({ page, size, limit }: ListRequest): Pick<PlannedQuery, 'offset' | 'limit'> {
  // One more than requested, to detect further matches.
  if (limit !== undefined) return { offset: 0, limit: limit + 1 };
  if (size > 0) return { offset: (page - 1) * size, limit: size };
  return { offset: 0, limit: page === 1 ? Infinity : 0 };
}

type Ids = ListAnswer['ids'];

function isSmall(ids: Ids): ids is readonly (readonly number[])[] {
  return Symbol.iterator in ids && ids.every((chunk) => chunk.length <= AT_ONCE_MAX);
}

/** Reads a page's objects; the snapshot is closed afterwards. */
async function objectsAtOnce(
  view: ReadView,
  reader: ObjectReader,
  chunks: readonly (readonly number[])[],
): Promise<readonly (readonly Buffer[])[]> {
  const objects: Buffer[][] = [];
  for (const ids of chunks) objects.push(await reader.read(view, ids));
  view.close();
  return objects;
}

function getBytes(stored: readonly (StoredObject | undefined)[]): Buffer[] {
  const bytes: Buffer[] = [];
  for (const object of stored) if (object !== undefined) bytes.push(object.bytes);
  return bytes;
}

/** Closes the view when the generator ends, also when it is returned before its start. */
function closing<T>(view: ReadView, inner: AsyncGenerator<T, undefined>): AsyncGenerator<T, undefined> {
  const ended = <R extends IteratorResult<T, undefined>>(result: R): R => {
    if (result.done === true) view.close();
    return result;
  };
  const failed = (error: unknown): never => {
    view.close();
    throw error;
  };
  return {
    next: () => inner.next().then(ended, failed),
    return: () => inner.return(undefined).then(ended, failed),
    throw: (error) => inner.throw(error).then(ended, failed),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** The members of a list answer except the objects. */
export function listHead({ resource, page, metadata, facets }: RawList): Omit<ListPage, 'items'> {
  return {
    apiVersion: getApiVersion(resource),
    kind: `${resource.kind}List`,
    metadata,
    ...page,
    ...(facets && { facets }),
  };
}
