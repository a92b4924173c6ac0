import { getMessage, hasCode } from '../errors.js';
import { SYSTEM_CLOCK } from '../lib/time/clock.js';
import { LogLimit } from '../lib/log/log-limit.js';
import type { Logger } from '../lib/log/logger.js';
import { fullName } from '../model/full-name.js';
import type { ExtensionObject, OwnerReference } from '../model/object.js';
import { getOwners } from '../model/owner-references.js';
import { modelKey } from '../model/resource.js';
import type { Service } from '../service/service.js';
import { readChangeHeads, type ChangeHeads } from '../store/log/log-heads.js';
import { deletionIndex, ownerIndex } from '../store/index/owner-index.js';
import type { CurrentView } from '../store/store.js';
import type { Table } from '../store/table.js';
import { concerned, usedIn, type Concerned, type Used } from './changes.js';
import { pendingPolicy, isBlocked, isOwner, removeFinalizer, withoutOwner } from './deleted-owner.js';
import { OwnerEvaluator } from './owner-evaluator.js';
import { Objects, type OwnedPage, type Stored } from './objects.js';
import { idsIn, isWritable } from './pages.js';
import { Wake } from '../lib/work/wake.js';
import {
  ADMIT_ALL,
  CollectorWriter,
  type CheckedWrite,
  type ObjectName,
  type PlannedWrite,
} from './writer.js';

/** Interval of retries for work that failed or had to wait, in milliseconds. */
const AGAIN_MS = 5_000;
/** Time in which further changes are collected, in milliseconds. */
const GATHER_MS = 50;
const FAILED_MS = 1_000;
/** After this many failed writes, all objects are checked again. */
const LATER_MAX = 10_000;
/**
 * Up to this many waiting owners are checked again after every change. More are checked only after the removal of one
 * of their dependents, and at intervals.
 */
const FEW = 16;

/** Called with an object without a namespace that is kept, because its reference is to an owner in one. */
export type OnUnresolvable = (dependent: ExtensionObject, owner: OwnerReference) => void;

export interface CollectorOptions {
  /** Default: every write is admitted. */
  readonly admit?: CheckedWrite;
  readonly onUnresolvable?: OnUnresolvable;
}

/**
 * Removes objects whose owners are gone, and carries out the policy finalizers of deleted owners. It checks all
 * objects with owners once, and then follows the log. Each decision depends only on the stored state at that moment,
 * so it can be interrupted anywhere.
 */
export class Collector {
  readonly #store: Service['store'];
  readonly #objects: Objects;
  readonly #writer: CollectorWriter;
  readonly #wake = new Wake();
  readonly #problems = new LogLimit(SYSTEM_CLOCK, 1);
  /** Models whose objects were checked since they became writable. */
  readonly #known = new Set<string>();
  /** Deleted owners that wait for their dependents, by their uids. */
  readonly #waiting = new Map<string, WaitingOwner>();
  /** Objects that could not be written. */
  #later = new Map<string, ObjectName>();
  #againAtMs = 0;
  readonly #onUnresolvable: OnUnresolvable;

