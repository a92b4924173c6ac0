import { CAUSE_REASONS, HTTP_STATUS, type Cause, type ErrorCode, type ErrorDetails } from '../errors.js';
import { isRecord } from '../lib/json/json.js';

const BAD_GATEWAY = 502;

/** The content of an error. */
export interface RequestFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: ErrorDetails;
}

/**
 * The failure of an answer. A `Status` gives the error of the service; any other content, for instance of a proxy, gives an error
 * with the HTTP status.
 */
export function getFailure(url: string, status: number, answer: unknown, retryAfter = ''): RequestFailure {
  const retry = /^\d+$/.test(retryAfter) ? { retryAfterSeconds: Number(retryAfter) } : {};
  const message = `${url} answered ${status}`;
  if (!isRecord(answer) || answer.kind !== 'Status') {
    return { code: codeOf(status), message, details: retry };
  }
  const details = isRecord(answer.details) ? answer.details : {};
  const causes = Array.isArray(details.causes) ? details.causes.flatMap(getCause) : [];
  return {
    code: isCode(answer.reason) ? answer.reason : codeOf(status),
    message: typeof answer.message === 'string' ? answer.message : message,
    details: {
      ...textMember(details, 'group'),
      ...textMember(details, 'kind'),
      ...textMember(details, 'name'),
      ...(causes.length === 0 ? {} : { causes }),
      ...retry,
    },
  };
}

function isCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(HTTP_STATUS, text);
}

function codeOf(status: number): ErrorCode {
  return status === BAD_GATEWAY ? 'ServiceUnavailable' : (findCode(status) ?? 'InternalError');
}

const CODES = Object.keys(HTTP_STATUS).filter(isCode);

/** The first error code of a status; undefined for other statuses. */
export function findCode(status: number): ErrorCode | undefined {
  return CODES.find((code) => HTTP_STATUS[code] === status);
}

/** Undefined for a text that is not JSON. */
export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function getCause(value: unknown): Cause[] {
  if (!isRecord(value) || typeof value.message !== 'string') return [];
  const reason = CAUSE_REASONS.find((known) => known === value.reason) ?? 'FieldValueInvalid';
  return [{ field: typeof value.field === 'string' ? value.field : '', reason, message: value.message }];
}

function textMember(
  details: Readonly<Record<string, unknown>>,
  member: 'group' | 'kind' | 'name',
): { group?: string; kind?: string; name?: string } {
  const value = details[member];
  return typeof value === 'string' ? { [member]: value } : {};
}
