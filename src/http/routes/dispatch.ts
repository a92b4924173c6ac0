import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest, ServiceError } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import { mapMaybe, type MaybePromise } from '../../lib/work/maybe-promise.js';
import { isEverything } from '../../access/last-admin.js';
import { OWN_TOKENS, withOwnUid } from '../../access/identity/own-tokens.js';
import { mayReadOwned } from '../../access/ownership.js';
import { rightsChanged } from '../../access/guarded-verbs.js';
import type { ScopedAccess } from '../../access/limits/sender-scopes.js';
import { actionOn, limitable } from '../../access/rules.js';
import { fullName, isNamespaced, splitFullName } from '../../model/full-name.js';
import { getPath, isStorageVersion, leastBodyMax, type Resource } from '../../model/resource.js';
import { checkScaled, isScalable, scaleOf } from '../../model/scale.js';
import {
  ALL_OBJECTS,
  hasDeletableCollections,
  isGeneratedSubresource,
  type GeneratedSubresource,
} from '../../model/subresource.js';
import { EXPLANATION_TYPE } from '../../openapi/media-types.js';
import type { ListOptions } from '../../query/list-options.js';
import { readListQuery } from '../../query/list-request.js';
import type { Models } from '../../service/models.js';
import { LongObjects } from '../../service/read/listed-objects.js';
import type { RawList } from '../../service/read/list.js';
import type { RawObject, Service } from '../../service/service.js';
import { parseObject } from '../../store/object-record.js';
import type { Reading } from '../../service/read/find.js';
import { objectNotFound } from '../../service/object-errors.js';
import { readRevision } from '../../service/read/history.js';
import { bothScopes, hidesFields, type ObjectScope } from '../../service/scope/object-scope.js';
import type { RawWriteResult } from '../../service/write/result.js';
import type {
  DeleteOptions,
  HistoryPage,
  ModelHistoryOptions,
  ModelHistoryPage,
  WriteOptions,
  WrittenPart,
} from '../../service/verbs.js';
import type { RequestOrigins } from '../audit/request-origins.js';
import type { AccessGuard } from '../guards/access-guard.js';
import { EventBudget } from '../guards/event-budget.js';
import type { Admit } from '../admission/admission.js';
import { senderReader } from '../admission/sender.js';
import { refuseMethod } from '../guards/methods.js';
import { parseBody } from '../body/body.js';
import type { BodyReader } from '../body/body-reader.js';
import type { Converter } from '../answer/converter.js';
import { isKnown, listTag, objectTag, rowTag } from '../answer/entity-tag.js';
import { unknownParameters, type ParameterUse } from './known-parameters.js';
import { ListCache } from '../answer/list/list-cache.js';
import { sendList, STALL_MS } from '../answer/list/list-response.js';
import { SlowLists } from '../answer/list/slow-lists.js';
import { formatOfApply, patchFormat } from '../answer/media.js';
import {
  deleteOptions,
  isTrue,
  managerOf,
  refuseForce,
  parseQuery,
  single,
  statedManager,
  writeOptions,
  type Query,
} from './parameters.js';
import {
  addWarnings,
  alwaysWarn,
  formatFor,
  sendAs,
  sendError,
  sendNotModified,
  sendStored,
  sendValue,
  sendWithTurn,
  type Headers,
} from '../answer/respond.js';
import { generatedVerb, nameModelRoute } from '../metrics/request-metrics.js';
import { deleteCollection, readCollectionQuery } from './delete-collection.js';
import { inNamespace } from './in-namespace.js';
import { parsePath, splitUrl, type FindModel, type ResourcePath } from './route.js';
import { getDeprecation } from './deprecation.js';
import { metadataFor, metadataOfListFor } from './metadata-shape.js';
import { checkReading, isExact, isExpanded } from './reading.js';
import { tableFor } from './table.js';
import { sendWatch, type WatchCall, type WatchStreams } from './watch.js';

