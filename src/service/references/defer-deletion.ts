import type { ExtensionObject } from '../../model/object.js';
import { parseObject } from '../../store/object-record.js';
import { ObjectText, ReadyObject } from '../../store/ready-object.js';
import type { Table } from '../../store/table.js';
import { PENDING, type PreparedChange } from '../write/change.js';
import type { DeletedTarget } from './work.js';

/**
 * The platform's finalizer on a deleted object whose cascade is too large for one commit. The cascade runs in many
 * commits; then the finalizer is removed.
 */
export const CASCADE = 'xsvc.platform.run/cascade';

/** The key of an object of a model, for sets. */
export function getObjectKey({ modelId }: Table, name: string): string {
  return `${modelId}/${name}`;
}

/**
 * The cascade of deleted objects is too large for one commit. The deletions must be deferred, and the write tried again.
 */
export class CascadeTooLarge extends Error {
  constructor(readonly ends: readonly DeletedTarget[]) {
    super('the cascade is too large for one commit');
  }
}

/** The same deletion, but the platform's finalizer keeps the object for now. */
export function deferDeletion(change: PreparedChange): PreparedChange {
  if (change.kind !== 'remove' && change.kind !== 'mark') return change;
  const { table, warnings, object, answer } = change;
  return {
    kind: 'mark',
    table,
    warnings,
    object: new ReadyObject(table, withFinalizer(object), () => true),
    answer: answer && new ObjectText(withFinalizer(answer)),
  };
}

function withFinalizer(text: ObjectText): ExtensionObject {
  const object = parseObject(Buffer.from(text.json(PENDING)));
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(CASCADE)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, CASCADE] } };
}

/** True when a deleted object has the platform's finalizer, by its JSON. */
export function isDeletionDeferred(json: Buffer): boolean {
  if (!json.includes(CASCADE)) return false;
  const { deletionTimestamp, finalizers } = parseObject(json).metadata;
  return deletionTimestamp !== undefined && finalizers?.includes(CASCADE) === true;
}
