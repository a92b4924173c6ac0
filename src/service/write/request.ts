import { ServiceError, type Cause } from '../../errors.js';
import { rewordedCause } from '../../model/validate/violation.js';
import { formatSize } from '../../lib/time/duration.js';
import { isHeavier, isRecord } from '../../lib/json/json.js';
import type { Allowance } from '../../lib/work/allowance.js';
import { ConversionError, RemoteConversionError } from '../../model/evolve/conversion.js';
import type { BatchItem, DeleteOptions, ResourceRef, WrittenPart } from '../verbs.js';
import { conversionCauses } from './conversion-causes.js';
import type { DeclareRequest } from './declare.js';
import type { RestoreRequest } from './restore.js';

/** A patch of a type that only requests for one object have. */
interface SinglePatch<Type> {
  readonly verb: 'patch';
  readonly resource: ResourceRef;
  readonly name: string;
  readonly patch: unknown;
  readonly type: Type;
}

/** One write of one object. */
export type WriteRequest =
  | ((BatchItem | SinglePatch<'strategic'> | SinglePatch<'apply'>) & { readonly subresource?: WrittenPart })
  | DeclareRequest
  | RestoreRequest;

/** @param position of the refused request */
export type OnFault = (refusal: ServiceError, position: number) => void;

/** Options of requests that are written in one commit, or not at all. */
export interface WriteRequestOptions extends DeleteOptions {
  /** Gets the refusal of each request that cannot be prepared. The write fails with the first one. */
  readonly onFault?: OnFault | undefined;
  /** Adds the request to an error. Default: the only request needs no name. */
  readonly locate?: (error: ServiceError, position: number) => ServiceError;
}

/** {@link WriteRequestOptions} of a write that has begun. */
export interface AllowedOptions extends WriteRequestOptions {
  readonly allowance: Allowance;
}

/** True for a patch that creates the object when it does not exist. */
export function isApply(request: WriteRequest): boolean {
  return request.verb === 'patch' && request.type === 'apply';
}

/** Larger objects are prepared outside the transaction, with breaks, and read in turns. The unit is values and characters, or bytes. */
export const LARGE = 64 * 1024;

/** @param storedBytes size of the stored object */
export function isLarge(request: WriteRequest, storedBytes = 0): boolean {
  if (storedBytes > LARGE) return true;
  if (request.verb === 'delete') return false;
  return isHeavier(getContent(request), LARGE);
}

function getContent(request: Exclude<WriteRequest, { verb: 'delete' }>): unknown {
  if (request.verb === 'patch') return request.patch;
  return request.verb === 'restore' ? request.state : request.object;
}

/** The name of the object, for messages. */
export function getRequestedName(request: WriteRequest): string {
  if ('name' in request) return request.name;
  const { object } = request;
  const { name } = isRecord(object) && isRecord(object.metadata) ? object.metadata : {};
  return typeof name === 'string' ? name : '';
}

/** @throws ServiceError `RequestEntityTooLarge` */
export function checkBytes(bytes: number, { bytesMax = Infinity }: WriteRequestOptions): void {
  if (bytes <= bytesMax) return;
  throw new ServiceError(
    'RequestEntityTooLarge',
    `the objects of the batch take more than ${formatSize(bytesMax)} together; send it in parts`,
  );
}

/**
 * The error for the sender of a request. An object that cannot be converted cannot be written; the fault may be that
 * of the program that converts it.
 */
export function refusalOfRequest(error: unknown, position: number, options: WriteRequestOptions): unknown {
  if (!(error instanceof ConversionError) || error instanceof RemoteConversionError)
    return locate(error, position, options);
  const causes = conversionCauses(error);
  return locate(new ServiceError('Invalid', error.message, { ...error.details, causes }), position, options);
}

/** Adds the request to an error. */
export function locate(error: unknown, position: number, options: WriteRequestOptions): unknown {
  return error instanceof ServiceError && options.locate !== undefined
    ? options.locate(error, position)
    : error;
}

/** The error of an item of a batch; its causes name the item. */
export function atItem(error: ServiceError, position: number): ServiceError {
  const own: readonly Cause[] = error.details.causes ?? [
    { field: 'metadata.name', reason: 'FieldValueInvalid', message: error.message },
  ];
  const causes = own.map((cause) => rewordedCause(cause, { field: `items[${position}].${cause.field}` }));
  return new ServiceError(error.code, `items[${position}]: ${error.message}`, { ...error.details, causes });
}