export interface DispatchOptions {
  readonly service: Service;
  readonly models: Models;
  readonly logger: Logger;
  readonly bodies: BodyReader;
  /** A client that reads nothing of its list for this time is cut off, in milliseconds. Default 30 s. */
  readonly stallMs?: number;
  /** The watches in progress, so that they can be ended together. */
  readonly watches?: WatchStreams;
  /** Longest silence of a watch before it sends a sign of life, in milliseconds. Default 10 s. */
  readonly watchIdleMs?: number;
  /** Interval at which the right to watch is checked again, in milliseconds. Default 10 s. */
  readonly recheckMs?: number;
  /** A list that takes at least this time, in milliseconds, is logged with its explanation. Default: none is. */
  readonly slowListMs?: number | undefined;
  readonly admit: Admit;
  /** Authenticates and authorizes requests; undefined when every request is allowed. */
  readonly guard?: AccessGuard | undefined;
  /** Undefined when writes are not recorded. */
  readonly origins?: RequestOrigins | undefined;
}

/** Longest accepted path and query, in characters. */
export const URL_LENGTH_MAX = 64 * 1024;

/** One request for a generated route, in the form for handlers. */
interface Call {
  readonly options: DispatchOptions;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly resource: Resource;
  /** Undefined for a cluster-scoped model, and for all namespaces. */
  readonly namespace: string | undefined;
  readonly query: Query;
  /** The query as sent, without the question mark. */
  readonly search: string;
  readonly lists: ListCache;
  readonly slowLists: SlowLists;
  readonly converter: Converter;
}

type Handler = (call: Call, name: string, part: WrittenPart) => MaybePromise<void>;

const COLLECTION: Readonly<Record<string, Handler>> = { GET: list, HEAD: list, POST: create };
/** Of kinds that follow Kubernetes' rules. Elsewhere, a request without its name must not delete everything. */
const DELETABLE_COLLECTION: Readonly<Record<string, Handler>> = { ...COLLECTION, DELETE: removeCollection };
/** Without a namespace, objects of a namespaced model can be listed, and have a common history. */
const ALL_NAMESPACES: Readonly<Record<string, Handler>> = { GET: list, HEAD: list };
const OBJECT: Readonly<Record<string, Handler>> = {
  GET: get,
  HEAD: get,
  PUT: update,
  PATCH: patch,
  DELETE: remove,
};
const SUBRESOURCES: Readonly<Record<GeneratedSubresource, Readonly<Record<string, Handler>>>> = {
  status: { GET: get, HEAD: get, PUT: update, PATCH: patch },
  history: { GET: history, HEAD: history },
};
const SCALE_ROUTES: Readonly<Record<string, Handler>> = {
  GET: getScale,
  HEAD: getScale,
  PUT: update,
  PATCH: patch,
};
const FINALIZE: Readonly<Record<string, Handler>> = { PUT: update };

/**
 * Answers the generated routes of every served model; anything else is passed to `next`. It comes before all other
 * routes, so that a request for an object costs one look-up.
 */
