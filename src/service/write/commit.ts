import { runSync } from '../../lib/work/yield.js';
import { isNamespaced } from '../../model/full-name.js';
import { modelKey } from '../../model/resource.js';
import type { WriteVerb } from '../../store/log/log.js';
import type { StoredObject } from '../../store/object-record.js';
import type { StoreTransaction, WrittenChange } from '../../store/transaction.js';
import type { ServiceContext } from '../context.js';
import { deferDeletion, getObjectKey } from '../references/defer-deletion.js';
import type { DeletionState } from '../references/deletion-state.js';
import { concernsReferences, ReferenceEnforcer } from '../references/enforcer.js';
import { applyChange, changedName, staleObject, type PreparedChange } from './change.js';
import { prepareCreate } from './create.js';
import { currentObject } from './current-object.js';
import { NO_REVISION, prepareAtOnce, type Prepared } from './prepare.js';
import {
  checkBytes,
  getRequestedName,
  isApply,
  isLarge,
  locate,
  refusalOfRequest,
  type AllowedOptions,
  type WriteRequest,
} from './request.js';
import type { RawBatchResult, RawWriteResult } from './result.js';

/** The parts of a commit that all its attempts share. */
export interface CommitScope {
  readonly context: ServiceContext;
  readonly options: AllowedOptions;
  readonly deletions: DeletionState;
  /** True when the commit has a single request. */
  readonly isAlone: boolean;
}

/** The result of a commit, and its remaining work. */
interface Committed {
  readonly result: RawBatchResult;
  /** True when it leaves cascades for later commits. */
  readonly hasDeferred: boolean;
}

/**
 * Makes prepared changes in a transaction, if the stored objects are still those that they are based on.
 * @throws Stale, or ServiceError of an invalid request; errors about references as {@link ReferenceEnforcer.settle}
 */
export function commitPrepared(
  tx: StoreTransaction,
  scope: CommitScope,
  prepared: readonly Prepared[],
): Committed {
  const { context, options, deletions } = scope;
  const { admission } = options;
  const { hasReferences } = context.store;
  const changes: WrittenChange[] = [];
  const items: RawWriteResult[] = [];
  let enforcer: ReferenceEnforcer | undefined;
  // A variable, because V8 allocates a function that is assigned to a property with the old objects, and all that the function
  // refers to would stay in memory with it.
  const onChange = (change: WrittenChange): void => {
    if (admission !== undefined) changes.push(change);
    if (!hasReferences || !concernsReferences(tx, change)) return;
    enforcer ??= new ReferenceEnforcer(tx, context, {
      deferred: deletions.deferred,
      cleared: deletions.cleared,
      mayList: deletions.mayList,
      located: (position, error) => locate(error, position, options),
    });
    enforcer.note(change, items.length);
  };
  if (admission !== undefined || hasReferences) tx.onChange = onChange;
  let bytes = 0;
  for (const one of prepared) {
    tx.verb = findVerb(one.request);
    try {
      items.push(commitOne(tx, scope, one, items.length));
    } catch (error) {
      throw refusalOfRequest(error, items.length, options);
    }
    bytes += items.at(-1)?.json.length ?? 0;
    checkBytes(bytes, options);
  }
  for (const [position, warnings] of enforcer?.settle() ?? []) {
    const item = items[position];
    if (item !== undefined) items[position] = item.with(warnings);
  }
  admission?.(tx, changes);
  const result = { resourceVersion: String(tx.lastRevision), items };
  return { result, hasDeferred: enforcer?.hasDeferred === true };
}

/** The verb for the log; undefined when the verb depends on the effect. */
function findVerb(request: WriteRequest): WriteVerb | undefined {
  const { verb } = request;
  return verb === 'declare' || verb === 'restore' || isApply(request) ? undefined : verb;
}

function commitOne(
  tx: StoreTransaction,
  scope: CommitScope,
  prepared: Prepared,
  position: number,
): RawWriteResult {
  const { deferred } = scope.deletions;
  const { request, model } = prepared;
  const name = prepared.change === undefined ? getRequestedName(request) : changedName(prepared.change);
  const stored = tx.find(model.table, name);
  const change = findCurrentChange(prepared, stored) ?? prepareInside(tx, scope, prepared, stored);
  if (change.kind === 'insert') checkInsert(tx, scope, change);
  const isDeferred = deferred.size > 0 && deferred.has(getObjectKey(change.table, name));
  tx.item = position;
  const result = applyChange(tx, isDeferred ? deferDeletion(change) : change, stored);
  tx.item = undefined;
  if (change.kind === 'insert') insertCompanion(tx, scope, change);
  return result;
}

/** @throws ServiceError of a check */
function checkInsert(
  tx: StoreTransaction,
  { context }: CommitScope,
  { table, object }: PreparedChange,
): void {
  if (!isNamespaced(table.resource)) return;
  for (const check of context.inserts.checks) check(tx, table, object.metadata);
}

function insertCompanion(
  tx: StoreTransaction,
  { context }: CommitScope,
  { table, object }: PreparedChange,
): void {
  const companion = context.inserts.companions.get(modelKey(table.resource))?.(object.metadata);
  if (companion === undefined) return;
  const view = context.models.view(companion.resource);
  const change = runSync(prepareCreate(context, view, companion.object, {}));
  if (tx.find(view.table, changedName(change)) === undefined) applyChange(tx, change, undefined);
}

/** Undefined when the change is not prepared, or based on another state. */
function findCurrentChange(prepared: Prepared, stored: StoredObject | undefined): PreparedChange | undefined {
  if (prepared.change === undefined) return undefined;
  const { change, basedOn } = prepared;
  return basedOn === undefined || basedOn === (stored?.revision ?? NO_REVISION) ? change : undefined;
}

/** @throws Stale when the change must be prepared outside */
function prepareInside(
  tx: StoreTransaction,
  scope: CommitScope,
  prepared: Prepared,
  stored: StoredObject | undefined,
): PreparedChange {
  const { request, model: known } = prepared;
  if (!mayPrepareInside(scope, prepared, stored)) throw staleObject(known.table, getRequestedName(request));
  const model = known.at(tx.current(known.table));
  const current = stored && currentObject(model, stored);
  return prepareAtOnce(scope.context, request, { model, current }, scope.options);
}

/**
 * All writers wait for a transaction: large objects are prepared in it only after too many lost races, and what reviewers
 * must accept never is.
 */
function mayPrepareInside(
  { isAlone }: CommitScope,
  prepared: Prepared,
  stored: StoredObject | undefined,
): boolean {
  if (prepared.change === undefined) return true;
  return isAlone && prepared.review === undefined && !isLarge(prepared.request, stored?.bytes.length);
}
