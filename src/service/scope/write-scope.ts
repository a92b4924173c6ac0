import type { ServiceError } from '../../errors.js';
import type { Resource } from '../../model/resource.js';
import type { ObjectScope } from './object-scope.js';

/** The objects and fields that the sender of a write may change, and those that it may see. */
export interface WriteScope {
  /** Undefined: all. */
  readonly writable: ObjectScope | undefined;
  /** Other fields stay as they are where the write does not state them. Undefined: all are seen. */
  readonly seen: ObjectScope | undefined;
  /** The fields of an object outside of `seen` that the sender sees, in addition to those that identify it. */
  readonly seenOutside: readonly string[];
  /** True for a write that states whole objects, with the fields that its sender does not see. Absent: false. */
  readonly statesAll?: boolean;
  /** The error of a write that is not allowed. */
  refuse(reason: string): ServiceError;
}

/** A write that is judged. */
export interface ScopedWrite {
  readonly verb: string;
  readonly subresource?: string | undefined;
}

/**
 * The scope of a write; undefined for a write without limits.
 * @param model in the version of the write
 */
export type FindWriteScope = (write: ScopedWrite, model: Resource) => WriteScope | undefined;