export function dispatch(options: DispatchOptions, converter: Converter) {
  const lists = new ListCache(options.service.cacheBudget, (page) => options.service.renewPage(page));
  const slowLists = new SlowLists(options.slowListMs, options.logger);
  const events = new EventBudget(senderReader(options.guard));
  const findModel: FindModel = (...path) => options.models.find(...path);
  /** @param isCurrent true when the models are served as they are stored */
  const answer = (req: IncomingMessage, res: ServerResponse, next: () => void, isCurrent = false): void => {
    try {
      const url = req.url ?? '/';
      if (url.length > URL_LENGTH_MAX)
        throw badRequest(`the URL is longer than ${URL_LENGTH_MAX} characters`);
      const { path: text, search } = splitUrl(url);
      const path = parsePath(text, findModel);
      const resource = path && findModel(path.group, path.version, path.plural);
      if (path === undefined || resource === undefined) {
        next();
        return;
      }
      const late = isCurrent || resource.origin !== 'definition' ? undefined : options.models.catchUp();
      if (late !== undefined) {
        late
          .then(() => answer(req, res, next, true))
          .catch((error: unknown) => sendError(req, res, error, options.logger));
        return;
      }
      const routes = findRoutes(resource, path);
      if (routes === undefined) {
        next();
        return;
      }
      nameModelRoute(res, resource, path, generatedVerb(req.method ?? 'GET', path));
      const handler = routes[req.method ?? 'GET'];
      if (handler === undefined) {
        const hint = path.name === undefined && req.method === 'DELETE' ? DELETE_HINT : '';
        throw refuseMethod(res, req.method, Object.keys(routes), hint);
      }
      events.check(req, resource);
      const query = parseQuery(search);
      alwaysWarn(res, getDeprecation(resource));
      addWarnings(res, unknownParameters(query, getParameterUse(req.method, path, query)));
      const { namespace, name = '' } = path;
      const full = fullName(resource, { namespace, name });
      const owned = ofSender({ options, req, resource, query, search });
      const call = {
        options,
        lists,
        slowLists,
        converter,
        req,
        res,
        resource,
        namespace: path.namespace,
        search: owned?.search ?? search,
        query: owned?.query ?? query,
      };
      const run = (): MaybePromise<void> => handler(call, full, partOf(path.subresource));
      const done = owned === undefined || name === '' ? run() : mapMaybe(owned.check(full), run);
      if (done instanceof Promise) done.catch((error: unknown) => sendError(req, res, error, options.logger));
    } catch (error) {
      sendError(req, res, error, options.logger);
    }
  };
  return (req: IncomingMessage, res: ServerResponse, next: () => void): void => answer(req, res, next);
}

/** A request for objects that belong to users: it is only about those that its sender may read. */
interface OwnedRequest {
  readonly search: string;
  readonly query: Query;
  /** @throws ServiceError `NotFound` for an object of another user */
  readonly check: (name: string) => Promise<void>;
}

/** Undefined for a model whose objects have no owners, and without users. */
function ofSender({
  options: { guard, models, service },
  req,
  resource,
  query,
  search,
}: Pick<Call, 'options' | 'req' | 'resource' | 'query' | 'search'>): OwnedRequest | undefined {
  const ownership = guard && (guard.isOwnOnly(req) ? OWN_TOKENS : models.view(resource).scheme?.ownership);
  if (guard === undefined || ownership === undefined) return undefined;
  const { user, rules } = guard.getIdentity(req);
  const filter = ownership.filterFor(user);
  const limited = new URLSearchParams({ filter }).toString();
  return {
    search: search === '' ? limited : `${search}&${limited}`,
    query: { ...query, filter: [query.filter ?? [], filter].flat() },
    check: async (name) => {
      // Administrators may change all objects, but do not see those of others in lists.
      if (rules.some(isEverything)) return;
      const object = await service.get(resource, name);
      if (!mayReadOwned(ownership, object, user)) throw objectNotFound(resource, name);
    },
  };
}

/** Undefined for a subresource that is not generated for every model. */
function findRoutes(
  resource: Resource,
  { namespace, name, subresource }: ResourcePath,
): Readonly<Record<string, Handler>> | undefined {
  if (namespace !== undefined && !isNamespaced(resource)) return undefined;
  const isInAll = namespace === undefined && isNamespaced(resource);
  const collection = hasDeletableCollections(resource) ? DELETABLE_COLLECTION : COLLECTION;
  if (name === undefined) return isInAll ? ALL_NAMESPACES : collection;
  if ((name === ALL_OBJECTS && subresource === 'history') !== isInAll && isNamespaced(resource))
    return undefined;
  if (subresource === undefined) return OBJECT;
  if (subresource === 'status' && resource.statusBy === 'field') return undefined;
  if (subresource === 'scale' && isScalable(resource)) return SCALE_ROUTES;
  if (subresource === 'finalize') return resource.finalizedBy === undefined ? undefined : FINALIZE;
  return isGeneratedSubresource(subresource) ? SUBRESOURCES[subresource] : undefined;
}

const PARTS = ['status', 'finalize', 'scale'] as const;

function partOf(subresource: string | undefined): WrittenPart {
  return subresource === undefined ? undefined : PARTS.find((part) => part === subresource);
}

