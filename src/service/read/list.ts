import { badRequest, ServiceError } from '../../errors.js';
import { encodeCursor } from '../../query/cursor.js';
import { pageOf, type ListOptions, type MatchOptions, type Page } from '../../query/list-options.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import type { Work } from '../../lib/work/work.js';
import type { ListGroups } from '../../list/aggregates/aggregates.js';
import type { FacetCount } from '../../list/facets/facets.js';
import type { ReadView } from '../../store/read-view.js';
import type { ServiceContext } from '../context.js';
import { readIncluded } from '../expand/included.js';
import { getExplanation, withCosts } from './explanation.js';
import { type KeptPage, keepPage } from './kept-page.js';
import { type Cut, find, type FoundObjects, type Reading } from './find.js';
import { type Ids, LongObjects, ObjectReader } from './listed-objects.js';
import { hidesFields, type ObjectScope } from '../scope/object-scope.js';
import type { SkippedObjects } from './skipped-objects.js';
import type { Facets, ListExplanation, ListMetadata, ListPage } from '../verbs.js';
import type { ModelView } from './view.js';

/** Most objects of a list that is returned in one piece. */
const AT_ONCE_MAX = 1_000;

/** A list as bytes: the stored bytes, when the requested version is the storage version. */
export interface RawList {
  readonly resource: Resource;
  readonly page: Page;
  readonly metadata: ListMetadata;
  /** Undefined when none were requested. */
  readonly facets: Facets | undefined;
  /** The JSON of `Included`; undefined when no references were to be followed. */
  readonly included: Buffer | undefined;
  /** Undefined when no aggregates were requested. */
  readonly groups: ListGroups | undefined;
  /** State of the store from which the list was read, see `Store.stamp`. */
  readonly stamp: string;
  /** For a page that may be sent again; only on request, and for few objects. */
  readonly kept: KeptPage | undefined;
  /** The objects as JSON, in order, in chunks: already read for a page, otherwise read while they are consumed. */
  readonly objects: readonly (readonly Buffer[])[] | LongObjects;
  /** Objects that were left out; complete after the objects have been read. */
  readonly unshown: SkippedObjects;
  /** Explains the plan; must be called after the objects have been read. */
  explain(): ListExplanation;
}

/** The objects of any list, as copies, in chunks. */
export function iterateCopies({
  objects,
}: RawList): AsyncGenerator<readonly Buffer[], undefined> | readonly (readonly Buffer[])[] {
  return objects instanceof LongObjects ? objects.copies() : objects;
}

/**
 * Runs a list request.
 * @throws ServiceError `BadRequest` for an invalid request; `Expired` for a past list that is not the present one
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
    const resourceVersion = String(await readListRevision(found, reading.at));
    const stamp = await view.stamp();
    const facets = await getFacets(found);
    const groups = await getGroups(found);
    const cut = found.cut && (await cutIds(context, found, found.cut));
    const listed = cut === undefined ? answer.ids : [cut.ids];
    const { ids, included } = await expand(found, listed, reading);
    // The response starts after this, so the list can no longer be refused.
    if (ids === answer.ids) work.expect(answer.entriesLeft);
    work.onlyCount();
    const reader = new ObjectReader(model, work, hiddenIn(found));
    // A page with conditions on other models changes with their objects.
    const isKept = reading.keep === true && found.targets.isEmpty;
    const kept = isKept && isSmall(ids) ? await keepPage(found, ids.flat()) : undefined;
    const objects = isSmall(ids)
      ? await objectsAtOnce(view, reader, ids)
      : new LongObjects(view, reader, ids, work);
    const metadata = { resourceVersion, ...cut?.metadata };
    return {
      resource: model.resource,
      page: cut?.page ?? page,
      metadata,
      facets,
      included,
      groups,
      stamp,
      kept,
      objects,
      unshown: reader.unshown,
      explain: () => getExplanation(found, getCount(objects, page)),
    };
  } catch (error) {
    view.close();
    throw withCosts(error, answer.stats, model.resource);
  }
}

/** The scope, when single objects must be judged by it: the indexes have already found the objects. */
function hiddenIn({ scope }: FoundObjects): ObjectScope | undefined {
  return scope !== undefined && hidesFields(scope) ? scope : undefined;
}

/**
 * The revision of a list. Past lists are not kept, so one is found only when no object of the model was changed since.
 * @throws ServiceError `Expired` for another past list, `BadRequest` for a future revision
 */
