import type { WriteVerb } from '../../store/log/log.js';
import type { StoredObject } from '../../store/object-record.js';
import type { WrittenChange, StoreTransaction } from '../../store/transaction.js';
import type { ServiceContext } from '../context.js';
import { decideAtOnce, currentObject, type WriteItem } from './decide.js';
import { apply, outdated, Stale, type Decision, type Written } from './decision.js';
import {
  checkBytes,
  locatedIn,
  WritePlan,
  type PlanDepth,
  type Planned,
  type Undecided,
  type Writes,
} from './plan.js';
import { deferDeletion, CascadeTooLarge, getObjectKey } from '../references/defer-deletion.js';
import { refuseIfRestricted } from '../references/restrict-check.js';
import { concernsReferences, ReferenceEnforcer } from '../references/enforcer.js';
import { ClearedRestrictions } from '../references/cleared-restrictions.js';
import type { DeletedTarget } from '../references/work.js';
import { TooManyReferrers, refusalOfMany } from '../references/restrict.js';
import type { MayList } from '../verbs.js';

/** The result of a commit. */
export interface Commit {
  /** Its revision, or that of the store when nothing was stored. */
  readonly resourceVersion: string;
  /** In the order of the items. */
  readonly items: readonly Written[];
}

/** Most plans before everything is decided in the commit. */
const PLANS_MAX = 4;
/** Most generated names before collisions count as an error. */
const ATTEMPTS_MAX = 100;

/**
 * Does writes in one commit. They are decided before it, while the previous commit is in progress; large ones with
 * breaks in which other requests run. The commit applies the decisions if the objects are unchanged. Otherwise a
 * small write is decided in the commit, and a larger one is decided again.
 * @throws ServiceError of an invalid item
 */
export async function write(context: ServiceContext, writes: Writes): Promise<Commit> {
  const ends: Ends = { held: new Set(), unkept: new ClearedRestrictions() };
  for (let attempt = 1; ; attempt++) {
    try {
      const planned = await new WritePlan(context, writes, getDepth(attempt)).make();
      const began = performance.now();
      const options = { ...writes.options, user: writes.options.user ?? context.user };
      const decided: Decided = { writes, planned, ...ends };
      const { hasDeferred, ...done } = await context.store.commit(
        (tx) => commit(tx, context, decided),
        options,
      );
      if (writes.options.dryRun === true) return done;
      measure(context, done, performance.now() - began);
      if (hasDeferred) context.scheduleCascades();
      return done;
    } catch (error) {
      if (error instanceof TooManyReferrers) {
        const refusal = await refusalOfMany(context, error, ends.unkept);
        if (refusal !== undefined) throw refusal.error;
      } else if (error instanceof CascadeTooLarge) await hold(context, writes, error.ends, ends);
      else if (!(error instanceof Stale)) throw error;
      else if (attempt >= ATTEMPTS_MAX) throw error.refusal;
    }
  }
}

/**
 * Defers the deletion of objects until their cascades are done.
 * @throws ServiceError when another object restricts the deletion
 */
async function hold(
  context: ServiceContext,
  { items, options }: Writes,
  ends: readonly DeletedTarget[],
  { held, unkept }: Ends,
): Promise<void> {
  for (const end of ends) {
    // Other items may change its referrers.
    if (items.length === 1)
      await refuseIfRestricted(context, end, { cleared: unkept, mayList: getMayList(options) });
    held.add(getObjectKey(end.table, end.name));
  }
}

function getMayList({ mayList = () => true }: Writes['options']): MayList {
  return mayList;
}

function measure({ measures }: ServiceContext, { items }: Commit, ms: number): void {
  let changes = 0;
  for (const { changed } of items) if (changed) changes++;
  if (changes === 0) return;
  measures.commitSeconds.observe(ms / 1_000);
  measures.commitChanges.observe(changes);
}

/** An object may turn out to be large in the commit, and objects may change repeatedly before one. */
function getDepth(attempt: number): PlanDepth {
  if (attempt === 1) return 'large';
  return attempt <= PLANS_MAX ? 'all' : 'creates';
}

