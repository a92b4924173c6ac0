import { difference, union } from '../paths/algebra.js';
import { fieldElement } from '../paths/element.js';
import { NO_PATHS, pathSet } from '../paths/path-set.js';
import type { JsonObject } from '../../../model/object.js';
import type { Resource } from '../../../model/resource.js';
import type { TypedValue } from '../types/field-type.js';
import { capManagers } from './cap.js';
import type { Managed, OwnedVersions } from './managed.js';
import { keyOf, type ManagedState, type Operation } from './state.js';
import { apply, update } from './updater.js';

export interface ManagerOfWrite {
  readonly manager: string;
  /** `<group>/<version>` of the write. */
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** RFC 3339 with seconds. */
  readonly now: string;
}

/** The manager of all fields of an object that had no managers before its first apply. */
const BEFORE_APPLY = 'before-first-apply';

/** Fields that the service sets, or that say which object it is. Nobody owns them. */
const UNOWNED = pathSet(
  ...['apiVersion', 'kind', 'metadata'].map((name) => [fieldElement(name)]),
  ...[
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'generation',
    'version',
    'creationTimestamp',
    'updateTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'selfLink',
    'clusterName',
    'managedFields',
  ].map((name) => [fieldElement('metadata'), fieldElement(name)]),
);

/** No manager has this key. */
const CURRENT = '';

/** The managers after a write of any kind but an apply. */
export function afterUpdate(
  state: ManagedState,
  { before, after }: { readonly before: TypedValue; readonly after: TypedValue },
  sender: ManagerOfWrite,
  versions: OwnedVersions,
): ManagedState {
  const writer = { key: CURRENT, version: sender.apiVersion };
  const managers = update({ before, after, writer }, state.managers, versions);
  const changed = managers.get(CURRENT);
  managers.delete(CURRENT);
  const fields = changed === undefined ? NO_PATHS : difference(changed.fields, UNOWNED);
  if (fields.isEmpty) return capManagers({ managers, times: state.times });
  const key = keyOfSender(sender, 'Update');
  const known = managers.get(key)?.fields ?? NO_PATHS;
  managers.set(key, { fields: union(fields, known), version: sender.apiVersion, isApplied: false });
  return capManagers({ managers, times: timesAfter(state, sender, key) });
}

/** As in Kubernetes, a write of the scale leaves the times. */
function timesAfter({ times }: ManagedState, { subresource, now }: ManagerOfWrite, key: string) {
  return subresource === 'scale' ? times : new Map([...times, [key, now]]);
}

/** An object, and the fields that a manager applies to it. */
export interface Application {
  /** An empty object when it does not exist. */
  readonly live: TypedValue;
  /** A new object of the model. Default: it has no fields. */
  readonly blank?: JsonObject | undefined;
  readonly applied: TypedValue;
  readonly isForced: boolean;
}

export interface AppliedState {
  /** Undefined when the object stays as it is. */
  readonly object: TypedValue | undefined;
  readonly state: ManagedState;
}

/**
 * The object and its managers after an apply.
 * @throws ApplyConflict
 */
export function afterApply(
  stored: ManagedState,
  { live, blank, applied, isForced }: Application,
  sender: ManagerOfWrite,
  versions: OwnedVersions,
): AppliedState {
  const state = stored.managers.size === 0 ? beforeFirst({ live, blank }, sender, versions) : stored;
  const key = keyOfSender(sender, 'Apply');
  const writer = { key, version: sender.apiVersion };
  const { object, managers } = apply({ live, applied, writer, isForced }, state.managers, versions);
  const own = withoutUnowned(managers.get(key));
  if (own === undefined) managers.delete(key);
  else managers.set(key, own);
  // As in Kubernetes: the time is that of the last change of the object by this manager.
  if (object === undefined) return { object, state: { managers, times: state.times } };
  return { object, state: { managers, times: timesAfter(state, sender, key) } };
}

function withoutUnowned(managed: Managed | undefined): Managed | undefined {
  if (managed === undefined) return undefined;
  const fields = difference(managed.fields, UNOWNED);
  return fields.isEmpty ? undefined : { ...managed, fields };
}

function beforeFirst(
  { live, blank = {} }: Pick<Application, 'live' | 'blank'>,
  sender: ManagerOfWrite,
  versions: OwnedVersions,
): ManagedState {
  const nothing: ManagedState = { managers: new Map(), times: new Map() };
  const before = { value: blank, type: live.type };
  return afterUpdate(nothing, { before, after: live }, { ...sender, manager: BEFORE_APPLY }, versions);
}

/** The managers before an apply to the scale: what nobody owns belongs to the manager of what was there before. */
export function withScaleOwner(
  state: ManagedState,
  sender: ManagerOfWrite,
  { scale }: Resource,
): ManagedState {
  const path = (scale?.specReplicasPath ?? '').slice(1).split('.').map(fieldElement);
  if ([...state.managers.values()].some(({ fields }) => fields.has(path))) return state;
  const key = keyOfSender({ ...sender, manager: BEFORE_APPLY }, 'Update');
  const owner = { fields: pathSet(path), version: sender.apiVersion, isApplied: false };
  return { ...state, managers: new Map([...state.managers, [key, owner]]) };
}

function keyOfSender({ manager, apiVersion, subresource }: ManagerOfWrite, operation: Operation): string {
  return keyOf({ manager, operation, apiVersion, subresource });
}
