import { getMessage, hasCode } from '../errors.js';
import { SYSTEM_CLOCK } from '../lib/time/clock.js';
import { LogLimit } from '../lib/log/log-limit.js';
import type { Logger } from '../lib/log/logger.js';
import { fullName } from '../model/full-name.js';
import type { ExtensionObject, OwnerReference } from '../model/object.js';
import type { PropagationPolicy } from '../model/owner-references.js';
import { modelKey, type Resource } from '../model/resource.js';
import { COLLECTOR } from '../model/system-users.js';
import { getSubject } from '../service/object-errors.js';
import type { Service } from '../service/service.js';
import type { CommitCheck } from '../service/verbs.js';

/** Most concurrent writes: commits that run together share the wait for the disk. */
const CONCURRENT_MAX = 64;
const LINES_PER_MINUTE = 10;

/** A write of an object as it was read. */
export interface PlannedWrite {
  readonly resource: Resource;
  readonly object: ExtensionObject;
  readonly change:
    | { readonly kind: 'delete'; readonly policy: PropagationPolicy | undefined }
    | { readonly kind: 'owners'; readonly owners: readonly OwnerReference[] }
    | { readonly kind: 'finalizers'; readonly finalizers: readonly string[] };
}

export interface ObjectName {
  /** See `modelKey`. */
  readonly model: string;
  /** The full name. */
  readonly name: string;
}

/** Runs a write with a check of its commit, see `WriteOptions.admission`. */
export type CheckedWrite = (
  write: (admission: CommitCheck | undefined) => Promise<unknown>,
) => Promise<unknown>;

/** For a service without authorization. */
export const ADMIT_ALL: CheckedWrite = (write) => write(undefined);

/** Writes for the collector: each object only in the state that the decision was based on. */
export class CollectorWriter {
  /** Number of objects that were removed, or marked. */
  deleted = 0;
  readonly #log = new LogLimit(SYSTEM_CLOCK, LINES_PER_MINUTE);

  constructor(
    private readonly service: Pick<Service, 'delete' | 'patch'>,
    private readonly logger: Logger,
    private readonly admit: CheckedWrite,
    /** Called with an object that could not be written and must be checked again. */
    private readonly onFailed: (object: ObjectName) => void,
  ) {}

  async writeAll(writes: readonly PlannedWrite[]): Promise<void> {
    for (let at = 0; at < writes.length; at += CONCURRENT_MAX)
      await Promise.all(writes.slice(at, at + CONCURRENT_MAX).map((one) => this.write(one)));
  }

  /** @returns true when it was written */
  async write(planned: PlannedWrite): Promise<boolean> {
    const { resource, object } = planned;
    const name = fullName(resource, object.metadata);
    try {
      await this.admit((admission) => this.#do(planned, admission));
      if (planned.change.kind === 'delete') this.deleted += 1;
      return true;
    } catch (error) {
      // Not found: it is gone, or this process cannot read the newest commit for a moment.
      this.onFailed({ model: modelKey(resource), name });
      if (!hasCode(error, 'PreconditionFailed', 'NotFound'))
        this.#log.write((heldBack) =>
          this.logger.warn(
            `garbage collection of ${getSubject(resource, name)} failed and will be retried: ${getMessage(error)}`,
            heldBack > 0 ? { heldBack } : {},
          ),
        );
      return false;
    }
  }

  async #do(
    { resource, object: { metadata }, change }: PlannedWrite,
    admission: CommitCheck | undefined,
  ): Promise<void> {
    const { uid, resourceVersion } = metadata;
    const name = fullName(resource, metadata);
    const asRead = { user: COLLECTOR, ifMatch: [resourceVersion], admission };
    if (change.kind === 'delete') {
      const { policy } = change;
      const policies = policy === undefined ? {} : { propagationPolicy: policy };
      await this.service.delete(resource, name, { ...asRead, ...policies, preconditions: { uid } });
      return;
    }
    const part =
      change.kind === 'owners'
        ? { ownerReferences: orNone(change.owners) }
        : { finalizers: orNone(change.finalizers) };
    await this.service.patch(resource, name, { metadata: part }, 'merge', asRead);
  }
}

function orNone<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list;
}
