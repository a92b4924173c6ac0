import { badRequest, formatExcerpt } from '../../errors.js';
import { isNamespaced } from '../../model/full-name.js';
import type { Resource } from '../../model/resource.js';
import { GENERATED_SUBRESOURCES } from '../../model/subresource.js';

/** Splits a request's target into the path and the query, without the question mark. */
export function splitUrl(url: string): { readonly path: string; readonly search: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark + 1) };
}

/** Finds the model that is served at a path. */
export type FindModel = (group: string, version: string, plural: string) => Resource | undefined;

/** The path of a generated route: a model's objects, one object, or its subresource. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/**
 * Parses `/apis/<group>/<version>[/namespaces/<namespace>]/<plural>[/<name>[/<sub>]]` or `/api/<version>…`; undefined for
 * any other path. A slash at the end changes nothing.
 * @throws ServiceError `BadRequest` for a path that is not percent-encoded UTF-8
 */
export function parsePath(path: string, findModel: FindModel): ResourcePath | undefined {
  const clean = path.endsWith('/') ? path.slice(0, -1) : path;
  let segments = clean.split('/');
  const isGrouped = segments[1] === 'apis';
  if (!isGrouped && segments[1] !== 'api') return undefined;
  if (clean.includes('%')) segments = segments.map(decodeSegment);
  const group = isGrouped ? (segments[2] ?? '') : '';
  let at = isGrouped ? 3 : 2;
  const version = segments[at++] ?? '';
  const namespace =
    segments[at] === NAMESPACES ? findNamespace(group, version, segments.slice(at), findModel) : undefined;
  if (namespace !== undefined) at += 2;
  const plural = segments[at];
  if (plural === undefined || segments.length > at + 3) return undefined;
  return { group, version, namespace, plural, name: segments[at + 1], subresource: segments[at + 2] };
}

const NAMESPACES = 'namespaces';
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set([...GENERATED_SUBRESOURCES, 'finalize']);

/**
 * The namespace of a path below a group and a version: `namespaces/<namespace>/<plural>…`; undefined when it names an object
 * of a model `namespaces`.
 */
export function findNamespace(
  group: string,
  version: string,
  [first, namespace, plural]: readonly string[],
  findModel: FindModel,
): string | undefined {
  if (first !== NAMESPACES || plural === undefined || NAMESPACE_SUBRESOURCES.has(plural)) return undefined;
  // A group may have a model with this plural, and custom endpoints below its objects.
  const own = group === '' ? undefined : findModel(group, version, NAMESPACES);
  return own === undefined || isNamespaced(own) ? namespace : undefined;
}

/** @throws ServiceError `BadRequest` for text that is not percent-encoded UTF-8 */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`the path has a segment that is not percent-encoded UTF-8: ${formatExcerpt(segment)}`);
  }
}
