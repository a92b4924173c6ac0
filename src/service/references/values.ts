import type { Cause } from '../../errors.js';
import { fieldPath } from '../../model/validate/field-path.js';
import type { ExtensionObject } from '../../model/object.js';
import { referenceValues, type ModelReference } from '../../model/references/reference.js';
import { targetName } from '../../model/references/target-name.js';
import type { IndexValues } from '../../store/index/index-record.js';
import { isMarked } from '../../store/index/referrers.js';
import type { Table } from '../../store/table.js';
import type { StoreTransaction } from '../../store/transaction.js';
import { missingFault, targetCause, withoutTarget, type TargetFault } from './faults.js';
import { getObjectKey } from './defer-deletion.js';
import type { Located, WrittenObject } from './work.js';
import { preexistingWarning } from '../write/validate-write.js';

/**
 * Checks the references of written objects in their final state. A name without a target that the write left
 * unchanged is not refused.
 * @returns warnings about such names, by item
 * @throws ServiceError `Invalid`, located
 */
export function judgeValues(
  tx: StoreTransaction,
  written: Iterable<WrittenObject>,
  located: Located,
): ReadonlyMap<number, readonly string[]> {
  const targets = new Targets(tx);
  const warnings = new Map<number, readonly string[]>();
  for (const one of written) {
    const { next } = one;
    if (next === undefined) continue;
    const doubtful = one.table.references.filter((reference) =>
      namesIn(one.table, reference, next.values).some(
        (name) => targets.findFault(reference, one.name, name) !== undefined,
      ),
    );
    if (doubtful.length === 0) continue;
    const { made, old } = judgeObject(one, next.json, doubtful, targets);
    if (made.length > 0) throw located(one.position, withoutTarget(one, made));
    if (!isMarked(next.json))
      warnings.set(one.position, [...(warnings.get(one.position) ?? []), ...old.map(getWarning)]);
  }
  return warnings;
}

/** The final state of a commit's targets, as a cache: many objects refer to the same one. */
class Targets {
  readonly #faults = new Map<string, TargetFault | undefined>();

  constructor(private readonly tx: StoreTransaction) {}

  /** Undefined when the target exists. @param referrer the full name of the referring object */
  findFault(reference: ModelReference, referrer: string, value: string): TargetFault | undefined {
    const table = this.tx.findTable(reference);
    if (table === undefined) return 'unknown';
    const name = targetName(table.resource, referrer, value);
    const key = getObjectKey(table, name);
    if (this.#faults.has(key)) return this.#faults.get(key);
    const fault = this.#look(table, name);
    this.#faults.set(key, fault);
    return fault;
  }

  #look(table: Table, name: string): TargetFault | undefined {
    const found = this.tx.find(table, name);
    if (found === undefined) return missingFault(table, name);
    return isMarked(found.bytes) ? 'deleting' : undefined;
  }
}

/** The names that an object refers to, from its index values. */
function namesIn(table: Table, { field }: ModelReference, values: IndexValues): readonly string[] {
  const index = table.indexes.find(({ name }) => name === field);
  return index === undefined ? [] : (values.get(index.id) ?? []).map((value) => value.toString());
}

function judgeObject(
  { table, name: referrer, old }: WrittenObject,
  json: Buffer,
  references: readonly ModelReference[],
  targets: Targets,
): { readonly made: readonly Cause[]; readonly old: readonly Cause[] } {
  const [before, now] = [old && table.parseForIndexes(old.bytes), table.parseForIndexes(json)];
  const judged = { made: [] as Cause[], old: [] as Cause[] };
  if (now === undefined) return judged;
  for (const reference of references) {
    const had = before === undefined ? new Map<string, string>() : byPath(reference, before);
    for (const [field, name] of byPath(reference, now)) {
      const fault = targets.findFault(reference, referrer, name);
      if (fault === undefined) continue;
      const causes = had.get(field) === name ? judged.old : judged.made;
      causes.push(targetCause(reference, fault, field, name));
    }
  }
  return judged;
}

function byPath(reference: ModelReference, object: ExtensionObject): ReadonlyMap<string, string> {
  return new Map(referenceValues(reference, object).map(({ at, name }) => [fieldPath(at), name]));
}

function getWarning({ field, message }: Cause): string {
  return preexistingWarning(`${field}: ${message}`);
}