function getParameterUse(
  method: string | undefined,
  { name, subresource }: ResourcePath,
  query: Query,
): ParameterUse {
  if (method === 'DELETE') return name === undefined ? 'deleteCollection' : 'delete';
  if (method !== 'GET' && method !== 'HEAD') return 'write';
  if (subresource === 'history') return name === ALL_OBJECTS ? 'modelHistory' : 'history';
  if (isTrue(query, 'watch')) return 'watch';
  return name === undefined ? 'list' : 'get';
}

/** With a `DELETE` of the collection, a request without its name would delete all objects. */
const DELETE_HINT = '. Delete objects by name, or several in a batch';

function watchCall({ options, req, res, resource, namespace, query }: Call, name?: string): WatchCall {
  const { service, logger, watches, admit, stallMs, watchIdleMs, guard, recheckMs } = options;
  const access = { verb: 'watch', isNamed: name !== undefined };
  const scope = guard?.scope(req, resource, access);
  const recheck =
    guard &&
    ((): MaybePromise<void> =>
      mapMaybe(guard.recheck(req), () => {
        if (guard.scope(req, resource, access)?.key !== scope?.key) throw rightsChanged(resource);
      }));
  return {
    service,
    logger,
    watches,
    enter: (text) => admit.watch(req, text),
    work: admit.work(req, res),
    stallMs: stallMs ?? STALL_MS,
    idleMs: watchIdleMs,
    scope,
    recheck,
    recheckMs,
    resource,
    namespace,
    query,
    name,
  };
}

async function list(call: Call): Promise<void> {
  const { options, lists, slowLists, converter, req, res, resource, namespace, query, search } = call;
  const { service, admit, stallMs = STALL_MS } = options;
  const { run } = admit;
  const began = performance.now();
  checkReading(query);
  if (isTrue(query, 'watch')) {
    nameModelRoute(res, resource, { namespace }, 'watch');
    await sendWatch(req, res, watchCall(call));
    return;
  }
  if (isTrue(query, 'explain')) {
    const explanation = await run(req, res, (work) =>
      service.explain(resource, listOptions(call), { ...readingOf(call, LIST), work }),
    );
    const type = formatFor(req) === 'json' ? { 'Content-Type': EXPLANATION_TYPE } : {};
    sendValue(res, 200, explanation, type);
    return;
  }
  const table = tableFor(req, query, resource, service);
  const metadata = metadataOfListFor(req, resource);
  const at = isExact(query) ? readRevision(single(query, 'resourceVersion') ?? '') : undefined;
  const form = table ?? metadata;
  const hasIncluded = isExpanded(query, form);
  // A model that is not ready is not answered from the cache either.
  const isKept = isLasting(call);
  const reading = readingOf(call, LIST);
  // Ages of rows change, the slow part of YAML is its writing, and others are rare, so none of them is cached.
  if (form !== undefined || hasIncluded || at !== undefined || formatFor(req) === 'yaml') {
    const found = await run(req, res, (work) =>
      service.listRaw(resource, listOptions(call), { at, ...reading, work }),
    );
    if (isListKnown(call, found, isKept)) return;
    await sendList(req, res, found, { stallMs, converter, table, metadata });
    slowLists.note(found, began);
    return;
  }
  const request = `${getPath(resource, namespace)}?${search}#${reading.scope?.key ?? ''}`;
  const kept = isKept ? await lists.find(request, await service.store.stamp()) : undefined;
  if (kept !== undefined) {
    sendWithTurn(res, 200, { format: 'json', body: kept });
    return;
  }
  // The read of the stamp has already brought the local state up to date.
  const freshness = isKept ? 'local' : 'latest';
  const found = await run(req, res, (work) =>
    service.listRaw(resource, listOptions(call), { freshness, keep: isKept, ...reading, work }),
  );
  const body = await sendList(req, res, found, { stallMs, converter });
  slowLists.note(found, began);
  if (body !== undefined && found.kept !== undefined)
    lists.put(request, { page: found.kept, stamp: found.stamp, body });
}

