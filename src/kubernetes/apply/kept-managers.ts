import { badRequest, ServiceError } from '../../errors.js';
import type { Cache, CacheBudget } from '../../lib/cache-budget.js';
import { deepEqual, isRecord } from '../../lib/json/json.js';
import { currentAllowance, spend } from '../../lib/work/allowance.js';
import { ConversionError } from '../../model/evolve/conversion.js';
import type { JsonObject, Metadata, ObjectDraft } from '../../model/object.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import type { ModelView } from '../../service/read/view.js';
import type {
  AppliedFields,
  AppliedObject,
  FieldManagers,
  ManagedFields,
  ManagedSender,
  ManagedWrite,
} from '../../service/write/apply/field-managers.js';
import { managedFieldsOf } from '../../service/write/apply/managed-write.js';
import { formatConflict, formatConflicts, inScale } from './managers/conflict-text.js';
import {
  afterApply,
  afterUpdate,
  withScaleOwner,
  type Application,
  type AppliedState,
  type ManagerOfWrite,
} from './managers/field-manager.js';
import { ApplyConflict } from './managers/managed.js';
import { EntriesFault, NO_MANAGERS, readEntries, writeEntries, type ManagedState } from './managers/state.js';
import { lastAppliedFields, withLastApplied } from './last-applied.js';
import { typeOf, versionsOf } from './versions.js';
import type { ValueKinds, TypedValue } from './types/field-type.js';
import { findTypeFaults } from './values/check.js';
import { withoutEmptied } from './values/emptied.js';

/** Approximate memory of a manager's path, for the cache. */
const BYTES_PER_CHARACTER = 4;

/** The managers of objects, by the rules of Kubernetes. */
export class KeptManagers implements FieldManagers {
  readonly #states: Cache<ManagedState>;

  /** @param budget of the cache for the managers of stored objects */
  constructor(budget: CacheBudget) {
    this.#states = budget.cache('managers of fields');
  }

  afterWrite(write: ManagedWrite): ManagedFields {
    const { model, part, before, after } = write;
    const oldFields = before && managedFieldsOf(before.metadata);
    const cost = costOfWrite(write);
    // Other fields can be changed, and the object deleted, whatever its managers cost.
    if (cost > (currentAllowance()?.steps ?? Infinity)) return oldFields;
    spend(cost, 'field managers');
    try {
      const state = this.#startOf(write);
      // An update of an object without managers keeps none.
      if (before !== undefined && state.managers.size === 0) return undefined;
      const type = typeOf(model);
      const change = { before: typed(before ?? blankOf(model), type), after: typed(after, type) };
      return writeEntries(afterUpdate(state, change, senderOf(write), versionsOf(model, part)));
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
      return oldFields;
    }
  }

  apply(fields: AppliedFields): AppliedObject {
    const { model, part, live, applied } = fields;
    spend(costOf(live?.metadata.managedFields), 'field managers');
    const type = typeOf(model);
    checkApplied(applied, type);
    const stored = live === undefined ? NO_MANAGERS : this.#stateOf(live.metadata);
    const state = part === 'scale' ? withScaleOwner(stored, senderOf(fields), model.resource) : stored;
    const base = live ?? { ...identityOf(model), metadata: {} };
    const blank = blankOf(model);
    const change = { live: typed(base, type), blank, applied: { value: plain(applied), type } };
    const { object, state: next } = this.#applied(fields, change, state);
    const value =
      object === undefined ? change.live.value : withoutEmptied(object.value, change.live.value, applied);
    const result = withLastApplied(fields, isRecord(value) ? value : {});
    const known = live?.metadata.managedFields;
    if (Array.isArray(known) && isSameState(state, next)) return { object: result, managedFields: known };
    return { object: result, managedFields: writeEntries(next) };
  }

