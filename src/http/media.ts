import { excerpt, ServiceError } from '../errors.js';

export type Format = 'json' | 'yaml';

const YAML_TYPES = new Set(['application/yaml', 'text/yaml', 'application/x-yaml']);

/** The type and subtype of a Content-Type or Accept member, lower case, without parameters. */
function essence(member: string): string {
  return (member.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/**
 * The format to answer in: YAML when the client prefers it to JSON (RFC 9110, quality values), else JSON,
 * also for clients that accept neither.
 */
export function preferredFormat(accept: string | undefined): Format {
  if (accept === undefined || !accept.includes('yaml')) return 'json';
  let best: Format = 'json';
  let quality = -1;
  for (const member of accept.split(',')) {
    const type = essence(member);
    const format = YAML_TYPES.has(type)
      ? 'yaml'
      : /^(application\/(json|\*)|\*\/\*)$/.test(type)
        ? 'json'
        : undefined;
    const q = Number(/;\s*q=([\d.]+)/i.exec(member)?.[1] ?? 1);
    if (format === undefined || q === 0 || q <= quality) continue;
    [best, quality] = [format, q];
  }
  return best;
}

/**
 * The format of a request's body. A request without a type has none to be read: JSON is as good as anything.
 * @throws ServiceError `UnsupportedMediaType`
 */
export function bodyFormat(contentType: string | undefined): Format {
  if (contentType === undefined) return 'json';
  const type = essence(contentType);
  const charset = /;\s*charset="?([^";]+)/i.exec(contentType)?.[1]?.trim().toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8' || charset === 'utf8') {
    if (type === 'application/json') return 'json';
    if (YAML_TYPES.has(type)) return 'yaml';
  }
  throw unsupportedType(contentType, 'application/json or application/yaml, in UTF-8');
}

/** The kind of patch that a body is. @throws ServiceError `UnsupportedMediaType` */
export function patchFormat(contentType: string | undefined): 'merge' | 'json' {
  const type = essence(contentType ?? '');
  if (type === 'application/merge-patch+json') return 'merge';
  if (type === 'application/json-patch+json') return 'json';
  const instead = 'application/merge-patch+json or application/json-patch+json';
  const hint = PATCH_HINTS.get(type);
  throw unsupportedType(contentType, hint === undefined ? instead : `${instead}; ${hint}`);
}

/** What to do instead, for patches that Kubernetes clients are used to. */
const PATCH_HINTS: ReadonlyMap<string, string> = new Map([
  [
    'application/strategic-merge-patch+json',
    'with kubectl patch, say --type merge or --type json, since lists of models have no merge keys',
  ],
  [
    'application/apply-patch+yaml',
    'nobody keeps track here of who set which field: with kubectl apply, leave --server-side out',
  ],
]);

/** @param what was sent, and is not accepted */
export function unsupported(what: string, accepted: string): ServiceError {
  return new ServiceError('UnsupportedMediaType', `${what} is not accepted here; send ${accepted}`);
}

function unsupportedType(type: string | undefined, accepted: string): ServiceError {
  const what = type === undefined ? 'a body without a Content-Type' : `content type "${excerpt(type)}"`;
  return unsupported(what, accepted);
}
