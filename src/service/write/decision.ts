import { formatExcerpt, ServiceError, unavailable } from '../../errors.js';
import type { ExtensionObject, Metadata } from '../../model/object.js';
import { ObjectText, type ReadyObject } from '../../store/ready-object.js';
import { qualifiedPlural } from '../../model/resource.js';
import type { Table } from '../../store/table.js';
import { parseObject, type StoredObject } from '../../store/object-record.js';
import type { StoreTransaction } from '../../store/transaction.js';
import type { CurrentObject } from './current-object.js';
import { statusPart } from './status-part.js';
import { getDetails } from './validate-write.js';
import type { WriteResult } from '../verbs.js';
import type { ModelView } from '../read/view.js';

/**
 * The decision of a write. It depends only on the present object and the request, so it may be computed before its
 * commit.
 */
export type Decision = {
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

/** A decision that stores nothing. */
export function keep(model: ModelView, found: CurrentObject, warnings: readonly string[] = []): Decision {
  const { metadata } = found;
  // The commit may find the same object in another stored version.
  const answer = model.isVerbatim ? undefined : new ObjectText(found.shown);
  return { kind: 'keep', table: model.table, answer, object: { metadata }, warnings };
}

/**
 * The answer for an object that will be stored, or stays.
 * @throws ConversionError
 */
export function answeredWith(model: ModelView, object: ExtensionObject): Pick<Decision, 'table' | 'answer'> {
  return {
    table: model.table,
    answer: model.isObjectOf(object) ? undefined : new ObjectText(model.shown(object)),
  };
}

/** Placeholder for the revision before the commit assigns it. */
export const PENDING = 'not yet known';

/** The object changed after the decision, so it must be decided again. */
export class Stale extends Error {
  /** @param refusal error for the client after too many attempts */
  constructor(readonly refusal: ServiceError) {
    super('decided on an outdated state');
  }
}

/** The result of a write; the object is parsed on demand. */
export class Written implements WriteResult {
  private parsed: ExtensionObject | undefined;

  constructor(
    /** The object as JSON. */
    readonly json: Buffer,
    readonly metadata: { readonly name: string; readonly resourceVersion: string },
    readonly changed: boolean,
    readonly warnings: readonly string[],
  ) {}

  /** The same result with more warnings. */
  with(warnings: readonly string[]): Written {
    return new Written(this.json, this.metadata, this.changed, [...this.warnings, ...warnings]);
  }

  /** The result with only metadata and status. */
  statusOnly(): Written {
    const json = Buffer.from(JSON.stringify(statusPart(this.object)));
    return new Written(json, this.metadata, this.changed, this.warnings);
  }

  get object(): ExtensionObject {
    return (this.parsed ??= parseObject(this.json));
  }
}

/**
 * Applies a decision in a commit.
 * @param stored the object in the commit
 * @throws Stale, or ServiceError `AlreadyExists`, `RequestEntityTooLarge`
 */
export function apply(tx: StoreTransaction, decision: Decision, stored: StoredObject | undefined): Written {
  const { table, warnings, answer } = decision;
  const { name } = decision.object.metadata;
  if (tx.current(table) !== table) throw outdated(table, name);
  if (decision.kind === 'insert' && stored !== undefined) throw taken(decision);
  if (decision.kind === 'keep') {
    if (stored === undefined) throw outdated(table, name);
    const resourceVersion = String(stored.revision);
    const json = answer === undefined ? stored.bytes : Buffer.from(answer.json(resourceVersion));
    return new Written(json, { name, resourceVersion }, false, warnings);
  }
  const left = change(tx, decision, stored);
  const resourceVersion = String(tx.lastRevision);
  const json = answer === undefined ? left : Buffer.from(answer.json(resourceVersion));
  return new Written(json, { name, resourceVersion }, true, warnings);
}

function change(
  tx: StoreTransaction,
  decision: Exclude<Decision, { kind: 'keep' }>,
  stored: StoredObject | undefined,
): Buffer {
  if (decision.kind === 'insert') return tx.insert(decision.object);
  if (stored === undefined) throw outdated(decision.table, decision.object.metadata.name);
  switch (decision.kind) {
    case 'replace':
      return tx.replace(decision.object, stored);
    case 'mark':
      return tx.mark(decision.object, stored);
    case 'remove':
      return tx.remove(decision.table, decision.object, stored);
  }
}

export function outdated({ resource }: Table, name: string): Stale {
  const { kind } = resource;
  return new Stale(
    unavailable(
      `concurrent changes to ${kind} "${formatExcerpt(name)}"; try again`,
      getDetails(resource, name),
    ),
  );
}

/** The error of a create whose name exists; for a generated name, another one can be tried. */
export function taken({
  table,
  object,
  isNameGenerated,
}: Extract<Decision, { kind: 'insert' }>): ServiceError | Stale {
  const name = formatExcerpt(object.metadata.name);
  const what = qualifiedPlural(table.resource);
  const refusal = new ServiceError('AlreadyExists', `${what} "${name}" already exists`, {
    ...getDetails(table.resource, object.metadata.name),
    causes: [{ field: 'metadata.name', reason: 'FieldValueDuplicate', message: `"${name}" already exists` }],
  });
  return isNameGenerated ? new Stale(refusal) : refusal;
}
