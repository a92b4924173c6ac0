import { getMessage, getReason } from '../../errors.js';
import { cloneJson, deepEqual, setOwn } from '../../lib/json/json.js';
import { fullName, isNamespaced, type Scoped } from '../../model/full-name.js';
import { nextVersion, type ExtensionObject, type Metadata, type ObjectDraft } from '../../model/object.js';
import type { Index } from '../../model/declare/scheme.js';
import type { Resumable } from '../../lib/work/yield.js';
import type { Resource } from '../../model/resource.js';
import type { Table } from '../../store/table.js';
import { ObjectText, ReadyObject, type Pardon } from '../../store/ready-object.js';
import { findLastMigration } from '../../model/evolve/migration-stamp.js';
import { applyPendingMigrations, isStorageObject } from './pending-migrations.js';
import { answeredWith, keep, type PreparedChange } from './change.js';
import { checkLock, checkUid } from './conflicts.js';
import { withoutManagers, type CurrentObject } from './current-object.js';
import type { ManagedFields } from './apply/field-managers.js';
import {
  isSameManagers,
  managedFieldsAfter,
  managedFieldsOf,
  setManagedFields,
} from './apply/managed-write.js';
import { updateToStorageVersion } from './storage-version.js';
import {
  assemble,
  checkIdentity,
  judgeObject,
  preexistingWarning,
  statedMetadata,
} from './validate-write.js';
import type { Subresource, WriteOptions, WrittenPart } from '../verbs.js';
import type { ServiceContext } from '../context.js';
import type { ModelView } from '../read/view.js';

/** The part of an object that a subresource writes. */
const PARTS = { status: 'status', finalize: 'spec' } as const;

/** The object of an update, and its options. */
export interface UpdateTarget {
  readonly current: CurrentObject;
  readonly options: WriteOptions;
  readonly subresource?: Subresource;
  /** Default: the subresource. A scale is written as an update of the object. */
  readonly part?: WrittenPart;
  /** After an apply, which knows them. */
  readonly managedFields?: ManagedFields;
}

/**
 * Prepares the replacement of an object by the body. Fields that the service sets stay; so does a status that the
 * body does not state.
 * A body that changes nothing stores nothing.
 * @throws ServiceError `BadRequest`, `Conflict`, `Invalid`
 */
export function* prepareUpdate(
  context: Pick<ServiceContext, 'now' | 'fieldManagers'>,
  target: UpdateTarget,
  body: unknown,
): Resumable<PreparedChange> {
  const { options, subresource } = target;
  // The managers are no part of what the body and the model decide about.
  const current = withoutManagers(target.current);
  const { model, shown } = current;
  const { table, resource } = model;
  checkIdentity(resource, body, fullName(resource, shown.metadata));
  checkUid(resource, shown, body);
  checkLock(resource, shown, body);
  const stated = nextObject(current, body, subresource);
  const isStored = isStorageObject(model, stated);
  const before = isStored ? current.object : shown;
  yield;
  const judging = isStored ? table : model;
  const { warnings, refusal } = judgeObject(judging, stated, { ...options, subresource }, before);
  // Defaults of a newer schema for other parts apply only to writes of those parts.
  if (subresource !== undefined) restoreAllBut(PARTS[subresource], stated, before);
  yield;
  const isSame = sameContent(before, stated);
  const managedFields = managersAfter(context, target, { body, after: stated, isSame });
  if (refusal !== undefined) {
    // Reviewers see them.
    setManagedFields(stated.metadata, managedFields);
    throw refusal;
  }
  const areSameManagers = isSameManagers(managedFields, managedFieldsOf(target.current.metadata), { isSame });
  if (isSame && areSameManagers) return keep(target.current, warnings);
  const { object: old } = current;
  const next = isStored ? stated : updateToStorageVersion(current, stated, { options, warnings });
  if (!isStored && subresource === 'status') restoreAllBut('status', next, old);
  yield;
  if (!isStored && areSameManagers && sameContent(old, next)) return keep(target.current, warnings);

  const isSpecChanged = !sameSpec(resource, old, next);
  nextVersion(next.metadata, { at: context.now(), isSpecChanged });
  setManagedFields(next.metadata, managedFields);
  yield;
  const answered = answeredWith(model, next);
  if (isReclaimable(table, next))
    return { kind: 'remove', ...answered, object: new ObjectText(next), warnings };
  return {
    kind: 'replace',
    ...answered,
    object: new ReadyObject(table, next, ignorePreexistingIndexFailure(old, warnings)),
    warnings,
  };
}

