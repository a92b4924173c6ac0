import { deepEqual, isRecord } from '../../../lib/json/json.js';
import type { ExtensionObject, Metadata, ObjectDraft } from '../../../model/object.js';
import type { ServiceContext } from '../../context.js';
import type { ModelView } from '../../read/view.js';
import type { WriteOptions, WrittenPart } from '../../verbs.js';
import { OWN_MANAGER, type ManagedFields } from './field-managers.js';

/** A write whose managers are to be kept. */
export interface KeptWrite {
  readonly model: ModelView;
  readonly part: WrittenPart;
  readonly options: WriteOptions;
  /** As the sender stated it. */
  readonly body: unknown;
  readonly before: ExtensionObject | undefined;
  readonly after: ObjectDraft;
}

/**
 * The `managedFields` after a write. They are kept from the create on for models of Kubernetes' rules, and from the first apply on
 * for models of plugins.
 * @param isSame true for a write that leaves everything else as it is
 */
export function managedFieldsAfter(
  { fieldManagers, now }: Pick<ServiceContext, 'fieldManagers' | 'now'>,
  { model, part, options, body, before, after }: KeptWrite,
  isSame = false,
): ManagedFields {
  const known = before && managedFieldsOf(before.metadata);
  const stated = isRecord(body) && isRecord(body.metadata) ? body.metadata.managedFields : undefined;
  const isKept =
    before === undefined ? model.resource.origin !== undefined && isNamed(options) : known !== undefined;
  if (fieldManagers === undefined || !isKept) return known;
  if (isSame && (stated === undefined || stated === null || deepEqual(stated, known))) return known;
  const manager = options.fieldManager ?? OWN_MANAGER;
  const next = fieldManagers.afterWrite({ model, part, manager, now: now(), before, after, stated });
  return deepEqual(next, known) ? known : next;
}

/** Objects that the service makes by itself have no managers. */
function isNamed({ fieldManager }: WriteOptions): boolean {
  return fieldManager !== undefined;
}

export function managedFieldsOf({ managedFields }: Partial<Metadata>): ManagedFields {
  return Array.isArray(managedFields) ? managedFields : undefined;
}

/**
 * True when a write leaves the managers as they are.
 * @param options.isSame true for a write that leaves everything else as it is: new times alone are no change then
 */
export function isSameManagers(
  managedFields: ManagedFields = [],
  known: ManagedFields = [],
  { isSame }: { readonly isSame: boolean },
): boolean {
  if (managedFields === known || deepEqual(managedFields, known)) return true;
  return isSame && deepEqual(managedFields.map(withoutTime), known.map(withoutTime));
}

function withoutTime(entry: unknown): unknown {
  if (!isRecord(entry)) return entry;
  const { time: _, ...rest } = entry;
  return rest;
}

/** Replaces the managers of an object. */
export function setManagedFields(metadata: Metadata, managedFields: ManagedFields): void {
  if (managedFields === undefined || managedFields.length === 0)
    Reflect.deleteProperty(metadata, 'managedFields');
  else metadata.managedFields = managedFields;
}
