import { ERROR_CODES, ServiceError, type Cause, type CauseReason, type ErrorCode } from '../errors.js';
import { isRecord } from '../lib/json/json.js';

const CAUSE_REASONS: readonly CauseReason[] = [
  'FieldValueRequired',
  'FieldValueInvalid',
  'FieldValueDuplicate',
  'FieldValueNotSupported',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueNotFound',
];

const CODE_OF_STATUS: ReadonlyMap<number, ErrorCode> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [408, 'Timeout'],
  [409, 'Conflict'],
  [410, 'Expired'],
  [412, 'PreconditionFailed'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [502, 'ServiceUnavailable'],
  [503, 'ServiceUnavailable'],
  [504, 'OutcomeUnknown'],
]);

/**
 * The error of an answer. A `Status` body gives the error of the service; any other body, for instance of a proxy,
 * gives an error with the HTTP status.
 */
export function getError(url: string, status: number, body: string, retryAfter: string | null): ServiceError {
  const retry =
    retryAfter !== null && /^\d+$/.test(retryAfter) ? { retryAfterSeconds: Number(retryAfter) } : {};
  const answer = parse(body);
  if (!isRecord(answer) || answer.kind !== 'Status') {
    return new ServiceError(
      CODE_OF_STATUS.get(status) ?? 'InternalError',
      `${url} answered ${status}`,
      retry,
    );
  }
  const code =
    ERROR_CODES.find((known) => known === answer.reason) ?? CODE_OF_STATUS.get(status) ?? 'InternalError';
  const message = typeof answer.message === 'string' ? answer.message : `${url} answered ${status}`;
  const details = isRecord(answer.details) ? answer.details : {};
  const causes = Array.isArray(details.causes) ? details.causes.flatMap(getCause) : [];
  return new ServiceError(code, message, {
    ...textMember(details, 'group'),
    ...textMember(details, 'kind'),
    ...textMember(details, 'name'),
    ...(causes.length === 0 ? {} : { causes }),
    ...retry,
  });
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
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