function managersAfter(
  context: Pick<ServiceContext, 'now' | 'fieldManagers'>,
  { current, options, subresource, part = subresource, managedFields }: UpdateTarget,
  {
    body,
    after,
    isSame,
  }: { readonly body: unknown; readonly after: ExtensionObject; readonly isSame: boolean },
): ManagedFields {
  if (managedFields !== undefined) return managedFields;
  const write = { model: current.model, part, options, body, before: current.shown, after };
  return managedFieldsAfter(context, write, isSame);
}

/**
 * Ignores the error of an index function that fails on the stored object in the same way, because this write did not
 * cause it.
 * @param warnings receives a warning about it
 */
function ignorePreexistingIndexFailure(old: ExtensionObject, warnings: string[]): Pardon {
  return (index, error) => {
    if (!failsTheSame(index, old, error)) return false;
    const warning = preexistingWarning(`${index.name}: ${getReason(error)}`);
    // When the commit is repeated, the values may be computed again.
    if (!warnings.includes(warning)) warnings.push(warning);
    return true;
  };
}

function failsTheSame(index: Index, object: ExtensionObject, error: unknown): boolean {
  try {
    index.values(object);
    return false;
  } catch (before) {
    return getMessage(before) === getMessage(error);
  }
}

/** True for a deleted object without finalizers that nothing else holds. */
export function isReclaimable({ scheme }: Pick<Table, 'scheme'>, object: ExtensionObject): boolean {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  return (
    deletionTimestamp !== undefined && finalizers.length === 0 && scheme?.deletion?.isHeld(object) !== true
  );
}

/** In the version of the write, or in the storage version when migrations were applied to the body. */
function nextObject(
  current: CurrentObject,
  body: ObjectDraft,
  subresource: Subresource | undefined,
): ExtensionObject {
  const { model, shown } = current;
  const isStatus = subresource === 'status';
  if (isStatus && findLastMigration(body) === undefined) return withStatus(shown, body.status);
  const next = statedObject(model, shown, body);
  const old = isStorageObject(model, next) ? current.object : shown;
  if (isStatus) return withStatus(old, next.status);
  if (keepsStatus(model.resource, body)) setStatus(next, old.status);
  return next;
}

function statedObject(model: ModelView, old: ExtensionObject, body: ObjectDraft): ExtensionObject {
  const draft = cloneJson(body);
  const stated = statedMetadata(model.resource, draft);
  const metadata = Object.assign(stated, systemMetadata(model.resource, old.metadata));
  return applyPendingMigrations(model, assemble(model.resource, metadata, draft));
}

/** The fields of an existing object that only the service sets. */
export function systemMetadata(model: Scoped, old: Metadata): Metadata {
  const {
    name,
    namespace,
    uid,
    generation,
    version,
    resourceVersion,
    creationTimestamp,
    updateTimestamp,
    deletionTimestamp,
    generateName,
    managedFields,
  } = old;
  const system: Metadata = {
    name,
    ...(isNamespaced(model) && namespace !== undefined && { namespace }),
    uid,
    generation,
    version,
    resourceVersion,
    creationTimestamp,
    updateTimestamp,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(generateName === undefined ? {} : { generateName }),
    ...(managedFields === undefined ? {} : { managedFields }),
  };
  if (!('version' in old)) Reflect.deleteProperty(system, 'version');
  return system;
}

function withStatus(old: ExtensionObject, status: unknown): ExtensionObject {
  const next = cloneJson(old);
  setStatus(next, status);
  return next;
}

function setStatus(next: ExtensionObject, status: unknown): void {
  if (status === undefined) delete next.status;
  else next.status = cloneJson(status);
}

/** True when an update of the whole object leaves the status. */
export function keepsStatus({ statusBy }: Pick<Resource, 'statusBy'>, body: object): boolean {
  return statusBy === undefined ? !('status' in body) : statusBy === 'subresource';
}

function restoreAllBut(part: string, next: ExtensionObject, old: ExtensionObject): void {
  for (const field of Object.keys(next)) if (field !== part && !(field in old)) delete next[field];
  for (const [field, value] of Object.entries(old)) if (field !== part) setOwn(next, field, cloneJson(value));
}

function sameContent(old: ExtensionObject, next: ExtensionObject): boolean {
  return deepEqual(old, next);
}

/** True when all fields except metadata and status are equal; otherwise `generation` increases. */
export function sameSpec({ statusBy }: Resource, old: ExtensionObject, next: ExtensionObject): boolean {
  if (statusBy === 'field' && !deepEqual(old.status, next.status)) return false;
  const { metadata: _m, status: _s, ...oldRest } = old;
  const { metadata: _n, status: _t, ...nextRest } = next;
  return deepEqual(oldRest, nextRest);
}
