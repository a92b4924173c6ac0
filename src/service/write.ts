import type { WriteVerb } from '../store/log.js';
import type { ObjectChange, StoreTransaction } from '../store/transaction.js';
import type { ServiceContext } from './context.js';
import { decideAtOnce, presentOf, type WriteItem } from './decide.js';
import { apply, outdated, Outdated, type Written } from './decision.js';
import {
  checkBytes,
  locatedIn,
  WritePlan,
  type PlanDepth,
  type Planned,
  type Undecided,
  type Writes,
} from './plan.js';

/** What a commit did. */
export interface Commit {
  /** Its revision, or that of the store when nothing was stored. */
  readonly resourceVersion: string;
  /** In the order of the items. */
  readonly items: readonly Written[];
}

/** How often is planned before everything is decided in the commit. */
const PLANS_MAX = 4;
/** How often names are generated before collisions are taken for a fault. */
const ATTEMPTS_MAX = 100;

/**
 * Does writes in one commit. All is decided before it, while the commit before is under way, and what is large
 * with breaks in which others are answered. The commit does it if the objects are still what they were; else a small
 * write is decided in it, and anything larger is decided again.
 * @throws ServiceError of an item at fault
 */
export async function write(context: ServiceContext, writes: Writes): Promise<Commit> {
  for (let attempt = 1; ; attempt++) {
    try {
      const planned = await new WritePlan(context, writes, depthOf(attempt)).make();
      const began = performance.now();
      const options = { ...writes.options, user: writes.options.user ?? context.user };
      const done = await context.store.commit((tx) => commit(tx, context, writes, planned), options);
      if (writes.options.dryRun !== true) measure(context, done, performance.now() - began);
      return done;
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      if (attempt === ATTEMPTS_MAX) throw error.refusal;
    }
  }
}

function measure({ measures }: ServiceContext, { items }: Commit, ms: number): void {
  let changes = 0;
  for (const { changed } of items) if (changed) changes++;
  if (changes === 0) return;
  measures.commitSeconds.observe(ms / 1_000);
  measures.commitChanges.observe(changes);
}

/** An object turns out to be large in the commit, and objects may change again and again before one. */
function depthOf(attempt: number): PlanDepth {
  if (attempt === 1) return 'large';
  return attempt <= PLANS_MAX ? 'all' : 'creates';
}

function commit(
  tx: StoreTransaction,
  context: ServiceContext,
  writes: Writes,
  planned: readonly Planned[],
): Commit {
  const { admission } = writes.options;
  const changes: ObjectChange[] = [];
  if (admission !== undefined) tx.onChange = (change) => void changes.push(change);
  let bytes = 0;
  const items: Written[] = [];
  for (const [position, one] of planned.entries()) {
    tx.verb = verbOf(writes.items[position]);
    const written = commitItem(tx, context, one, { writes, position });
    bytes += written.json.length;
    checkBytes(bytes, writes);
    items.push(written);
  }
  admission?.(tx, changes);
  return { resourceVersion: String(tx.lastRevision), items };
}

/** What the log is told; of what a plugin declares, what becomes of it. */
function verbOf(item: WriteItem | undefined): WriteVerb | undefined {
  return item === undefined || item.verb === 'declare' ? undefined : item.verb;
}

function commitItem(
  tx: StoreTransaction,
  context: ServiceContext,
  planned: Planned,
  { writes, position }: { readonly writes: Writes; readonly position: number },
): Written {
  try {
    if (planned.decision === undefined) return decidedNow(tx, context, planned, writes.options);
    return asPlanned(tx, context, planned, writes.options);
  } catch (error) {
    throw locatedIn(writes, position, error);
  }
}

/** What was decided before, if it was decided on what is there now. */
function asPlanned(
  tx: StoreTransaction,
  context: ServiceContext,
  { table, decision, read, otherwise }: Extract<Planned, { decision: object }>,
  options: Writes['options'],
): Written {
  const { name } = decision.object.metadata;
  const stored = tx.find(table, name);
  if (read === undefined || stored?.revision === read.revision) return apply(tx, decision, stored);
  if (otherwise === undefined) throw outdated(table, name);
  return decidedNow(tx, context, otherwise, options);
}

function decidedNow(
  tx: StoreTransaction,
  context: ServiceContext,
  { model: known, item, bytesMax }: Undecided,
  options: Writes['options'],
): Written {
  const model = known.at(tx.current(known.table));
  const { table } = model;
  const stored = tx.find(table, item.name);
  if (stored !== undefined && stored.bytes.length > bytesMax) throw outdated(table, item.name);
  const found = stored && presentOf(model, stored);
  return apply(tx, decideAtOnce(context, { model, item, found }, options), stored);
}
