import { formatExcerpt, getMessage, hasCode, type ServiceError } from '../errors.js';
import { LogLimit } from '../lib/log/log-limit.js';
import type { Logger } from '../lib/log/logger.js';
import { SYSTEM_CLOCK } from '../lib/time/clock.js';
import { fullName } from '../model/full-name.js';
import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import { EXPIRY } from '../model/system-users.js';
import type { CheckedWrite } from '../owners/writer.js';
import { getSubject } from '../service/object-errors.js';
import type { Service } from '../service/service.js';

const LINES_PER_MINUTE = 10;

/** Called with an object that has expired and cannot be deleted now, and with the reason. */
export type OnBlocked = (object: ExtensionObject, reason: string) => void;

export interface DeletionsOptions {
  readonly service: Service;
  readonly logger: Logger;
  readonly admit: CheckedWrite;
  readonly onBlocked: OnBlocked;
}

/** Deletes expired objects, each only in the state in which it was read. */
export class Deletions {
  readonly #log = new LogLimit(SYSTEM_CLOCK, LINES_PER_MINUTE);

  constructor(private readonly options: DeletionsOptions) {}

  /**
   * Deletes objects of a model, in one commit when none is refused. Those with finalizers are marked. Never throws.
   * @returns the objects that have changed since they were read: they may expire at another time now
   */
  async deleteAll(resource: Resource, objects: readonly ExtensionObject[]): Promise<ExtensionObject[]> {
    const { service, admit } = this.options;
    const unmarked = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const items = unmarked.map(({ metadata }) => {
      const preconditions = { resourceVersion: metadata.resourceVersion };
      return { verb: 'delete' as const, resource, name: fullName(resource, metadata), preconditions };
    });
    try {
      if (items.length > 0) await admit((admission) => service.batch(items, { user: EXPIRY, admission }));
    } catch {
      return this.#deleteEach(resource, objects);
    }
    for (const object of objects) this.#reportFinalizers(object);
    return [];
  }

  async #deleteEach(resource: Resource, objects: readonly ExtensionObject[]): Promise<ExtensionObject[]> {
    const changed: ExtensionObject[] = [];
    for (const object of objects) {
      try {
        await this.#delete(resource, object);
        this.#reportFinalizers(object);
      } catch (error) {
        if (hasCode(error, 'NotFound', 'PreconditionFailed')) changed.push(object);
        else if (isRefusal(error)) this.options.onBlocked(object, error.message);
        else this.#warn(resource, object, error);
      }
    }
    return changed;
  }

  async #delete(resource: Resource, { metadata }: ExtensionObject): Promise<void> {
    const { service, admit } = this.options;
    if (metadata.deletionTimestamp !== undefined) return;
    const asRead = { user: EXPIRY, ifMatch: [metadata.resourceVersion] };
    const name = fullName(resource, metadata);
    await admit((admission) => service.delete(resource, name, { ...asRead, admission }));
  }

  #reportFinalizers(object: ExtensionObject): void {
    const { finalizers = [] } = object.metadata;
    if (finalizers.length === 0) return;
    this.options.onBlocked(
      object,
      `the deletion waits for finalizers: ${formatExcerpt(finalizers.join(', '))}`,
    );
  }

  #warn(resource: Resource, { metadata }: ExtensionObject, error: unknown): void {
    const subject = getSubject(resource, fullName(resource, metadata));
    this.#log.write((heldBack) =>
      this.options.logger.warn(
        `cannot delete ${subject}, which has expired; it will be retried: ${getMessage(error)}`,
        heldBack > 0 ? { heldBack } : {},
      ),
    );
  }
}

/** True for the refusal of a deletion, which concerns the object. */
function isRefusal(error: unknown): error is ServiceError {
  return hasCode(error, 'Forbidden') || (hasCode(error, 'Conflict') && error.details.name !== undefined);
}
