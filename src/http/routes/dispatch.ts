import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest } from '../../errors.js';
import { mapMaybe, type MaybePromise } from '../../lib/work/maybe-promise.js';
import { isEverything } from '../../access/last-admin.js';
import { OWN_TOKENS } from '../../access/identity/own-tokens.js';
import { mayReadOwned } from '../../access/ownership.js';
import { fullName, isNamespaced } from '../../model/full-name.js';
import type { Resource } from '../../model/resource.js';
import { isScalable } from '../../model/scale.js';
import {
  ALL_OBJECTS,
  hasDeletableCollections,
  isGeneratedSubresource,
  type GeneratedSubresource,
} from '../../model/subresource.js';
import { objectNotFound } from '../../service/object-errors.js';
import type { WrittenPart } from '../../service/verbs.js';
import { EventBudget } from '../guards/event-budget.js';
import { senderReader } from '../admission/sender.js';
import { refuseMethod } from '../guards/methods.js';
import type { Converter } from '../answer/converter.js';
import { unknownParameters, type ParameterUse } from './known-parameters.js';
import { ListCache } from '../answer/list/list-cache.js';
import { SlowLists } from '../answer/list/slow-lists.js';
import { isTrue, parseQuery, type Query } from './parameters.js';
import { addWarnings, alwaysWarn, sendError } from '../answer/respond.js';
import { generatedVerb, nameModelRoute } from '../metrics/request-metrics.js';
import { parsePath, splitUrl, type FindModel, type ResourcePath } from './route.js';
import { getDeprecation } from './deprecation.js';
import type { Call, DispatchOptions } from './call.js';
import { get, getScale, history, list } from './read-handlers.js';
import { create, patch, remove, removeCollection, update } from './write-handlers.js';

/** Longest accepted path and query, in characters. */
export const URL_LENGTH_MAX = 64 * 1024;

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
