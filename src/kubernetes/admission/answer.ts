import { findCode } from '../../client/status.js';
import {
  CAUSE_REASONS,
  HTTP_STATUS,
  ERROR_CODES,
  getMessage,
  ServiceError,
  type Cause,
  type ErrorCode,
  type ErrorDetails,
} from '../../errors.js';
import { isRecord, parseJson, textOf } from '../../lib/json/json.js';

/** The answer of a webhook, which has accepted the write. */
export interface AdmissionAnswer {
  readonly warnings: readonly string[];
  /** A JSON patch; undefined for none. */
  readonly patch: unknown;
}

/** The review that a webhook was asked for. */
interface AskedReview {
  /** The name of the webhook. */
  readonly name: string;
  readonly uid: unknown;
  readonly isMutating: boolean;
  /** The object, for errors. */
  readonly details: ErrorDetails;
}

/** The webhook gave no usable answer. */
export class UnusableAnswer extends Error {}

const API_VERSION = 'admission.k8s.io/v1';
const KIND = 'AdmissionReview';

/**
 * Reads the review that a webhook answers.
 * @throws UnusableAnswer; ServiceError when it refuses the write
 */
export function readAnswer(
  { apiVersion, kind, response }: Readonly<Record<string, unknown>>,
  { name, uid, isMutating, details }: AskedReview,
): AdmissionAnswer {
  if (!isRecord(response)) throw unusable('webhook response was absent');
  if (response.uid !== uid)
    throw unusable(`expected response.uid="${String(uid)}", got ${JSON.stringify(response.uid ?? '')}`);
  if (apiVersion !== API_VERSION || kind !== KIND)
    throw unusable(
      `expected webhook response of ${API_VERSION}, Kind=${KIND}, got ${String(apiVersion)}, Kind=${String(kind)}`,
    );
  if (!isMutating) refusePatch(response);
  if (response.allowed !== true)
    throw refusalOf(name, isRecord(response.status) ? response.status : {}, details);
  const { warnings } = response;
  const texts = Array.isArray(warnings)
    ? warnings.filter((one): one is string => typeof one === 'string')
    : [];
  return { warnings: texts, patch: patchIn(response) };
}

function unusable(reason: string): UnusableAnswer {
  return new UnusableAnswer(`received invalid webhook response: ${reason}`);
}

function refusePatch({ patch, patchType }: Readonly<Record<string, unknown>>): void {
  if (isGiven(patch)) throw unusable('validating webhook may not return response.patch');
  if (isGiven(patchType)) throw unusable('validating webhook may not return response.patchType');
}

function patchIn({ patch, patchType }: Readonly<Record<string, unknown>>): unknown {
  if (!isGiven(patch) && !isGiven(patchType)) return undefined;
  if (!isGiven(patchType)) throw unusable('webhook returned response.patch but not response.patchType');
  if (!isGiven(patch)) throw unusable('webhook returned response.patchType but not response.patch');
  if (patchType !== 'JSONPatch')
    throw unusable(`webhook returned invalid response.patchType of ${JSON.stringify(patchType)}`);
  try {
    const operations = parseJson(Buffer.from(String(patch), 'base64'));
    if (Array.isArray(operations)) return operations.length === 0 ? undefined : operations;
    throw new Error('it is no list of operations');
  } catch (error) {
    throw new UnusableAnswer(`received undecodable patch in webhook response: ${getMessage(error)}`);
  }
}

/** An empty text stands for none. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** The error for the sender of a refused write, with what the webhook says in its `Status`. */
function refusalOf(
  webhook: string,
  status: Readonly<Record<string, unknown>>,
  subject: ErrorDetails,
): ServiceError {
  const { message, reason, details } = status;
  const code = codeOf(status);
  const told = [message, reason].map(textOf).find((one) => one !== '');
  const denied = `admission webhook "${webhook}" denied the request`;
  return new ServiceError(
    code,
    told === undefined ? `${denied} without explanation` : `${denied}: ${told}`,
    // Clients see the messages of internal errors about an object only.
    { ...(code === 'InternalError' && subject), ...(isRecord(details) && detailsOf(details)) },
  );
}

/** The code with the reason or the status of a refusal. Without an error in it, the request was a bad one. */
function codeOf({ code, reason }: Readonly<Record<string, unknown>>): ErrorCode {
  const status = typeof code === 'number' && code >= 400 ? code : 400;
  const stated = ERROR_CODES.find((one) => one === reason && HTTP_STATUS[one] === status);
  return stated ?? findCode(status) ?? (status < 500 ? 'BadRequest' : 'InternalError');
}

const DETAILS = ['group', 'kind', 'name'] as const;

function detailsOf(details: Readonly<Record<string, unknown>>): ServiceError['details'] {
  const named = DETAILS.flatMap((key) => {
    const value = details[key];
    return typeof value === 'string' && value !== '' ? [[key, value] as const] : [];
  });
  const causes = Array.isArray(details.causes) ? details.causes.filter(isRecord).map(causeOf) : [];
  return { ...Object.fromEntries(named), ...(causes.length > 0 && { causes }) };
}

function causeOf({ field, message, reason }: Readonly<Record<string, unknown>>): Cause {
  const known = CAUSE_REASONS.find((one) => one === reason) ?? 'FieldValueInvalid';
  return { field: textOf(field), message: textOf(message), reason: known };
}
