import { badRequest, formatExcerpt } from '../../errors.js';

/** Splits a request's target into the path and the query, without the question mark. */
export function splitUrl(url: string): { readonly path: string; readonly search: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark + 1) };
}

/** The path of a generated route: a model's objects, one object, or its subresource. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/**
 * Parses `/apis/<group>/<version>/<plural>[/<name>[/<sub>]]` or `/api/<version>/<plural>…`; undefined for any other
 * path. A slash at the end changes nothing.
 * @throws ServiceError `BadRequest` for a path that is not percent-encoded UTF-8
 */
export function parsePath(path: string): ResourcePath | undefined {
  const clean = path.endsWith('/') ? path.slice(0, -1) : path;
  const segments = clean.split('/');
  let parts: string[];
  if (segments[1] === 'apis' && segments.length >= 5 && segments.length <= 7) parts = segments.slice(2);
  else if (segments[1] === 'api' && segments.length >= 4 && segments.length <= 6)
    parts = ['', ...segments.slice(2)];
  else return undefined;
  const [group = '', version = '', plural = '', name, subresource] = clean.includes('%')
    ? parts.map(decodeSegment)
    : parts;
  return { group, version, plural, name, subresource };
}

/** @throws ServiceError `BadRequest` for text that is not percent-encoded UTF-8 */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`the path has a segment that is not percent-encoded UTF-8: ${formatExcerpt(segment)}`);
  }
}
