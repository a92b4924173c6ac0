import { hasCode, ServiceError } from '../../errors.js';
import { Allowance } from '../../lib/work/allowance.js';
import { isLongTurn, ownTurn } from '../../lib/work/turn.js';
import { parseObject } from '../../store/object-record.js';
import type { StoreCommitOptions } from '../../store/store.js';
import type { ServiceContext } from '../context.js';
import type { WriteRecord } from '../write-audit.js';
import { DeletionState } from '../references/deletion-state.js';
import { PENDING, Stale } from './change.js';
import { commitPrepared } from './commit.js';
import { hideHolders } from './faults/hidden-holders.js';
import { withStoreFaults } from './faults/store-faults.js';
import { fieldSetOf } from '../scope/object-scope.js';
import type { FindWriteScope } from '../scope/write-scope.js';
import type { Prepared } from './prepare.js';
import { seenFields } from './prepare-within.js';
import { OutsidePreparation } from './prepare-outside.js';
import {
  locate,
  type AllowedOptions,
  type OnFault,
  type WriteRequestOptions,
  type WriteRequest,
} from './request.js';
import type { MayList } from '../verbs.js';
import type { RawBatchResult, RawWriteResult } from './result.js';
import { attemptWithConversions } from '../write-attempts.js';
import { afterReviews, findReviewersOf } from './review/is-reviewed.js';
import { validateReviewed } from './review/validate-reviewed.js';

/** The origin of writes of agents. */
const AGENTS = 'mcp';
/** Most attempts with all changes prepared outside the transaction; the next ones cannot lose a race. */
const OUTSIDE_MAX = 4;
/** Most attempts when reviewers are asked, each time again. */
const REVIEWS_MAX = 5;
/** Most generated names before collisions count as an error. */
const ATTEMPTS_MAX = 100;

/**
 * Makes the changes of requests in one commit. They are prepared outside the transaction, while the previous commit is
 * in progress. The transaction verifies that the stored objects are unchanged. Otherwise the change of a small object
 * is prepared again inside, and other changes are prepared again outside.
 * @throws ServiceError of an invalid request
 */
export function write(
  context: ServiceContext,
  requests: readonly WriteRequest[],
  given: WriteRequestOptions,
): Promise<RawBatchResult> {
  const options: AllowedOptions = { ...given, allowance: given.allowance ?? new Allowance() };
  const user = options.user ?? context.user;
  const record = context.audit?.begin(requests, options, user);
  const stamp = { dryRun: options.dryRun === true, user, via: getLoggedVia(options), observer: record };
  const { mayList } = options;
  const done =
    mayList === undefined
      ? commitConverted(context, requests, options, stamp)
      : withoutHidden(context, requests, { ...options, mayList }, stamp);
  return record === undefined ? done : done.catch((error: unknown) => failed(record, error));
}

/** Hides objects that the sender may not list in errors. */
async function withoutHidden(
  context: ServiceContext,
  requests: readonly WriteRequest[],
  options: AllowedOptions & { readonly mayList: MayList },
  stamp: StoreCommitOptions,
): Promise<RawBatchResult> {
  const { mayList, onFault } = options;
  const hide = (error: ServiceError): ServiceError => hideHolders(error, requests, mayList);
  const all = onFault === undefined ? options : { ...options, onFault: hidingFaults(onFault, hide) };
  try {
    return await commitConverted(context, requests, all, stamp);
  } catch (error) {
    throw error instanceof ServiceError ? hide(error) : error;
  }
}

function hidingFaults(onFault: OnFault, hide: (error: ServiceError) => ServiceError): OnFault {
  return (refusal, position) => onFault(hide(refusal), position);
}

/** The log of changes marks only the writes of agents: the users of other writes say enough. */
function getLoggedVia({ origin }: WriteRequestOptions): string | undefined {
  return origin?.via === AGENTS ? AGENTS : undefined;
}

/** The result with what the sender may see of its objects. */
function seenBySender(
  { models }: ServiceContext,
  requests: readonly WriteRequest[],
  scopeOf: FindWriteScope,
  result: RawBatchResult,
): RawBatchResult {
  const items = result.items.map((item, i) => {
    const request = requests[i];
    if (request === undefined || request.verb === 'declare' || request.verb === 'restore') return item;
    const model = models.view(request.resource);
    const scope = scopeOf(request, model.resource);
    if (scope === undefined) return item;
    const seen = seenFields(model, item.object, scope);
    return seen === 'all' ? item : item.seenAs(seen ?? fieldSetOf(scope.seenOutside));
  });
  return { ...result, items };
}

async function failed(record: WriteRecord, error: unknown): Promise<never> {
  await record.failed(error);
  throw error;
}

