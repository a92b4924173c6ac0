import { badRequest } from '../errors.js';

/** One part of a route's path: a fixed text, or a variable that matches any text. */
export type Segment = { readonly text: string } | { readonly variable: string };

const VARIABLE = /^(?:\{([A-Za-z_][\w-]*)\}|:([A-Za-z_]\w*))$/;
/** Characters that are not allowed in the parts of a declared path; `{`, `}` and `*` would be patterns. */
const FORBIDDEN = /[{}*?#%\\\s]/;

/**
 * Parses the path of a route: `/persons/{name}` or `/persons/:name`. The empty path and `/` are the base itself; a slash at the end
 * is ignored.
 * @param where names the route in messages
 * @throws ServiceError `BadRequest` for a path without a slash at its start, with an empty segment, a wildcard, a variable that is
 *   not a whole segment, or the same variable twice
 */
export function parseRoutePath(path: unknown, where: string): readonly Segment[] {
  if (typeof path !== 'string') throw badRequest(`${where}: the path must be text, got ${typeof path}`);
  if (path === '' || path === '/') return [];
  const fail = (problem: string): Error => badRequest(`${where}: the path "${path}" ${problem}`);
  if (!path.startsWith('/')) throw fail('must begin with a slash');
  const clean = path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  const segments = clean.split('/').map((text) => parseSegment(text, fail));
  const names = getVariables(segments);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw fail(`has the variable "${twice}" twice`);
  return segments;
}

function parseSegment(text: string, fail: (problem: string) => Error): Segment {
  const [, braced, colon] = VARIABLE.exec(text) ?? [];
  const variable = braced ?? colon;
  if (variable !== undefined) return { variable };
  if (text === '') throw fail('has an empty segment');
  if (text === '.' || text === '..') throw fail(`has the segment "${text}", which clients remove from URLs`);
  if (text.includes('*')) throw fail('has a wildcard; a route matches paths of one length only');
  if (FORBIDDEN.test(text) || text.startsWith(':')) {
    throw fail(
      `has the segment "${text}"; a variable is a whole segment such as {name}, other segments are plain text`,
    );
  }
  return { text };
}

/** Formats a path with a slash at its start and `{name}` variables; `/` for no segments. */
export function formatRoutePath(segments: readonly Segment[]): string {
  return `/${segments.map((one) => ('text' in one ? one.text : `{${one.variable}}`)).join('/')}`;
}

/** Names of the variables, in the order of the path. */
export function getVariables(segments: readonly Segment[]): string[] {
  return segments.flatMap((one) => ('variable' in one ? [one.variable] : []));
}

/**
 * Joins two paths.
 * @throws ServiceError `BadRequest` when either cannot be parsed, or both have a variable of the same name
 */
export function joinRoutePaths(base: string, path: string, where: string): string {
  const segments = [...parseRoutePath(base, where), ...parseRoutePath(path, where)];
  return formatRoutePath(parseRoutePath(formatRoutePath(segments), where));
}