const LIST: ScopedAccess = { verb: 'list', isNamed: false };
const GET: ScopedAccess = { verb: 'get', isNamed: true };

/** The parts of models that the sender may see: of the one that is read, and of those that it leads to. */
function readingOf(
  { options: { guard }, req, resource }: Call,
  access: ScopedAccess,
): Pick<Reading, 'scope' | 'related'> {
  if (guard === undefined) return {};
  return { scope: guard.scope(req, resource, access), related: guard.scopes(req).related };
}

/** True when a list stays the same while the store does. @throws ServiceError for a model that is not ready */
function isLasting({ options, resource, query }: Call): boolean {
  // A rewrite to another version changes no revision.
  const { isVerbatim, table } = options.models.view(resource);
  return isVerbatim && !table.isMixed && !mentionsNow(query);
}

/**
 * Sets the tag of a list with included objects.
 * @returns true when the client has the list already; it is then answered
 */
function isListKnown({ req, res }: Call, { stamp, included, objects }: RawList, lasts: boolean): boolean {
  if (included === undefined) return false;
  const tag = listTag(lasts ? stamp : randomUUID(), included, formatFor(req));
  res.setHeader('ETag', tag);
  if (!isKnown(req, tag)) return false;
  if (objects instanceof LongObjects) objects.close();
  sendNotModified(res, tag);
  return true;
}

function listOptions({ query, namespace }: Call): ListOptions {
  return { ...readListQuery(query), ...(namespace !== undefined && { namespace }) };
}

/** True when the time may affect the matches. A string that contains the word only costs the use of the cache. */
function mentionsNow({ filter }: Query): boolean {
  if (filter === undefined) return false;
  return [filter].flat().some((text) => text.includes('now'));
}

function get(call: Call, name: string, sub: WrittenPart): MaybePromise<void> {
  const { options, req, res, resource, namespace, query, converter } = call;
  checkReading(query);
  if (isTrue(query, 'watch')) {
    if (sub !== undefined) throw badRequest('only whole objects can be watched; leave out /status');
    nameModelRoute(res, resource, { namespace, name }, 'watch');
    return sendWatch(req, res, watchCall(call, name));
  }
  const form = tableFor(req, query, resource, options.service) ?? metadataFor(req, resource);
  const hasIncluded = isExpanded(query, form);
  const scope = options.guard?.scope(req, resource, sub === undefined ? GET : { ...GET, subresource: sub });
  const isWhole = isStorageVersion(resource) && !hasIncluded && scope === undefined;
  return mapMaybe(readOne(call, name, hasIncluded, scope), ({ revision, json }) => {
    const row = form?.one(json);
    const format = formatFor(req);
    const shown = isWhole ? defaultsFor(call) : json;
    const tag = row === undefined ? objectTag(revision, format, shown) : rowTag(revision, row);
    if (isKnown(req, tag)) sendNotModified(res, tag);
    else if (row !== undefined) sendAs(res, 200, { format: 'json', body: row }, { ETag: tag });
    else return sendStored({ res, converter }, 200, json, { format, tag });
    return undefined;
  });
}

function readOne(
  call: Call,
  name: string,
  hasIncluded: boolean,
  scope: ObjectScope | undefined,
): MaybePromise<RawObject> {
  const { options, req, res, resource, query } = call;
  const { service, admit } = options;
  if (isExact(query))
    return admit.run(req, res, (work) =>
      service.getRawAt(resource, name, single(query, 'resourceVersion') ?? '', { work, scope }),
    );
  if (!hasIncluded) return service.getRaw(resource, name, scope);
  const related = options.guard?.scopes(req).related;
  return admit.run(req, res, (work) =>
    service.expandRaw(resource, name, { expand: [query.expand ?? []].flat() }, { scope, related, work }),
  );
}

/** The state of the defaults that stored objects are shown with: they may change while an object stays the same. */
function defaultsFor({ options: { service }, resource }: Call): Buffer | undefined {
  // Others have none, and need no search.
  if (resource.origin !== 'definition') return undefined;
  const defaults = service.models.shownDefaults(resource);
  return defaults === undefined ? undefined : Buffer.from(defaults);
}