/** {@link commitAll}, again after each answer of a program that converts objects. */
async function commitConverted(
  context: ServiceContext,
  requests: readonly WriteRequest[],
  options: AllowedOptions,
  stamp: StoreCommitOptions,
): Promise<RawBatchResult> {
  return attemptWithConversions(context, (one) => commitAll(one, requests, options, stamp));
}

async function commitAll(
  context: ServiceContext,
  requests: readonly WriteRequest[],
  options: AllowedOptions,
  stamp: StoreCommitOptions,
): Promise<RawBatchResult> {
  const isAlone = requests.length === 1;
  const deletions = new DeletionState(context, options, isAlone);
  const scope = { context, options, deletions, isAlone };
  const isChecked = findFor(context.beforeWrites, requests) !== undefined;
  for (let attempt = 1; ; attempt++) {
    let prepared: readonly Prepared[] = [];
    const reviewers = findReviewersOf(context.reviewers, requests, options);
    try {
      if (isLongTurn()) await ownTurn();
      const isInside = attempt > OUTSIDE_MAX && !isChecked && reviewers === undefined;
      prepared = await new OutsidePreparation(context, requests, options, { isInside, reviewers }).run();
      if (reviewers !== undefined) prepared = await validateReviewed(reviewers, prepared, options);
      if (isChecked) await checkPrepared(context, prepared, options);
      const began = performance.now();
      const { result, hasDeferred } = await context.store.commit(
        (tx) => commitPrepared(tx, scope, prepared),
        stamp,
      );
      const seen =
        options.scopeOf === undefined ? result : seenBySender(context, requests, options.scopeOf, result);
      if (options.dryRun === true)
        return { ...seen, items: seen.items.map((item, i) => asNotStored(item, prepared[i])) };
      measure(context, result, performance.now() - began);
      if (hasDeferred) context.scheduleCascades();
      const work = findFor(context.afterWrites, requests);
      if (work !== undefined) await work.run(Number(result.resourceVersion));
      return seen;
    } catch (error) {
      if (isAlone && prepared[0] !== undefined && isTakenValue(error))
        throw await withAllFaults(context, prepared[0], error, options);
      if (!(error instanceof Stale)) await deletions.resolve(error);
      else if (reviewers !== undefined && attempt >= REVIEWS_MAX) throw afterReviews(error.refusal);
      else if (attempt >= ATTEMPTS_MAX) throw error.refusal;
    }
  }
}

/**
 * The result of a write that was not stored. As in Kubernetes, objects of its rules have the revision that is stored, and none
 * before they exist; those of plugins have the one that the write would get.
 */
function asNotStored(result: RawWriteResult, prepared: Prepared | undefined): RawWriteResult {
  const isKubernetes = prepared?.model.resource.origin !== undefined;
  return isKubernetes && prepared.change !== undefined ? result.atRevision(prepared.basedOn) : result;
}

/** The entry for a model of the requests; undefined for most models. */
function findFor<T extends { readonly group: string }>(
  registered: ReadonlyMap<string, T>,
  requests: readonly WriteRequest[],
): T | undefined {
  for (const { resource } of requests) {
    const found = registered.get(resource.kind);
    if (found?.group === resource.group) return found;
  }
  return undefined;
}

async function checkPrepared(
  { beforeWrites }: ServiceContext,
  prepared: readonly Prepared[],
  options: AllowedOptions,
): Promise<void> {
  for (const [position, { change, request }] of prepared.entries()) {
    if (change?.kind !== 'insert' && change?.kind !== 'replace') continue;
    const object = parseObject(Buffer.from(change.object.json(PENDING)));
    try {
      await findFor(beforeWrites, [request])?.run(object);
    } catch (error) {
      throw locate(error, position, options);
    }
  }
}

/** True for a value of a unique index that another object has: the first fault that the commit found. */
function isTakenValue(error: unknown): error is ServiceError {
  if (!hasCode(error, 'AlreadyExists')) return false;
  const [cause] = error.details.causes ?? [];
  return cause?.reason === 'FieldValueDuplicate' && cause.field !== 'metadata.name';
}

async function withAllFaults(
  context: ServiceContext,
  { model, change }: Prepared,
  error: ServiceError,
  options: AllowedOptions,
): Promise<unknown> {
  if (change?.kind !== 'insert' && change?.kind !== 'replace') return error;
  const object = parseObject(Buffer.from(change.object.json(PENDING)));
  const found = await withStoreFaults(context, { model, object, error, isChanging: () => false });
  return found === error ? error : locate(found, 0, options);
}

function measure({ measures }: ServiceContext, { items }: RawBatchResult, ms: number): void {
  let changes = 0;
  for (const { changed } of items) if (changed) changes++;
  if (changes === 0) return;
  measures.commitSeconds.observe(ms / 1_000);
  measures.commitChanges.observe(changes);
}
