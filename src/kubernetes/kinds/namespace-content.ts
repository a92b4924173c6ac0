import { getMessage } from '../../errors.js';
import { deepEqual, isRecord } from '../../lib/json/json.js';
import { isNamespaced } from '../../model/full-name.js';
import type { ExtensionObject } from '../../model/object.js';
import { modelKey, qualifiedPlural, type Resource } from '../../model/resource.js';
import { inOneVersion } from '../../model/resolve-resource.js';
import { NAMESPACE_CLEANER } from '../../model/system-users.js';
import { formatTimestamp } from '../../model/timestamp.js';
import type { CheckedWrite } from '../../owners/writer.js';
import type { Service } from '../../service/service.js';
import type { CommitCheck } from '../../service/verbs.js';
import { Attempts } from '../attempts.js';
import { whileStored } from '../while-stored.js';
import { deleteMatches, type DeleteMatchesOptions } from './delete-matches.js';
import { CONTENT_FINALIZER, specFinalizers } from './namespace.js';

/** Namespaces that are deleted at a time: they share commits. */
const CONCURRENT_MAX = 16;
/** Objects that are read for the finalizers that remain. */
const LOOKED_AT = 500;
/** Clients look at Events after the end of other objects, and at Leases until the end of their holders. */
const LAST: readonly string[] = ['/Event', 'coordination.k8s.io/Lease'];

/** The objects of a kind that a deleted namespace still has. */
interface Remainder {
  readonly resource: Resource;
  readonly objects: number;
  readonly finalizers: readonly string[];
  /** The error of their deletion. */
  readonly failure?: string;
}

export interface NamespaceContentOptions {
  readonly service: Service;
  readonly namespaces: Resource;
}

/**
 * Deletes the objects of deleted namespaces, then the namespaces. Each step depends only on the stored state, so the work
 * can be interrupted anywhere.
 */
export class NamespaceContent {
  constructor(private readonly options: NamespaceContentOptions) {}

  /**
   * Does the work that is possible now.
   * @throws the first failure, after the work on all namespaces
   */
  async finishAll(write: CheckedWrite, signal: AbortSignal): Promise<void> {
    const { service, namespaces } = this.options;
    const ended = await service.list(namespaces, { fieldSelector: 'metadata.deletionTimestamp' });
    const waiting = ended.items.filter((one) => specFinalizers(one).includes(CONTENT_FINALIZER));
    const attempts = new Attempts();
    const finish = (namespace: ExtensionObject): Promise<unknown> => {
      const admit = whileStored(write, service, namespaces, namespace);
      return attempts.run(() => admit((admission) => this.#finish(namespace, signal, admission)));
    };
    for (let at = 0; at < waiting.length && !signal.aborted; at += CONCURRENT_MAX)
      await Promise.all(waiting.slice(at, at + CONCURRENT_MAX).map(finish));
    attempts.end();
  }

  async #finish(
    namespace: ExtensionObject,
    signal: AbortSignal,
    admission: CommitCheck | undefined,
  ): Promise<void> {
    const { service, namespaces } = this.options;
    const { name } = namespace.metadata;
    const by = { user: NAMESPACE_CLEANER, admission };
    const remaining: Remainder[] = [];
    for (const resource of this.#kinds()) {
      if (signal.aborted) return;
      const left = await this.#deleteAll(resource, name, { ...by, signal });
      if (left !== undefined) remaining.push(left);
    }
    if (remaining.length > 0) {
      const status = this.#statusWith(namespace, remaining);
      if (!deepEqual(status, namespace.status))
        await service.update(namespaces, name, { ...namespace, status }, by, 'status');
      return;
    }
    const finalizers = specFinalizers(namespace).filter((one) => one !== CONTENT_FINALIZER);
    await service.update(namespaces, name, { ...namespace, spec: { finalizers } }, by, 'finalize');
  }

  /** All kinds in namespaces, those of {@link LAST} at the end. */
  #kinds(): readonly Resource[] {
    const kinds = inOneVersion(this.options.service.models.list().filter(isNamespaced));
    const place = (resource: Resource): number => LAST.indexOf(modelKey(resource));
    return [...kinds].sort((a, b) => place(a) - place(b));
  }

  /** @returns undefined when no object is left */
  async #deleteAll(
    resource: Resource,
    namespace: string,
    options: DeleteMatchesOptions,
  ): Promise<Remainder | undefined> {
    const { service } = this.options;
    let failure: string | undefined;
    try {
      const fieldSelector = '!metadata.deletionTimestamp';
      await deleteMatches(service, resource, { namespace, fieldSelector }, options);
    } catch (error) {
      failure = getMessage(error);
    }
    const { items, metadata } = await service.list(resource, { namespace, limit: LOOKED_AT });
    if (items.length === 0) return undefined;
    const objects = items.length + (metadata.remainingItemCount ?? 0);
    const finalizers = [...new Set(items.flatMap((one) => one.metadata.finalizers ?? []))].sort();
    return { resource, objects, finalizers, ...(failure !== undefined && { failure }) };
  }

  /** The status with conditions about what is left. */
  #statusWith({ status }: ExtensionObject, remaining: readonly Remainder[]): object {
    const before = isRecord(status) ? status : {};
    const old = (Array.isArray(before.conditions) ? before.conditions : []).filter(isRecord);
    const now = formatTimestamp({ origin: 'core' }, this.options.service.now());
    const conditions = conditionsOf(remaining).map((condition) => {
      const same = old.find(({ type, status: was }) => type === condition.type && was === condition.status);
      return { ...condition, lastTransitionTime: same?.lastTransitionTime ?? now };
    });
    return { ...before, conditions };
  }
}

function conditionsOf(remaining: readonly Remainder[]) {
  const failed = remaining.filter(({ failure }) => failure !== undefined);
  const held = remaining.filter(({ finalizers }) => finalizers.length > 0);
  return [
    condition(
      'NamespaceDeletionContentFailure',
      'ContentDeletionFailed',
      failed,
      ({ failure = '' }) => failure,
    ),
    condition(
      'NamespaceContentRemaining',
      'SomeResourcesRemain',
      remaining,
      ({ objects }) => `${objects} left`,
    ),
    condition('NamespaceFinalizersRemaining', 'SomeFinalizersRemain', held, ({ finalizers }) =>
      finalizers.join(', '),
    ),
  ].flat();
}

/** A condition that names each kind; none without kinds. */
function condition(
  type: string,
  reason: string,
  about: readonly Remainder[],
  describe: (one: Remainder) => string,
) {
  if (about.length === 0) return [];
  const message = about.map((one) => `${qualifiedPlural(one.resource)}: ${describe(one)}`).join('; ');
  return [{ type, status: 'True', reason, message }];
}