async function getScale(call: Call, name: string): Promise<void> {
  const { options, req, res, resource, query, converter } = call;
  if (!isScalable(resource)) throw new Error('the route is only there for a model with a scale');
  if (isExpanded(query, undefined)) throw badRequest('expand: a Scale has no references');
  const { scope } = readingOf(call, { ...GET, subresource: 'scale' });
  if (scope !== undefined && hidesFields(scope))
    throw new ServiceError('Forbidden', 'a scale needs the right to all fields');
  const { revision, json } = await options.service.getRaw(resource, name, scope);
  const object = parseObject(json);
  checkScaled(resource, object);
  const scale = Buffer.from(JSON.stringify(scaleOf(resource, object)));
  const format = formatFor(req);
  await sendStored({ res, converter }, 200, scale, { format, tag: objectTag(revision, format, scale) });
}

async function history(call: Call, full: string): Promise<void> {
  const { options, req, res, resource, query, converter } = call;
  const isOfAll = splitFullName(full, resource).name === ALL_OBJECTS;
  const { scope } = readingOf(call, { ...(isOfAll ? LIST : GET), subresource: 'history' });
  const { limit, continue: token } = readListQuery(query);
  const part = { ...(limit !== undefined && { limit }), ...(token !== undefined && { continue: token }) };
  const { warnings = [], ...page } = await options.admit.run<HistoryPage | ModelHistoryPage>(
    req,
    res,
    (work) =>
      isOfAll
        ? options.service.modelHistory(resource, { ...part, ...modelPart(query) }, { work, scope })
        : options.service.history(resource, full, part, { work, scope }),
  );
  addWarnings(res, warnings);
  const json = Buffer.from(JSON.stringify(page));
  const format = formatFor(req);
  sendAs(res, 200, { format, body: format === 'json' ? json : await converter.yaml(json) });
}

function modelPart(query: Query): ModelHistoryOptions {
  const [since, user] = [single(query, 'since'), single(query, 'user')];
  return {
    ...(since !== undefined && { since }),
    ...(user !== undefined && { user }),
    before: isTrue(query, 'before'),
  };
}

async function create(call: Call): Promise<void> {
  const { options, req, resource, namespace, query, converter } = call;
  const format = options.bodies.formatOf(req);
  const document = await parseBody(await options.bodies.read(req, leastBodyMax(resource)), format, converter);
  const given = namespace === undefined ? document : inNamespace(document, namespace);
  const body =
    options.guard === undefined ? given : withOwnUid(resource, given, options.guard.getIdentity(req));
  const write = writeOptions(query, undefined, options.origins?.of(req));
  const fieldManager = managerOf(query, req.headers['user-agent']);
  const result = await committed(call, { ...write, fieldManager }, (all) =>
    options.service.create(resource, body, all),
  );
  await sendResult(call, 201, result, {
    Location: `${getPath(resource, namespace)}/${result.metadata.name}`,
  });
}

async function update(call: Call, name: string, sub: WrittenPart): Promise<void> {
  const { options, req, resource, converter } = call;
  const format = options.bodies.formatOf(req);
  const body = await parseBody(await options.bodies.read(req, leastBodyMax(resource)), format, converter);
  const write = managedOptions(call);
  const run = (all: WriteOptions): Promise<RawWriteResult> =>
    options.service.update(resource, name, body, all, sub);
  await sendResult(call, 200, partOfResult(await committed(call, write, run), resource, sub));
}

async function patch(call: Call, name: string, sub: WrittenPart): Promise<void> {
  const { options, req, resource, converter } = call;
  const type = patchFormat(req.headers['content-type'], resource.origin === 'core' && sub !== 'scale');
  const bytes = await options.bodies.read(req, leastBodyMax(resource));
  const format = type === 'apply' ? formatOfApply(bytes) : 'json';
  const body = await parseBody(bytes, format, converter);
  if (type !== 'apply') refuseForce(call.query);
  const write = type === 'apply' ? applyOptions(call, name) : managedOptions(call);
  const run = (all: WriteOptions): Promise<RawWriteResult> =>
    options.service.patch(resource, name, body, type, all, sub);
  const result = await committed(call, write, run);
  await sendResult(call, result.effect === 'created' ? 201 : 200, partOfResult(result, resource, sub));
}

