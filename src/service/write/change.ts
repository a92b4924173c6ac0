import { formatExcerpt, ServiceError, unavailable } from '../../errors.js';
import { fullName, splitFullName } from '../../model/full-name.js';
import type { ExtensionObject, Metadata } from '../../model/object.js';
import { ObjectText, type ReadyObject } from '../../store/ready-object.js';
import { qualifiedPlural } from '../../model/resource.js';
import type { Table } from '../../store/table.js';
import { parseObject, type StoredObject } from '../../store/object-record.js';
import type { StoreTransaction } from '../../store/transaction.js';
import { CurrentObject } from './current-object.js';
import { RawWriteResult } from './result.js';
import type { ModelView } from '../read/view.js';
import { getDetails } from '../object-errors.js';

/** The change that a request makes, for one commit. */
export type PreparedChange = {
  readonly table: Table;
  readonly warnings: readonly string[];
  /** The object in the version of the request; undefined when that is the storage version. */
  readonly answer: ObjectText | undefined;
} & (
  | { readonly kind: 'insert'; readonly object: ReadyObject; readonly isNameGenerated: boolean }
  | { readonly kind: 'replace' | 'mark'; readonly object: ReadyObject }
  | { readonly kind: 'remove'; readonly object: ObjectText }
  | { readonly kind: 'keep'; readonly object: { readonly metadata: Metadata } }
);

/** The full name of the object. */
export function changedName({ table, object }: PreparedChange): string {
  return fullName(table.resource, object.metadata);
}

/** A change that stores nothing. */
export function keep(current: CurrentObject, warnings: readonly string[] = []): PreparedChange {
  const { model, metadata } = current;
  // The commit may find the same object in another stored version.
  const answer = model.isVerbatim ? undefined : new ObjectText(current.shown);
  return { kind: 'keep', table: model.table, answer, object: { metadata }, warnings };
}

/**
 * The answer for an object that will be stored, or stays.
 * @throws ConversionError
 */
export function answeredWith(
  model: ModelView,
  object: ExtensionObject,
): Pick<PreparedChange, 'table' | 'answer'> {
  return {
    table: model.table,
    answer: model.isObjectOf(object) ? undefined : new ObjectText(model.shown(object)),
  };
}

/** Placeholder for the revision before the commit assigns it. */
export const PENDING = 'not yet known';

/** The state for a later request of the same commit; undefined when the object will be removed. */
export function pendingObject(
  model: ModelView,
  { kind, object }: Exclude<PreparedChange, { kind: 'keep' }>,
): CurrentObject | undefined {
  if (kind === 'remove') return undefined;
  const bytes = Buffer.from(object.json(PENDING));
  return new CurrentObject(model, parseObject(bytes), undefined, bytes.length);
}

/** The stored object or its model changed after the preparation, so the change must be prepared again. */
export class Stale extends Error {
  /** @param refusal error for the client after too many attempts */
  constructor(readonly refusal: ServiceError) {
    super('prepared for an outdated state');
  }
}

/**
 * Makes a change in a commit.
 * @param stored the object in the commit
 * @throws Stale, or ServiceError `AlreadyExists`, `RequestEntityTooLarge`
 */
export function applyChange(
  tx: StoreTransaction,
  change: PreparedChange,
  stored: StoredObject | undefined,
): RawWriteResult {
  const { table, warnings, answer } = change;
  const { metadata } = change.object;
  if (tx.current(table) !== table) throw staleObject(table, changedName(change));
  const text = storeChange(tx, change, stored);
  const isChanged = change.kind !== 'keep';
  const resourceVersion = String(isChanged ? tx.lastRevision : stored?.revision);
  const json = answer === undefined ? text : Buffer.from(answer.json(resourceVersion));
  const { namespace } = splitFullName(changedName(change));
  const named = { name: metadata.name, ...(namespace !== undefined && { namespace }) };
  const effect = change.kind === 'insert' ? 'created' : isChanged ? 'changed' : 'none';
  return new RawWriteResult(json, { ...named, resourceVersion }, effect, warnings);
}

function storeChange(tx: StoreTransaction, change: PreparedChange, stored: StoredObject | undefined): Buffer {
  if (change.kind === 'insert') {
    if (stored !== undefined) throw nameTaken(change);
    return tx.insert(change.object);
  }
  if (stored === undefined) throw staleObject(change.table, changedName(change));
  switch (change.kind) {
    case 'keep':
      return stored.bytes;
    case 'replace':
      return tx.replace(change.object, stored);
    case 'mark':
      return tx.mark(change.object, stored);
    case 'remove':
      return tx.remove(change.table, change.object, stored);
  }
}

export function staleObject({ resource }: Table, name: string): Stale {
  const { kind } = resource;
  return new Stale(
    unavailable(
      `concurrent changes to ${kind} "${formatExcerpt(name)}"; try again`,
      getDetails(resource, name),
    ),
  );
}

/** The error of a create whose name exists; for a generated name, another one can be tried. */
export function nameTaken({
  table,
  object,
  isNameGenerated,
}: Extract<PreparedChange, { kind: 'insert' }>): ServiceError | Stale {
  const name = formatExcerpt(object.metadata.name);
  const what = qualifiedPlural(table.resource);
  const refusal = new ServiceError('AlreadyExists', `${what} "${name}" already exists`, {
    ...getDetails(table.resource, fullName(table.resource, object.metadata)),
    causes: [{ field: 'metadata.name', reason: 'FieldValueDuplicate', message: `"${name}" already exists` }],
  });
  return isNameGenerated ? new Stale(refusal) : refusal;
}
