import type { Allowance } from '../../../lib/work/allowance.js';
import type { ModelView } from '../../read/view.js';
import type { DeleteOptions, ResourceRef, WrittenPart } from '../../verbs.js';

/** An object as JSON, in the version of the request; for the subresource `scale`, a `Scale`. */
export type ReviewedObject = Readonly<Record<string, unknown>>;

export type WriteOperation = 'CREATE' | 'UPDATE' | 'DELETE';

/** A write before it is prepared. */
export interface UnpreparedWrite {
  /** Those that it may become. */
  readonly operations: readonly WriteOperation[];
  readonly resource: ResourceRef;
  readonly subresource: WrittenPart;
}

/** A write of one object, for those who are asked before its commit. */
export interface ReviewedWrite {
  readonly operation: WriteOperation;
  /** In the version of the request. */
  readonly model: ModelView;
  readonly subresource: WrittenPart;
  /** Empty for a name that is not generated yet. */
  readonly name: string;
  readonly namespace: string | undefined;
  /** As the write would leave it; undefined for a deletion. */
  readonly object: ReviewedObject | undefined;
  /** Undefined for a create. */
  readonly oldObject: ReviewedObject | undefined;
  readonly options: DeleteOptions;
  /** The work that the request may cause, with all who are asked about it. */
  readonly allowance: Allowance;
}

/** The result for a write that reviewers may change. */
export interface Mutation {
  /** Undefined when nobody changed the object. */
  readonly object: ReviewedObject | undefined;
  readonly warnings: readonly string[];
}

/** Those who may change or refuse writes before their commit. They are asked outside of transactions, and may be slow. */
export interface Reviewers {
  /** True when somebody may have to be asked about a write. Every write calls it. */
  concerns(write: UnpreparedWrite): boolean;
  /**
   * Asks those who may change the object. It has its defaults, but need not be valid.
   * @throws ServiceError of a refusal
   */
  mutate(write: ReviewedWrite): Promise<Mutation>;
  /**
   * Asks those who may only refuse the write.
   * @returns warnings
   * @throws ServiceError of a refusal
   */
  validate(write: ReviewedWrite): Promise<readonly string[]>;
}