  /** @throws ServiceError `Conflict` */
  #applied(
    { model, part, isForced, ...sender }: AppliedFields,
    change: Omit<Application, 'isForced'>,
    state: ManagedState,
  ): AppliedState {
    const versions = versionsOf(model, part);
    const from = senderOf({ model, part, ...sender });
    try {
      return afterApply(state, { ...change, isForced }, from, versions);
    } catch (error) {
      if (!(error instanceof ApplyConflict)) throw error;
      const allowed = lastAppliedFields(from, change.live);
      const unexpected = error.conflicts.filter(({ path }) => !allowed.has(path));
      if (unexpected.length === 0) return afterApply(state, { ...change, isForced: true }, from, versions);
      const conflicts = part === 'scale' ? unexpected.map(inScale) : unexpected;
      throw new ServiceError('Conflict', formatConflicts(conflicts), {
        causes: conflicts.map((one) => ({ ...formatConflict(one), reason: 'FieldManagerConflict' })),
      });
    }
  }

  /** The managers before a write: of the body if it states some, else those of the stored object. */
  #startOf({ model, before, stated, part }: ManagedWrite): ManagedState {
    const known = (): ManagedState => (before === undefined ? NO_MANAGERS : this.#stateOf(before.metadata));
    if (part !== undefined || !Array.isArray(stated)) return known();
    if (isReset(stated, model.resource)) return NO_MANAGERS;
    if (before !== undefined && deepEqual(stated, before.metadata.managedFields)) return known();
    const own = orNone(stated);
    return own.managers.size === 0 ? known() : own;
  }

  #stateOf({ uid, resourceVersion, managedFields }: Metadata): ManagedState {
    if (managedFields === undefined) return NO_MANAGERS;
    const key = `${uid} ${resourceVersion}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state = orNone(managedFields);
    // An earlier request of the same commit has not given it a revision yet.
    if (!REVISION.test(resourceVersion)) return state;
    this.#states.set(key, state, JSON.stringify(managedFields).length * BYTES_PER_CHARACTER);
    return state;
  }
}

const REVISION = /^\d+$/;

/** Entries that nobody can read count as no managers. */
function orNone(managedFields: unknown): ManagedState {
  try {
    return readEntries(managedFields);
  } catch (error) {
    if (error instanceof EntriesFault) return NO_MANAGERS;
    throw error;
  }
}

/** Steps for each element of a path of a manager. */
const PATH_STEPS = 20;
/** Number of members of managers without a cost. Nearly all objects have fewer. */
const FREE_MEMBERS = 2_000;

function costOf(managedFields: unknown): number {
  return PATH_STEPS * Math.max(0, countMembers(managedFields) - FREE_MEMBERS);
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((count, member) => count + 1 + countMembers(member), 0);
}

function costOfWrite({ model, part, before, stated }: ManagedWrite): number {
  if (part === undefined && Array.isArray(stated) && isReset(stated, model.resource)) return 0;
  return Math.max(costOf(before?.metadata.managedFields), costOf(stated));
}

/** True for the managers of an apply that changed nothing: their entries need not be written again. */
function isSameState(before: ManagedState, after: ManagedState): boolean {
  if (before.managers.size !== after.managers.size || before.times !== after.times) return false;
  for (const [key, { fields, version }] of after.managers) {
    const known = before.managers.get(key);
    if (known?.version !== version || !known.fields.equals(fields)) return false;
  }
  return true;
}

/** `[{}]` removes all managers; an empty list does in the kinds of Kubernetes only, as there. */
function isReset(stated: readonly unknown[], { origin }: Resource): boolean {
  const [only] = stated;
  if (stated.length === 0) return origin === 'core';
  return stated.length === 1 && isRecord(only) && Object.keys(only).length === 0;
}

function typed(object: ObjectDraft, type: ValueKinds): TypedValue {
  return { value: plain(object), type };
}

/** Managers of other versions need its version to convert it. */
function blankOf(model: ModelView): JsonObject {
  return { ...identityOf(model), ...model.scheme?.blank?.() };
}

function identityOf({ resource }: ModelView) {
  return { apiVersion: getApiVersion(resource), kind: resource.kind };
}

/** An object without its managers, which nobody owns. */
function plain(object: ObjectDraft): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata } as JsonObject;
}

function senderOf({ model, part, manager, now }: ManagedSender): ManagerOfWrite {
  return {
    manager,
    apiVersion: getApiVersion(model.resource),
    subresource: part ?? '',
    now: `${now.toISOString().slice(0, SECONDS_END)}Z`,
  };
}

/** The characters of a time up to its seconds. */
const SECONDS_END = 19;

const FAULTS_MAX = 10;

/** @throws ServiceError `BadRequest` for what the schema does not allow */
function checkApplied(applied: ObjectDraft, type: ValueKinds): void {
  if ((applied.metadata?.managedFields ?? undefined) !== undefined)
    throw badRequest('metadata.managedFields must be nil in an apply; leave it out');
  const faults = findTypeFaults({ value: applied, type });
  if (faults.length === 0) return;
  const texts = faults.slice(0, FAULTS_MAX).map(({ path, message }) => `${path}: ${message}`);
  throw badRequest(`the applied object does not fit the schema: ${texts.join(', ')}`);
}
