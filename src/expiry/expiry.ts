import { setTimeout as sleep } from 'node:timers/promises';
import { workAfterChanges } from '../lib/work/after-changes.js';
import { Yielder } from '../lib/work/yield.js';
import { getExpirationMs } from '../model/expiration.js';
import type { ExtensionObject } from '../model/object.js';
import {
  expirationIndex,
  nextExpiration,
  readExpired,
  type ExpiringId,
} from '../store/index/expiration-index.js';
import { parseObject } from '../store/object-record.js';
import type { CurrentView } from '../store/store.js';
import type { Table } from '../store/table.js';
import { CautiousClock, SYSTEM_CLOCKS, type Clocks } from './cautious-clock.js';
import { Deletions, type DeletionsOptions } from './deletions.js';
import { Held } from './held.js';

/** Objects of one model in a turn: then come those of the other models. */
const TURN = 256;
/** Objects in one commit, which blocks other requests for its duration. */
const COMMIT = 10;
/** The pause after a commit, as a part of the time that the process was busy meanwhile, with this or other work. */
const PAUSE = 0.5;
/** Time in which further changes are collected, in milliseconds. */
const GATHER_MS = 500;

export interface ExpiryOptions extends DeletionsOptions {
  readonly signal: AbortSignal;
  /** Default: those of the machine. */
  readonly clocks?: Clocks;
}

/**
 * Deletes objects soon after they have expired. All decisions depend on the stored state, so the work can be interrupted
 * anywhere.
 */
export class Expiry {
  readonly #held: Held;
  readonly #deletions: Deletions;
  readonly #clock: CautiousClock;
  /** The time at which the next object expires. */
  #nextMs = Infinity;

  constructor(private readonly options: ExpiryOptions) {
    const { clocks = SYSTEM_CLOCKS } = options;
    this.#clock = new CautiousClock(clocks);
    this.#held = new Held(clocks.steady);
    this.#deletions = new Deletions(options);
  }

  /** Ends when the signal is aborted; never throws. */
  run(): Promise<void> {
    const { service, logger, signal } = this.options;
    return workAfterChanges(
      {
        store: service.store,
        logger,
        signal,
        purpose: 'delete expired objects',
        gatherMs: GATHER_MS,
        getRestMs: () => Math.min(this.#nextMs - this.#clock.now(), this.#held.restMs()),
      },
      async () => {
        while (await this.#takeTurn());
      },
    );
  }

  /** Deletes the first expired objects of each model. @returns true when more have expired */
  async #takeTurn(): Promise<boolean> {
    const { signal } = this.options;
    this.#held.release();
    let isMore = false;
    for (const [model, ids] of await this.#readDue()) {
      isMore ||= ids.length === TURN;
      for (let at = 0; at < ids.length && !signal.aborted; at += COMMIT) {
        const before = performance.eventLoopUtilization();
        await this.#deleteSome(model, ids.slice(at, at + COMMIT));
        const { active } = performance.eventLoopUtilization(before);
        await sleep(active * PAUSE, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
    return isMore && !signal.aborted;
  }

  /** The expired objects by their models. Sets the time of the next one. */
  async #readDue(): Promise<ReadonlyMap<string, readonly ExpiringId[]>> {
    const nowMs = this.#clock.now();
    const due = new Map<string, readonly ExpiringId[]>();
    this.#nextMs = Infinity;
    const yielder = new Yielder();
    await this.options.service.store.withinCurrent(async ({ view: { snapshot }, tables }) => {
      for (const [model, table] of tables) {
        if (yielder.isDue) await yielder.take();
        const index = table.problem() === undefined ? expirationIndex(table) : undefined;
        if (index === undefined) continue;
        let nextMs = await nextExpiration(snapshot, index);
        if (nextMs <= nowMs) {
          const isLeftOut = (entry: string): boolean => this.#held.has(entry);
          due.set(model, await readExpired(snapshot, index, nowMs, { most: TURN, isLeftOut }));
          nextMs = await nextExpiration(snapshot, index, nowMs);
        }
        this.#nextMs = Math.min(this.#nextMs, nextMs);
      }
    }, 'local');
    return due;
  }

  async #deleteSome(model: string, ids: readonly ExpiringId[]): Promise<void> {
    const nowMs = this.#clock.now();
    const selection = await this.options.service.store.withinCurrent(async ({ view, tables }) => {
      const table = tables.get(model);
      return table && { table, found: await readExpiredObjects({ view, table, nowMs }, ids) };
    }, 'local');
    if (selection === undefined) return;
    const { table, found } = selection;
    // Objects that are still there are tried again later.
    for (const { entry } of ids) this.#held.add(entry);
    const changed = await this.#deletions.deleteAll(table.resource, [...found.keys()]);
    for (const object of changed) this.#held.remove(found.get(object) ?? '');
  }
}

interface Place extends Pick<CurrentView, 'view'> {
  readonly table: Table;
  readonly nowMs: number;
}

/**
 * The objects that have expired, with their entries: since their ids were read they may have changed. Damaged ones are left
 * to `xsvc check`.
 */
async function readExpiredObjects(
  { view, table, nowMs }: Place,
  ids: readonly ExpiringId[],
): Promise<ReadonlyMap<ExtensionObject, string>> {
  const found = new Map<ExtensionObject, string>();
  for (const { id, entry } of ids) {
    const [stored] = await view.readMany(table, [id]).catch(() => []);
    const object = stored && parseObject(stored.bytes);
    if (object !== undefined && getExpirationMs(object) <= nowMs) found.set(object, entry);
  }
  return found;
}