function managedOptions({ options, req, query }: Call): WriteOptions {
  const write = writeOptions(query, req.headers['if-match'], options.origins?.of(req));
  return { ...write, fieldManager: managerOf(query, req.headers['user-agent']) };
}

/** An apply must name its manager: the name of a client does not tell two uses of it apart. */
function applyOptions(call: Call, name: string): WriteOptions {
  const { options, req, resource, query } = call;
  return {
    ...managedOptions(call),
    fieldManager: statedManager(query),
    forceConflicts: isTrue(query, 'force'),
    authorizeCreate: () => options.guard?.authorize(req, limitable(actionOn('create', resource, name))),
  };
}

async function remove(call: Call, name: string): Promise<void> {
  const { options, req, resource, query, converter } = call;
  const bytes = await options.bodies.read(req);
  const body =
    bytes.length === 0 ? undefined : await parseBody(bytes, options.bodies.formatOf(req), converter);
  const write = deleteOptions(query, req.headers['if-match'], body, options.origins?.of(req));
  // Removing finalizers is an update.
  if (write.forceFinalizers === true) options.guard?.authorize(req, actionOn('update', resource, name));
  const run = (all: DeleteOptions): Promise<RawWriteResult> => options.service.delete(resource, name, all);
  await sendResult(call, 200, await committed(call, write, run));
}

async function removeCollection(call: Call): Promise<void> {
  const { options, req, res, resource, namespace, query, converter } = call;
  const { service, bodies, guard, admit } = options;
  const matches = { ...readCollectionQuery(query), ...(namespace !== undefined && { namespace }) };
  const bytes = await bodies.read(req);
  const body = bytes.length === 0 ? undefined : await parseBody(bytes, bodies.formatOf(req), converter);
  const write = deleteOptions(query, undefined, body, options.origins?.of(req));
  if (write.forceFinalizers === true) guard?.authorize(req, actionOn('update', resource));
  const reading = readingOf(call, { verb: 'deletecollection', isNamed: false });
  // Selectors and the answer must not show more than a read. Without any right to read, all is deleted.
  const readable = reading.related?.get(resource);
  const isReader = readable !== undefined && readable.parts.length > 0;
  const scope = isReader ? bothScopes(reading.scope, readable) : reading.scope;
  const remove = (name: string) => committed(call, write, (all) => service.delete(resource, name, all));
  const deleted = await admit.run(req, res, (work) =>
    deleteCollection({ service, resource, options: matches, remove }, { ...reading, scope, work }),
  );
  sendValue(res, 200, deleted);
}

function partOfResult(result: RawWriteResult, resource: Resource, sub: WrittenPart): RawWriteResult {
  return sub === 'scale' && isScalable(resource) ? result.scaleOnly(resource) : result;
}

/** Runs a write with the rights of the request's sender. */
function committed<Options extends WriteOptions>(
  { options: { guard }, req }: Call,
  write: Options,
  run: (all: Options) => Promise<RawWriteResult>,
): Promise<RawWriteResult> {
  return guard === undefined ? run(write) : guard.write(req, write, run);
}

function sendResult(
  call: Call,
  status: number,
  { json, metadata, warnings }: RawWriteResult,
  headers?: Headers,
): MaybePromise<void> {
  const { req, res, resource } = call;
  addWarnings(res, warnings);
  const format = formatFor(req);
  const cut = metadataFor(req, resource)?.one(json);
  const shown = isStorageVersion(resource) ? (cut ?? defaultsFor(call)) : json;
  const tag = objectTag(metadata.resourceVersion, format, shown);
  return sendStored(call, status, cut ?? json, { format, tag, ...(headers && { headers }) });
}
