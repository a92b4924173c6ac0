import { conflict } from '../../errors.js';
import { cloneJson, deepEqual } from '../../lib/json/json.js';
import { nextVersion, type ExtensionObject, type Metadata } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import { ReadyObject } from '../../store/ready-object.js';
import type { ServiceContext } from '../context.js';
import { getSubject } from '../object-errors.js';
import type { ModelView } from '../read/view.js';
import type { WriteOptions } from '../verbs.js';
import { answeredWith, keep, type PreparedChange } from './change.js';
import type { CurrentObject } from './current-object.js';
import { prepareDelete } from './delete.js';
import { sameSpec } from './update.js';
import { validateObject } from './validate-write.js';

/** The write of an earlier state of an object, with its uid and its times. */
export interface RestoreRequest {
  readonly verb: 'restore';
  readonly resource: Resource;
  /** The full name. */
  readonly name: string;
  /** In the storage version and the present shape of the model; undefined: the object did not exist. */
  readonly state: ExtensionObject | undefined;
  /** Parts that stay as they are. */
  readonly keeps: { readonly status: boolean; readonly finalizers: boolean };
  /** The revision that the object must have, 0 when it must not exist; undefined when an earlier request wrote it. */
  readonly expected: number | undefined;
  /** True when another object of the name comes in its place, so that a removal cannot wait for finalizers. */
  readonly isReplaced: boolean;
}

const NO_REVISION = 0;

/**
 * Prepares the write of an earlier state. Violations that the state had at that time are warnings.
 * @throws ServiceError `Conflict` when the object is not the expected one, `Invalid`
 */
export function prepareRestore(
  context: ServiceContext,
  { model, current }: { readonly model: ModelView; readonly current: CurrentObject | undefined },
  request: RestoreRequest,
  options: WriteOptions,
): PreparedChange {
  const { state, name, expected } = request;
  if (expected !== undefined && (current?.revision ?? NO_REVISION) !== expected)
    throw conflict(`${getSubject(model.resource, name)} was changed meanwhile; try again`);
  if (state !== undefined) return prepareState(context, { model, current }, { ...request, state }, options);
  if (current === undefined)
    throw conflict(`${getSubject(model.resource, name)} was deleted meanwhile; try again`);
  return prepareDelete(context, current, { forceFinalizers: request.isReplaced });
}

function prepareState(
  context: ServiceContext,
  { model, current }: { readonly model: ModelView; readonly current: CurrentObject | undefined },
  { state, keeps }: RestoreRequest & { readonly state: ExtensionObject },
  options: WriteOptions,
): PreparedChange {
  const { table } = model;
  const old = current?.object;
  const object = cloneJson(old === undefined ? state : placedOn(old, state, keeps));
  if (current !== undefined && old !== undefined && deepEqual(old, object)) return keep(current);
  const warnings = validateObject(table, object, options, cloneJson(object));
  const isSpecChanged = old !== undefined && !sameSpec(table.resource, old, object);
  nextVersion(object.metadata, { at: context.now(), isSpecChanged });
  const ready = { ...answeredWith(model, object), object: new ReadyObject(table, object), warnings };
  return old === undefined
    ? { kind: 'insert', ...ready, isNameGenerated: false }
    : { kind: 'replace', ...ready };
}

/** A state as the next one of an existing object. Members keep the order that they have in the state. */
function placedOn(
  old: ExtensionObject,
  state: ExtensionObject,
  keeps: RestoreRequest['keeps'],
): ExtensionObject {
  const { uid, generation, resourceVersion, creationTimestamp, updateTimestamp } = old.metadata;
  const metadata: Metadata = {
    ...state.metadata,
    uid,
    generation,
    resourceVersion,
    creationTimestamp,
    updateTimestamp,
    ...('version' in old.metadata && { version: old.metadata.version }),
  };
  const next: ExtensionObject = { ...state, metadata };
  if (keeps.finalizers) setOrRemove(metadata, 'finalizers', old.metadata.finalizers);
  if (keeps.status) setOrRemove(next, 'status', old.status);
  return next;
}

function setOrRemove<T extends object, K extends keyof T>(target: T, name: K, value: T[K] | undefined): void {
  if (value === undefined) Reflect.deleteProperty(target, name);
  else target[name] = value;
}