  constructor(
    service: Service,
    private readonly logger: Logger,
    private readonly signal: AbortSignal,
    { admit = ADMIT_ALL, onUnresolvable = () => undefined }: CollectorOptions = {},
  ) {
    this.#store = service.store;
    this.#objects = new Objects(service.store, logger, signal);
    this.#onUnresolvable = onUnresolvable;
    this.#writer = new CollectorWriter(service, logger, admit, (object) =>
      this.#later.set(getKey(object), object),
    );
  }

  /** Ends when the signal is aborted; never throws. */
  async run(): Promise<void> {
    const { signal } = this;
    const forget = this.#store.onChange(() => this.#wake.wake());
    const wake = (): void => this.#wake.wake();
    signal.addEventListener('abort', wake);
    const isOver = (): boolean => signal.aborted;
    let position: number | undefined;
    while (!isOver()) {
      try {
        position = await this.#goOn(position);
      } catch (error) {
        if (isOver()) break;
        if (hasCode(error, 'Expired')) position = undefined;
        this.#problems.write(() => this.logger.warn(`cannot follow changes of owners: ${getMessage(error)}`));
        await this.#wake.sleep(FAILED_MS);
      }
    }
    forget();
    signal.removeEventListener('abort', wake);
  }

  /** @returns the revision up to which all work is done */
  async #goOn(position: number | undefined): Promise<number> {
    const before = this.#writer.deleted;
    if (position === undefined) this.#known.clear();
    const after = position ?? (await this.#objects.now(({ view }) => view.revision()));
    await this.#lookThroughNew();
    const { until, isEnd } = await this.#follow(after);
    if (SYSTEM_CLOCK.now() >= this.#againAtMs) await this.#tryAgain();
    const deleted = this.#writer.deleted - before;
    if (deleted > 0) this.logger.info('deleted objects whose owners are gone', { objects: deleted });
    else if (isEnd) {
      await this.#wake.wait(AGAIN_MS);
      await this.#wake.sleep(this.signal.aborted ? 0 : GATHER_MS);
    }
    return until;
  }

  // ---- missed changes ---------------------------------------------------------------------------------

  /** Checks the models that have become writable. */
  async #lookThroughNew(): Promise<void> {
    for (const table of this.#store.allTables()) {
      if (this.signal.aborted) return;
      const key = modelKey(table.resource);
      if (!isWritable(table)) this.#known.delete(key);
      if (!isWritable(table) || this.#known.has(key)) continue;
      this.#known.add(key);
      await this.#lookThrough(table);
    }
  }

  async #lookThrough(table: Table): Promise<void> {
    const key = modelKey(table.resource);
    const [owners, deletions] = [ownerIndex(table), deletionIndex(table)];
    if (owners !== undefined)
      for await (const ids of idsIn(this.#objects, owners)) {
        if (this.signal.aborted) return;
        await this.#judgeAll(this.#objects.page(key, ids));
      }
    if (deletions !== undefined)
      for await (const ids of idsIn(this.#objects, deletions)) await this.#settleOwners(key, ids);
  }

  // ---- new changes ------------------------------------------------------------------------------------

  async #follow(after: number): Promise<ChangeHeads> {
    const { look, used, dependents, owners } = await this.#objects.now((current) =>
      this.#look(current, after),
    );
    const gone = look.heads.flatMap(({ last }) => last ?? []);
    for (const { metadata } of gone) {
      if (this.signal.aborted) break;
      for await (const page of this.#objects.iterateDependents(metadata.uid, used.owned))
        await this.#judgeAll(page);
    }
    for (const [model, ids] of dependents) await this.#judgeAll(this.#objects.page(model, ids));
    for (const [model, ids] of owners) await this.#settleOwners(model, ids);
    if (look.heads.length > 0) for (const owner of this.#waitingFor(gone)) await this.#settleOwner(owner);
    // The next leader checks the rest.
    return look;
  }

  async #look(current: CurrentView, after: number): Promise<Look> {
    const used = await usedIn(current);
    const withRemoved = used.owned.size > 0 || this.#waiting.size > 0;
    // Without owned and deleted objects, no change matters.
    const isIdle = !withRemoved && used.deleted.size === 0;
    const look = isIdle
      ? { heads: [], until: await current.view.revision(), isEnd: true }
      : await readChangeHeads(current.view, after, withRemoved);
    return { look, used, ...(await concerned(current, look.heads, used)) };
  }

  /**
   * Owners that may have waited for the removed objects. Few owners are all returned, because a change may also end
   * their wait.
   */
  #waitingFor(gone: readonly ExtensionObject[]): readonly WaitingOwner[] {
    if (this.#waiting.size <= FEW) return [...this.#waiting.values()];
    const named = new Set(gone.flatMap((object) => getOwners(object).map(({ uid }) => uid)));
    return [...named].flatMap((uid) => this.#waiting.get(uid) ?? []);
  }

  async #tryAgain(): Promise<void> {
    this.#againAtMs = SYSTEM_CLOCK.now() + AGAIN_MS;
    const later = this.#later;
    this.#later = new Map();
    if (later.size > LATER_MAX) this.#known.clear();
    else
      for (const { model, name } of later.values()) {
        const stored = this.signal.aborted ? undefined : await this.#objects.find(model, name);
        if (stored !== undefined) await this.#judgeAll({ read: (visit) => this.#visitNow(stored, visit) });
      }
    for (const owner of [...this.#waiting.values()]) await this.#settleOwner(owner);
  }

  async #visitNow(stored: Stored, visit: Parameters<OwnedPage['read']>[0]): Promise<void> {
    await this.#objects.now(async (current) => visit(stored, current));
  }

  // ---- dependents --------------------------------------------------------------------------------------

  async #judgeAll(page: OwnedPage): Promise<void> {
    const writes: PlannedWrite[] = [];
    let judge: OwnerEvaluator | undefined;
    await page.read(async (dependent, current) => {
      const { table, object } = dependent;
      // The model is checked when it becomes writable again.
      if (!isWritable(table)) this.#known.delete(modelKey(table.resource));
      if (!isWritable(table)) return;
      judge ??= new OwnerEvaluator(current);
      const verdict = await judge.verdict(dependent);
      const { resource } = table;
      if (verdict.kind === 'unresolvable') this.#onUnresolvable(object, verdict.owner);
      if (verdict.kind === 'delete')
        writes.push({ resource, object, change: { kind: 'delete', policy: verdict.policy } });
      if (verdict.kind === 'release')
        writes.push({ resource, object, change: { kind: 'owners', owners: verdict.owners } });
    });
    await this.#writer.writeAll(writes);
  }

  // ---- deleted owners ----------------------------------------------------------------------------------

  async #settleOwners(model: string, ids: readonly number[]): Promise<void> {
    const owners: WaitingOwner[] = [];
    await this.#objects.page(model, ids).read(({ table, object }) => {
      const { metadata } = object;
      if (pendingPolicy(object) !== undefined)
        owners.push({ model, name: fullName(table.resource, metadata), uid: metadata.uid });
    });
    for (const owner of owners) await this.#settleOwner(owner);
  }

  async #settleOwner(owner: WaitingOwner): Promise<void> {
    if (this.signal.aborted) return;
    const { model, name, uid } = owner;
    const stored = await this.#objects.find(model, name);
    const reason = stored?.object.metadata.uid === uid ? pendingPolicy(stored.object) : undefined;
    if (stored === undefined || reason === undefined) {
      this.#waiting.delete(uid);
      return;
    }
    const isDone = reason === 'orphan' ? await this.#orphan(stored) : await this.#inForeground(stored);
    if (isDone && (await this.#writer.write(removeFinalizer(stored, reason)))) this.#waiting.delete(uid);
    else this.#waiting.set(uid, owner);
  }

  /** @returns true when no object names it as an owner any more */
  async #orphan({ object }: Stored): Promise<boolean> {
    const { uid } = object.metadata;
    const without = withoutOwner(uid);
    for await (const page of this.#objects.iterateDependents(uid)) {
      const writes: PlannedWrite[] = [];
      await page.read((dependent) => {
        if (isWritable(dependent.table)) writes.push(...without(dependent));
      });
      await this.#writer.writeAll(writes);
    }
    return !(await this.#objects.now((current) => isOwner(current, uid)));
  }

  /** @returns true when it need not wait for its dependents any more */
  async #inForeground(owner: Stored): Promise<boolean> {
    const { uid } = owner.object.metadata;
    // Later dependents are found by their own changes, and failed deletions are retried.
    if (!this.#waiting.has(uid))
      for await (const page of this.#objects.iterateDependents(uid)) await this.#judgeAll(page);
    return !this.signal.aborted && !(await isBlocked(this.#objects, owner));
  }
}

/** A deleted owner: another object may get its name. */
interface WaitingOwner extends ObjectName {
  readonly uid: string;
}

/** The part of the log and the objects in one snapshot. */
interface Look extends Concerned {
  readonly look: ChangeHeads;
  readonly used: Used;
}

function getKey({ model, name }: ObjectName): string {
  return `${model}/${name}`;
}