async function readListRevision({ view, model }: FoundObjects, at?: number): Promise<number> {
  const revision = await view.revision();
  if (at === undefined) return revision;
  if (at > revision)
    throw badRequest(`resourceVersion: ${at} is in the future; the store is at revision ${revision}`);
  const { plural } = model.resource;
  if ((await view.count(model.table)).revision > at)
    throw new ServiceError('Expired', `${plural} were changed after revision ${at}; list them without it`);
  return at;
}

/** Number of objects in a list. */
function getCount(objects: RawList['objects'], { page, size, total }: Page): number {
  if (!(objects instanceof LongObjects)) return objects.reduce((sum, chunk) => sum + chunk.length, 0);
  return size === 0 ? total : Math.max(0, Math.min(size, total - (page - 1) * size));
}

/** The first matches up to the limit, and the continue token if more follow. */
async function cutIds(
  context: ServiceContext,
  { answer }: FoundObjects,
  { limit, digest, seen }: Cut,
): Promise<{ ids: number[]; page: Page; metadata: Pick<ListMetadata, 'continue' | 'remainingItemCount'> }> {
  const ids = await readAll(answer.ids);
  const page: Page = { ...pageOf(1, limit, answer.total), first: seen === 0, hasPrevious: seen > 0 };
  if (ids.length <= limit) return { ids, page: { ...page, last: true, hasNext: false }, metadata: {} };
  ids.length = limit;
  const { name, keys } = await answer.position(ids[limit - 1] ?? 0);
  const token = encodeCursor({ name, keys, seen: seen + limit }, digest, context.store.secret);
  const remainingItemCount = Math.max(1, answer.total - seen - limit);
  return {
    ids,
    page: { ...page, last: false, hasNext: true },
    metadata: { continue: token, remainingItemCount },
  };
}

/** The objects to which references lead. They are found before the response starts, so all ids are read for them. */
async function expand(
  { view, model: { table }, answer, branches }: FoundObjects,
  listed: Ids,
  { related }: Reading,
): Promise<Pick<RawList, 'included'> & { readonly ids: Ids }> {
  if (branches === undefined) return { ids: listed, included: undefined };
  const ids = await readAll(listed);
  const { work } = answer.stats;
  return { ids: [ids], included: await readIncluded({ table, ids }, branches, { view, work, related }) };
}

async function readAll(chunks: Ids): Promise<number[]> {
  const ids: number[] = [];
  for await (const chunk of chunks) for (const id of chunk) ids.push(id);
  return ids;
}

/** Names of the matches, in order. */
export async function listNames(
  context: ServiceContext,
  asked: ModelView,
  options: ListOptions,
  reading: Reading = {},
): Promise<string[]> {
  const found = await find(context, asked, options, reading);
  const names: string[] = [];
  await consume(found, async (ids) => {
    for (const name of await found.view.readNames(found.model.table, ids)) names.push(name);
  });
  return names;
}

/**
 * Explains the plan of a list by running it without reading the objects.
 * @throws ServiceError as the list would
 */
export async function explain(
  context: ServiceContext,
  asked: ModelView,
  options: ListOptions,
  reading: Reading = {},
): Promise<ListExplanation> {
  const found = await find(context, asked, options, reading);
  if (found.scope !== undefined) {
    found.view.close();
    throw refusedExplanation(found.model.resource);
  }
  let objects = 0;
  await consume(found, (ids) => (objects += ids.length), getGroups);
  return getExplanation(found, objects);
}

/** Its numbers are about all objects of the model. */
function refusedExplanation({ group, kind, plural }: Resource): ServiceError {
  const message = `you may not explain lists of ${plural}: a plan counts objects that you may not read`;
  return new ServiceError('Forbidden', message, { group, kind });
}

/** Passes on the ids of the matches, in chunks, and closes their snapshot. @param begin reads it before */
async function consume(
  found: FoundObjects,
  take: (ids: readonly number[]) => unknown,
  begin?: (found: FoundObjects) => Promise<unknown>,
): Promise<void> {
  const { view, model, answer } = found;
  try {
    await begin?.(found);
    for await (const ids of answer.ids) await take(ids);
  } catch (error) {
    throw withCosts(error, answer.stats, model.resource);
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
  reading: Reading = {},
): Promise<number> {
  const { view, answer } = await find(context, asked, options, reading);
  view.close();
  return answer.total;
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

async function getGroups({ answer, counts }: FoundObjects): Promise<ListGroups | undefined> {
  return counts.grouping && answer.aggregate(counts.grouping);
}

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

/** The members of a list answer except the objects. */
export function listHead({ resource, page, metadata, facets, groups }: RawList): Omit<ListPage, 'items'> {
  return {
    apiVersion: getApiVersion(resource),
    kind: `${resource.kind}List`,
    metadata,
    ...page,
    ...(facets && { facets }),
    ...groups,
  };
}
