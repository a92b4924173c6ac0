import type { IncomingMessage } from 'node:http';
import { limitable, type Action } from '../../access/rules.js';
import { badRequest } from '../../errors.js';
import type { Resource } from '../../model/resource.js';
import { ALL_OBJECTS, hasDeletableCollections, type GeneratedSubresource } from '../../model/subresource.js';
import { getVerb, type NeededRights } from '../guards/access-guard.js';
import { isPage } from '../guards/pages.js';
import { isTrue, parseQuery } from '../routes/parameters.js';
import { decodeSegment, findNamespace, splitUrl, type FindModel } from '../routes/route.js';
import type { PlatformEndpoint } from './endpoint.js';
import { PLATFORM_ENDPOINTS } from './endpoints.js';

const HISTORY: GeneratedSubresource = 'history';
const OPEN = pathsWith({ right: 'everyone' });
const READ_BY_USERS = pathsWith({ right: 'user', method: 'GET' });
const POSTED_BY_USERS = pathsWith({ right: 'user', method: 'POST' });
/** Paths that need the right to another path, which is the value. */
const READ_AS: ReadonlyMap<string, string> = new Map(
  PLATFORM_ENDPOINTS.flatMap(({ path, right }) =>
    typeof right === 'object' ? [[path, right.path] as const] : [],
  ),
);

function pathsWith(wanted: Partial<Pick<PlatformEndpoint, 'right' | 'method'>>): ReadonlySet<string> {
  const { right, method } = wanted;
  const found = PLATFORM_ENDPOINTS.filter(
    (one) => one.right === right && (method === undefined || one.method === method),
  );
  return new Set(found.map(({ path }) => path));
}

/** The rights that requests need, by the records of endpoints and the served models. */
export function neededRights(findModel: FindModel): NeededRights {
  return { isOpen, findAction: (method, url) => findAction(method, url, findModel) };
}

/** Browsers cannot send a token for a URL that a person types, so a page itself has a field for it. */
function isOpen(req: IncomingMessage): boolean {
  return OPEN.has(splitUrl(req.url ?? '').path) || isPage(req);
}

/**
 * The action of a request. Paths below a group and a version are resources, generated or a plugin's own; `GET` of a
 * collection is `list`. Undefined for endpoints that every user may use.
 * @throws ServiceError `BadRequest` for an ambiguous URL
 */
export function findAction(method: string, url: string, findModel: FindModel): Action | undefined {
  const { path, search } = splitUrl(url);
  if (!path.startsWith('/')) throw badRequest('the request must name a path, not a whole URL');
  const verb = getVerb(method);
  if (verb === 'get' ? READ_BY_USERS.has(path) : method === 'POST' && POSTED_BY_USERS.has(path))
    return undefined;
  const place = findPlace(path, findModel);
  // Another method of such a path is refused to every user.
  if (place === undefined)
    return POSTED_BY_USERS.has(path)
      ? undefined
      : { verb: method.toLowerCase(), path: READ_AS.get(path) ?? path };
  const model = findModel(place.group, place.version, place.resource);
  const action = actionAt(verb, place, model, search);
  return model === undefined ? action : limitable(action);
}

function actionAt(verb: string, place: Place, model: Resource | undefined, search: string): Action {
  const isCollection = place.name === undefined && model !== undefined && hasDeletableCollections(model);
  if (verb !== 'get')
    return { verb: verb === 'delete' && isCollection ? 'deletecollection' : verb, ...place };
  const isModel = model !== undefined;
  const { name, ...rest } = place;
  if (isModel && name === ALL_OBJECTS && place.subresource === HISTORY) return { verb: 'list', ...rest };
  const isGenerated = isModel && place.subresource === undefined;
  if (isGenerated && isTrue(parseQuery(search), 'watch')) return { verb: 'watch', ...place };
  return { verb: name === undefined ? 'list' : 'get', ...place };
}

interface Place {
  readonly group: string;
  readonly version: string;
  readonly namespace?: string;
  readonly resource: string;
  readonly name?: string;
  /** The path after the name. */
  readonly subresource?: string;
}

/** Undefined for a path that is not a resource. A slash at the end changes nothing. */
function findPlace(path: string, findModel: FindModel): Place | undefined {
  const clean = path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  const segments = clean.split('/');
  const [root, ...rest] = path.includes('%') ? segments.map(decodeSegment) : segments;
  if (root !== 'api' && root !== 'apis') return undefined;
  const [group = '', version = '', ...all] = root === 'api' ? ['', ...rest] : rest;
  const namespace = findNamespace(group, version, all, findModel);
  const [resource, name, ...below] = namespace === undefined ? all : all.slice(2);
  if (resource === undefined) return undefined;
  if (path.includes('%') && rest.some((segment) => segment.includes('/')))
    throw badRequest('a segment of the path must not hold a slash');
  return {
    group,
    version,
    ...(namespace !== undefined && { namespace }),
    resource,
    ...(name !== undefined && { name }),
    ...(below.length > 0 && { subresource: below.join('/') }),
  };
}
