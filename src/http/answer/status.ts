import {
  HTTP_STATUS,
  formatExcerpt,
  shortPath,
  type Cause,
  type ErrorCode,
  type ServiceError,
} from '../../errors.js';
import { CAUSES_MAX } from '../../model/validate/validator.js';
import { NAME_LENGTH_MAX } from '../../model/names-and-labels.js';

/** The Kubernetes `Status` object, the form of all errors. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Record<string, never>;
  readonly status: 'Failure';
  readonly code: number;
  readonly reason: ErrorCode;
  readonly message: string;
  readonly details: {
    readonly group?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly causes: readonly Cause[];
  };
}

/**
 * An error's body stays below 4 KB with its head, so that clients and proxies accept it. Largest parts, in bytes of
 * JSON:
 */
const MESSAGE_BYTES_MAX = 1_400;
const NAME_BYTES_MAX = 260;
/** For message, names and all causes together, except the causes of an invalid object, which its author needs. */
const PARTS_BYTES_MAX = 3_380;
const CAUSE_LENGTH_MAX = 500;
/** Most causes of an invalid object in an answer. */
const VIOLATIONS_MAX = 200;

/** The error in the form for clients, with limited texts. */
export function getStatus(error: ServiceError): Status {
  const { group, kind, name, causes = [], isToldInFull = false } = error.details;
  const listed = causes.slice(0, VIOLATIONS_MAX).map(shortened);
  const text = isToldInFull ? error.message : fitted(error.message, MESSAGE_BYTES_MAX);
  const message = text + omittedText(causes.length);
  const names = [group, kind, name].map((text) => (text === undefined ? undefined : shortName(text)));
  const [shownGroup, shownKind, shownName] = names;
  const taken = [message, ...names].reduce((sum, text = '') => sum + getBytes(text), 0);
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: HTTP_STATUS[error.code],
    reason: error.code,
    message,
    details: {
      ...(shownGroup === undefined ? {} : { group: shownGroup }),
      ...(shownKind === undefined ? {} : { kind: shownKind }),
      ...(shownName === undefined ? {} : { name: shownName }),
      causes: error.code === 'Invalid' ? listed : takeFirstCauses(listed, PARTS_BYTES_MAX - taken),
    },
  };
}

/** The number of omitted causes, in words. Validation also stops at a number of causes. */
function omittedText(found: number): string {
  if (found <= VIOLATIONS_MAX) return '';
  const more = found - VIOLATIONS_MAX;
  const count = `${found >= CAUSES_MAX ? 'at least ' : ''}${more} more ${more === 1 ? 'is' : 'are'}`;
  return `; causes has the first ${VIOLATIONS_MAX}, ${count} left out`;
}

/** The name, shortened if it is too long to be valid. */
function shortName(name: string): string {
  return fitted(name.length > NAME_LENGTH_MAX ? formatExcerpt(name) : name, NAME_BYTES_MAX);
}

function shortened(cause: Cause): Cause {
  return { ...cause, field: shortPath(cause.field), message: formatExcerpt(cause.message, CAUSE_LENGTH_MAX) };
}

/** The first causes that fit. */
function takeFirstCauses(causes: readonly Cause[], bytesMax: number): readonly Cause[] {
  let bytes = 0;
  const past = causes.findIndex((cause) => (bytes += getBytes(cause)) > bytesMax);
  return past < 0 ? causes : causes.slice(0, past);
}

/** The beginning of a text that fits. */
function fitted(text: string, bytesMax: number): string {
  let shown = formatExcerpt(text, bytesMax);
  while (getBytes(shown) > bytesMax) shown = formatExcerpt(shown, Math.floor(shown.length * 0.8));
  return shown;
}

function getBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
