import { formatExcerpt, ServiceError } from '../../errors.js';
import { negotiation, type Offers } from './accept.js';

export type Format = 'json' | 'yaml';

export const JSON_TYPE = 'application/json';
export const YAML_TYPES = ['application/yaml', 'text/yaml', 'application/x-yaml'] as const;

/** Formats of objects, lists and errors in both directions. */
const FORMATS = [
  [JSON_TYPE, 'json'],
  ...YAML_TYPES.map((type) => [type, 'yaml'] as const),
] as const satisfies Offers<Format>;

/**
 * The format of the answer: JSON for clients that prefer it or have no preference, and for clients that accept
 * neither format.
 */
export const preferredFormat = negotiation<Format>(FORMATS);

/** The type and subtype of a Content-Type, lower case, without parameters. */
function essence(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/**
 * Parses a whole body of a further format.
 * @throws ServiceError `BadRequest`, `UnsupportedMediaType`
 */
export type BodyParser = (bytes: Buffer) => unknown;

/** Parsers of further formats, by content types in lower case without parameters. */
export type BodyParsers = ReadonlyMap<string, BodyParser>;

/** The format of a body, or the parser of a further one. */
export type BodyFormat = Format | BodyParser;

/**
 * The format of a request's body. Without a type it is JSON: many clients of Kubernetes send none.
 * @throws ServiceError `UnsupportedMediaType`
 */
export function bodyFormat(contentType: string | undefined, parsers?: BodyParsers): BodyFormat {
  const type = essence(contentType ?? '');
  if (contentType === undefined || type === '') return 'json';
  const parser = parsers?.get(type);
  if (parser !== undefined) return parser;
  const charset = /;\s*charset="?([^";]+)/i.exec(contentType)?.[1]?.trim().toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8' || charset === 'utf8') {
    const known = FORMATS.find(([one]) => one === type);
    if (known !== undefined) return known[1];
  }
  throw unsupportedType(contentType, 'application/json or application/yaml, in UTF-8');
}

/**
 * The kind of a patch body.
 * @param takesStrategic true for a model that takes strategic merge patches
 * @throws ServiceError `UnsupportedMediaType`
 */
export function patchFormat(
  contentType: string | undefined,
  takesStrategic: boolean,
): 'merge' | 'json' | 'strategic' | 'apply' {
  const type = essence(contentType ?? '');
  if (takesStrategic && type === STRATEGIC_TYPE) return 'strategic';
  if (type === 'application/merge-patch+json') return 'merge';
  if (type === 'application/json-patch+json') return 'json';
  if (type === APPLY_TYPE) return 'apply';
  const instead = 'application/merge-patch+json, application/json-patch+json or application/apply-patch+yaml';
  const hint = PATCH_HINTS.get(type);
  throw unsupportedType(contentType, hint === undefined ? instead : `${instead}; ${hint}`);
}

/** The fields that a manager states, in YAML or JSON. */
export const APPLY_TYPE = 'application/apply-patch+yaml';

/** JSON is read faster by its own parser, and keeps its messages. */
export function formatOfApply(body: Buffer): Format {
  return /^\s*\{\s*["}]/.test(body.toString('latin1', 0, FIRST_CHARACTERS)) ? 'json' : 'yaml';
}

const FIRST_CHARACTERS = 200;

const STRATEGIC_TYPE = 'application/strategic-merge-patch+json';

/** Hints for patch types that Kubernetes clients use by default. */
const PATCH_HINTS: ReadonlyMap<string, string> = new Map([
  [
    STRATEGIC_TYPE,
    'with kubectl patch, use --type merge or --type json, because lists of models have no merge keys',
  ],
]);

/** @param what the sent type, which is not accepted */
export function unsupported(what: string, accepted: string): ServiceError {
  return new ServiceError('UnsupportedMediaType', `${what} is not accepted here; send ${accepted}`);
}

function unsupportedType(type: string | undefined, accepted: string): ServiceError {
  const what = type === undefined ? 'a body without a Content-Type' : `content type "${formatExcerpt(type)}"`;
  return unsupported(what, accepted);
}
