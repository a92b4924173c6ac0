import { conflict, ServiceError } from '../../errors.js';
import { deepEqual } from '../../lib/json/json.js';
import type { ExtensionObject } from '../../model/object.js';
import { parseObject } from '../../store/object-record.js';
import type { CurrentView } from '../../store/store.js';
import { getSubject } from '../object-errors.js';
import type { MayList, UndoneItem } from '../verbs.js';
import type { RestoreRequest } from '../write/restore.js';
import { comparable, type PastCommitChange } from './commit-changes.js';

/** Objects that a refusal names. */
const NAMED_MAX = 20;
const NO_REVISION = 0;

/** The writes that take a commit back. */
export interface RestorePlan {
  readonly requests: readonly RestoreRequest[];
  /** One for each object that changes. */
  readonly items: readonly UndoneItem[];
}

/** The changes of one object, oldest first, and its present state. */
interface ChangedObject {
  readonly changes: PastCommitChange[];
  live?: { readonly revision: number; readonly object: ExtensionObject };
}

export interface PlanOptions {
  /** True: later changes are overwritten. */
  readonly force: boolean;
  /** Objects of other models are not named in a refusal. */
  readonly mayList: MayList;
  /** Called for each object first: a refusal tells about objects. @throws ServiceError `Forbidden` */
  readonly check: ((item: UndoneItem) => void) | undefined;
}

/**
 * Plans the writes in the opposite order of the changes, so that each of them meets the state that its change left.
 * @throws ServiceError `Conflict` with the names of objects that were changed later
 */
export async function planUndo(
  { view }: CurrentView,
  changes: readonly PastCommitChange[],
  options: PlanOptions,
): Promise<RestorePlan> {
  const objects = groupByObject(changes);
  for (const object of objects.values()) {
    const { model, name } = getLast(object);
    const stored = await view.find(model.table, name);
    if (stored !== undefined)
      object.live = { revision: stored.revision, object: comparable(model, parseObject(stored.bytes)) };
  }
  for (const object of objects.values()) for (const item of itemOf(object, false)) options.check?.(item);
  const later = refuseBlocked(objects.values(), options);
  const seen = new Set<ChangedObject>();
  const requests: RestoreRequest[] = [];
  for (const change of [...objects.values()].flatMap((one) => one.changes).sort(byRevision)) {
    const object = objects.get(getKey(change));
    if (object === undefined) continue;
    const expected = seen.has(object) ? undefined : (object.live?.revision ?? NO_REVISION);
    seen.add(object);
    requests.push(requestFor(change, expected, change !== object.changes[0]));
  }
  return { requests, items: [...objects.values()].flatMap((one) => itemOf(one, later.has(one))) };
}

function byRevision(a: PastCommitChange, b: PastCommitChange): number {
  return b.revision - a.revision;
}

function getKey({ model, name }: PastCommitChange): string {
  return `${model.table.modelId}/${name}`;
}

function groupByObject(changes: readonly PastCommitChange[]): ReadonlyMap<string, ChangedObject> {
  const objects = new Map<string, ChangedObject>();
  for (const change of changes) {
    const object = objects.get(getKey(change)) ?? { changes: [] };
    objects.set(getKey(change), object);
    const before = object.changes.at(-1);
    // An object that was only marked, and then changed or removed, is restored in one step.
    if (before?.after?.metadata.deletionTimestamp === undefined) object.changes.push(change);
    else object.changes.splice(-1, 1, { ...change, before: before.before });
  }
  return objects;
}

function getLast({ changes }: ChangedObject): PastCommitChange {
  const last = changes.at(-1);
  if (last === undefined) throw new Error('a changed object has a change');
  return last;
}

function requestFor(
  { model, name, before, after }: PastCommitChange,
  expected: number | undefined,
  isReplaced: boolean,
): RestoreRequest {
  return {
    verb: 'restore',
    resource: model.table.resource,
    name,
    state: before,
    keeps: keptBy(before, after),
    expected,
    isReplaced,
  };
}

/** Controllers write the status and finalizers: where the commit did not change them, they stay as they are. */
function keptBy(
  before: ExtensionObject | undefined,
  after: ExtensionObject | undefined,
): RestoreRequest['keeps'] {
  return {
    status: deepEqual(before?.status, after?.status),
    finalizers: deepEqual(before?.metadata.finalizers, after?.metadata.finalizers),
  };
}

/**
 * @returns the objects whose later changes are overwritten
 * @throws ServiceError `Conflict`
 */
function refuseBlocked(
  objects: Iterable<ChangedObject>,
  { force, mayList }: PlanOptions,
): ReadonlySet<ChangedObject> {
  const going: ChangedObject[] = [];
  const later: ChangedObject[] = [];
  for (const object of objects) {
    const isGoing = object.live?.object.metadata.deletionTimestamp !== undefined;
    if (isGoing && object.changes[0]?.before !== undefined) going.push(object);
    else if (isChangedLater(object)) later.push(object);
  }
  if (going.length > 0)
    throw refusal(going, mayList, 'a deletion can be undone only after the removal; being deleted');
  if (later.length > 0 && !force)
    throw refusal(later, mayList, 'later changes stand in the way, which force overwrites; changed');
  return new Set(later);
}

function isChangedLater({ changes, live }: ChangedObject): boolean {
  const last = changes.at(-1);
  const after = last?.after;
  if (after === undefined || live === undefined) return (after === undefined) !== (live === undefined);
  if (live.revision === last?.revision) return false;
  if (after.metadata.uid !== live.object.metadata.uid) return true;
  const kept = keptBy(changes[0]?.before ?? { ...after, status: undefined }, after);
  return !deepEqual(getContent(after, kept), getContent(live.object, kept));
}

/** All but the fields that the service sets, and kept parts. */
function getContent(
  { metadata, status, ...rest }: ExtensionObject,
  keeps: RestoreRequest['keeps'],
): Readonly<Record<string, unknown>> {
  const { labels = {}, annotations = {}, ownerReferences = [], finalizers = [] } = metadata;
  return {
    ...rest,
    labels,
    annotations,
    ownerReferences,
    finalizers: keeps.finalizers ? [] : finalizers,
    status: keeps.status ? undefined : status,
  };
}

function refusal(objects: readonly ChangedObject[], mayList: MayList, reason: string): ServiceError {
  const visible = objects.filter((object) => mayList(getLast(object).model.resource));
  const names = visible.slice(0, NAMED_MAX).map((object) => {
    const { model, name } = getLast(object);
    return getSubject(model.resource, name);
  });
  const others = objects.length - names.length;
  const listed = [...names, ...(others > 0 ? [`${others} more`] : [])].join(', ');
  return conflict(`nothing was undone: ${reason}: ${listed}`);
}

/** Nothing for an object that is as it was already. */
function itemOf({ changes, live }: ChangedObject, isOverwritten: boolean): readonly UndoneItem[] {
  const [first] = changes;
  if (first === undefined) return [];
  const { model, name, before } = first;
  if (before === undefined && live === undefined) return [];
  const verb = before === undefined ? 'delete' : live === undefined ? 'create' : 'update';
  return [{ verb, resource: model.table.resource, name, isOverwritten }];
}