/** The results of failed attempts about the deleted objects. */
interface Ends {
  /** Objects whose deletion is deferred; see {@link getObjectKey}. */
  readonly held: Set<string>;
  readonly unkept: ClearedRestrictions;
}

/** The input of a commit. */
interface Decided extends Ends {
  readonly writes: Writes;
  readonly planned: readonly Planned[];
}

function commit(
  tx: StoreTransaction,
  context: ServiceContext,
  decided: Decided,
): Commit & { readonly hasDeferred: boolean } {
  const { writes, planned, held, unkept } = decided;
  const { admission } = writes.options;
  const located = (position: number, error: unknown): unknown => locatedIn(writes, position, error);
  const changes: WrittenChange[] = [];
  const telling = { located, mayList: getMayList(writes.options) };
  let keeper: ReferenceEnforcer | undefined;
  let item = 0;
  const { hasReferences } = context.store;
  if (admission !== undefined || hasReferences)
    tx.onChange = (change) => {
      if (admission !== undefined) changes.push(change);
      if (hasReferences && concernsReferences(tx, change))
        (keeper ??= new ReferenceEnforcer(tx, context, { deferred: held, cleared: unkept, ...telling })).note(
          change,
          item,
        );
    };
  let bytes = 0;
  const items: Written[] = [];
  for (const [position, one] of planned.entries()) {
    tx.verb = findVerb(writes.items[position]);
    item = position;
    const written = commitItem(tx, context, one, { ...decided, position });
    bytes += written.json.length;
    checkBytes(bytes, writes);
    items.push(written);
  }
  for (const [position, warnings] of keeper?.settle() ?? []) {
    const written = items[position];
    if (written !== undefined) items[position] = written.with(warnings);
  }
  admission?.(tx, changes);
  return { resourceVersion: String(tx.lastRevision), items, hasDeferred: keeper?.hasDeferred === true };
}

/** The verb for the log; undefined for a declaration, whose verb depends on its effect. */
function findVerb(item: WriteItem | undefined): WriteVerb | undefined {
  return item === undefined || item.verb === 'declare' ? undefined : item.verb;
}

function commitItem(
  tx: StoreTransaction,
  context: ServiceContext,
  planned: Planned,
  { writes, position, held }: Decided & { readonly position: number },
): Written {
  const doing: Doing = { options: writes.options, held };
  try {
    if (planned.decision === undefined) return decidedNow(tx, context, planned, doing);
    return asPlanned(tx, context, planned, doing);
  } catch (error) {
    throw locatedIn(writes, position, error);
  }
}

interface Doing extends Pick<Decided, 'held'> {
  readonly options: Writes['options'];
}

/** Applies an earlier decision if it was based on the present object. */
function asPlanned(
  tx: StoreTransaction,
  context: ServiceContext,
  { table, decision, read, otherwise }: Extract<Planned, { decision: object }>,
  doing: Doing,
): Written {
  const { name } = decision.object.metadata;
  const stored = tx.find(table, name);
  if (read === undefined || stored?.revision === read.revision)
    return applyOrHold(tx, decision, stored, doing);
  if (otherwise === undefined) throw outdated(table, name);
  return decidedNow(tx, context, otherwise, doing);
}

function decidedNow(
  tx: StoreTransaction,
  context: ServiceContext,
  { model: known, item, bytesMax }: Undecided,
  doing: Doing,
): Written {
  const model = known.at(tx.current(known.table));
  const { table } = model;
  const stored = tx.find(table, item.name);
  if (stored !== undefined && stored.bytes.length > bytesMax) throw outdated(table, item.name);
  const found = stored && currentObject(model, stored);
  const decision = decideAtOnce(context, { model, item, found }, doing.options);
  return applyOrHold(tx, decision, stored, doing);
}

function applyOrHold(
  tx: StoreTransaction,
  decision: Decision,
  stored: StoredObject | undefined,
  { held }: Doing,
): Written {
  const isHeld = held.size > 0 && held.has(getObjectKey(decision.table, decision.object.metadata.name));
  return apply(tx, isHeld ? deferDeletion(decision) : decision, stored);
}
