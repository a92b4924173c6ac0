import { formatExcerpt, getMessage, hasCode, type ServiceError } from '../errors.js';
import { LogLimit } from '../lib/log/log-limit.js';
import type { Logger } from '../lib/log/logger.js';
import { SYSTEM_CLOCK } from '../lib/time/clock.js';
import { workAfterChanges } from '../lib/work/after-changes.js';
import { fullName } from '../model/full-name.js';
import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import { EXPIRY } from '../model/system-users.js';
import type { CheckedWrite } from '../owners/writer.js';
import type { Service } from '../service/service.js';
import {
  expirationIndex,
  nextExpiration,
  readExpired,
  type ExpiringId,
} from '../store/index/expiration-index.js';
import { parseObject } from '../store/object-record.js';
import type { CurrentView } from '../store/store.js';
import type { Table } from '../store/table.js';
import { CautiousClock } from './cautious-clock.js';
import { Held } from './held.js';

/** Objects of one model in a turn: then come those of the other models. */
const TURN = 256;
/** Concurrent deletions: they share a commit, which blocks other requests for its duration. */
const CONCURRENT_MAX = 16;
/** Time in which further changes are collected, in milliseconds. */
const GATHER_MS = 500;
const LINES_PER_MINUTE = 10;

/** Called with an object that has expired and cannot be deleted now, and with the reason. */
export type OnBlocked = (object: ExtensionObject, reason: string) => void;

export interface ExpiryOptions {
  readonly service: Service;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly admit: CheckedWrite;
  readonly onBlocked: OnBlocked;
  /** The current time in milliseconds since 1970. Default: that of a {@link CautiousClock}. */
  readonly now?: () => number;
}

/**
 * Deletes objects soon after they have expired. All decisions depend on the stored state, so the work can be interrupted
 * anywhere.
 */
export class Expiry {
  readonly #held = new Held();
  readonly #log = new LogLimit(SYSTEM_CLOCK, LINES_PER_MINUTE);
  readonly #now: () => number;
  /** The time at which the next object expires. */
  #nextMs = Infinity;

  constructor(private readonly options: ExpiryOptions) {
    const clock = new CautiousClock();
    this.#now = options.now ?? (() => clock.now());
  }

  /** Ends when the signal is aborted; never throws. */
  run(): Promise<void> {
    const { service, logger, signal } = this.options;
    const getRestMs = (): number => Math.min(this.#nextMs - this.#now(), this.#held.restMs());
    return workAfterChanges(
      {
        store: service.store,
        logger,
        signal,
        purpose: 'delete expired objects',
        gatherMs: GATHER_MS,
        getRestMs,
      },
      () => this.#deleteAll(),
    );
  }

  async #deleteAll(): Promise<void> {
    let deleted = 0;
    for (let isMore = true; isMore;) {
      const turn = await this.#takeTurn();
      deleted += turn.deleted;
      isMore = turn.isMore && !this.options.signal.aborted;
    }
    if (deleted > 0) this.options.logger.info('deleted expired objects', { objects: deleted });
  }

  /** Deletes the first expired objects of each model. */
  async #takeTurn(): Promise<{ readonly deleted: number; readonly isMore: boolean }> {
    this.#held.release();
    this.#nextMs = Infinity;
    let [deleted, isMore] = [0, false];
    for (const [model, ids] of await this.#readDue()) {
      isMore ||= ids.length === TURN;
      for (let at = 0; at < ids.length && !this.options.signal.aborted; at += CONCURRENT_MAX)
        deleted += await this.#deleteSome(model, ids.slice(at, at + CONCURRENT_MAX));
    }
    return { deleted, isMore };
  }

  /** The expired objects by their models. Sets the time of the next one. */
  async #readDue(): Promise<ReadonlyMap<string, readonly ExpiringId[]>> {
    const nowMs = this.#now();
    const due = new Map<string, readonly ExpiringId[]>();
    await this.#look(async ({ view, tables }) => {
      for (const [model, table] of tables) {
        const index = table.problem() === undefined ? expirationIndex(table) : undefined;
        if (index === undefined) continue;
        const { snapshot } = view;
        const isLeftOut = (entry: string): boolean => this.#held.has(entry);
        const ids = await readExpired(snapshot, index, nowMs, { most: TURN, isLeftOut });
        if (ids.length > 0) due.set(model, ids);
        this.#nextMs = Math.min(this.#nextMs, await nextExpiration(snapshot, index, nowMs));
      }
    });
    return due;
  }

  /** @returns the number of objects that were removed or marked */
  async #deleteSome(model: string, ids: readonly ExpiringId[]): Promise<number> {
    return this.#look(async (current) => {
      const table = current.tables.get(model);
      if (table === undefined) return 0;
      const done = await Promise.all(ids.map((one) => this.#delete({ ...current, table }, one)));
      return done.filter(Boolean).length;
    });
  }

  /** Never throws. @returns true when the object was removed or marked */
  async #delete({ view, table }: Place, { id, entry }: ExpiringId): Promise<boolean> {
    // An object that is still there is tried again later.
    this.#held.add(entry);
    let object: ExtensionObject | undefined;
    try {
      const [stored] = await view.readMany(table, [id]);
      object = stored && parseObject(stored.bytes);
      return object !== undefined && (await this.#deleteOne(table.resource, object));
    } catch (error) {
      if (hasCode(error, 'NotFound', 'PreconditionFailed')) this.#held.remove(entry);
      else if (object !== undefined && isRefusal(error)) this.options.onBlocked(object, error.message);
      else this.#warn(`cannot delete an expired object of ${table.resource.kind}: ${getMessage(error)}`);
      return false;
    }
  }

  async #deleteOne(resource: Resource, object: ExtensionObject): Promise<boolean> {
    const { admit, service, onBlocked } = this.options;
    const { resourceVersion, deletionTimestamp, finalizers = [] } = object.metadata;
    const isMarked = deletionTimestamp !== undefined;
    const name = fullName(resource, object.metadata);
    // A changed object may expire at another time.
    const asRead = { user: EXPIRY, ifMatch: [resourceVersion] };
    if (!isMarked) await admit((admission) => service.delete(resource, name, { ...asRead, admission }));
    if (finalizers.length > 0)
      onBlocked(object, `waits for finalizers: ${formatExcerpt(finalizers.join(', '))}`);
    return !isMarked;
  }

  #warn(message: string): void {
    this.#log.write((heldBack) => this.options.logger.warn(message, heldBack > 0 ? { heldBack } : {}));
  }

  async #look<T>(read: (current: CurrentView) => Promise<T>): Promise<T> {
    const current = await this.options.service.store.readCurrent('local');
    try {
      return await read(current);
    } finally {
      current.view.close();
    }
  }
}

interface Place extends Pick<CurrentView, 'view'> {
  readonly table: Table;
}

/** True for the refusal of a deletion, which concerns the object. */
function isRefusal(error: unknown): error is ServiceError {
  return hasCode(error, 'Forbidden') || (hasCode(error, 'Conflict') && error.details.name !== undefined);
}
