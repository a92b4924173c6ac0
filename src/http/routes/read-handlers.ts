import { randomUUID } from 'node:crypto';
import { badRequest, ServiceError } from '../../errors.js';
import { mapMaybe, type MaybePromise } from '../../lib/work/maybe-promise.js';
import { rightsChanged } from '../../access/guarded-verbs.js';
import type { ScopedAccess } from '../../access/limits/sender-scopes.js';
import { splitFullName } from '../../model/full-name.js';
import { getPath, isStorageVersion } from '../../model/resource.js';
import { checkScaled, isScalable, scaleOf } from '../../model/scale.js';
import { ALL_OBJECTS } from '../../model/subresource.js';
import { EXPLANATION_TYPE } from '../../openapi/media-types.js';
import type { ListOptions } from '../../query/list-options.js';
import { readListQuery } from '../../query/list-request.js';
import { LongObjects } from '../../service/read/listed-objects.js';
import type { RawList } from '../../service/read/list.js';
import type { RawObject } from '../../service/service.js';
import { parseObject } from '../../store/object-record.js';
import { readRevision } from '../../service/read/history.js';
import { hidesFields, type ObjectScope } from '../../service/scope/object-scope.js';
import type { HistoryPage, ModelHistoryOptions, ModelHistoryPage, WrittenPart } from '../../service/verbs.js';
import { isKnown, listTag, objectTag, rowTag } from '../answer/entity-tag.js';
import { sendList, STALL_MS } from '../answer/list/list-response.js';
import { isTrue, single, type Query } from './parameters.js';
import {
  addWarnings,
  formatFor,
  sendAs,
  sendNotModified,
  sendStored,
  sendValue,
  sendWithTurn,
} from '../answer/respond.js';
import { nameModelRoute } from '../metrics/request-metrics.js';
import { metadataFor, metadataOfListFor } from './metadata-shape.js';
import { checkReading, isExact, isExpanded } from './reading.js';
import { tableFor } from './table.js';
import { sendWatch, type WatchCall } from './watch.js';
import { defaultsFor, readingOf, type Call } from './call.js';

const LIST: ScopedAccess = { verb: 'list', isNamed: false };
const GET: ScopedAccess = { verb: 'get', isNamed: true };

export async function list(call: Call): Promise<void> {
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
  // Not cached: rows, whose ages change; YAML, whose writing is the slow part; and other rare forms.
  if (form !== undefined || hasIncluded || at !== undefined || formatFor(req) === 'yaml') {
    const list = await run(req, res, (work) =>
      service.listRaw(resource, listOptions(call), { at, ...reading, work }),
    );
    if (isListKnown(call, list, isKept)) return;
    await sendList(req, res, list, { stallMs, converter, table, metadata });
    slowLists.note(list, began);
    return;
  }
  const request = `${getPath(resource, namespace)}?${search}#${reading.scope?.key ?? ''}`;
  const cachedBody = isKept ? await lists.find(request, await service.store.stamp()) : undefined;
  if (cachedBody !== undefined) {
    sendWithTurn(res, 200, { format: 'json', body: cachedBody });
    return;
  }
  // The read of the stamp has already brought the local state up to date.
  const freshness = isKept ? 'local' : 'latest';
  const list = await run(req, res, (work) =>
    service.listRaw(resource, listOptions(call), { freshness, keep: isKept, ...reading, work }),
  );
  const body = await sendList(req, res, list, { stallMs, converter });
  slowLists.note(list, began);
  if (body !== undefined && list.kept !== undefined)
    lists.put(request, { page: list.kept, stamp: list.stamp, body });
}

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

export function get(call: Call, name: string, sub: WrittenPart): MaybePromise<void> {
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
    const state = isWhole ? defaultsFor(call) : json;
    const tag = row === undefined ? objectTag(revision, format, state) : rowTag(revision, row);
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

export async function getScale(call: Call, name: string): Promise<void> {
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

export async function history(call: Call, full: string): Promise<void> {
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
