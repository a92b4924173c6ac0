import { formatExcerpt } from '../errors.js';
import { fieldPath } from '../model/validate/field-path.js';
import { referenceValues, type ModelReference } from '../model/references/reference.js';
import { targetName } from '../model/references/target-name.js';
import type { Scheme } from '../model/declare/scheme.js';
import { InvalidObjects, type InvalidObject, type ScannedRecord } from './scan.js';
import type { Store } from '../store/store.js';

/** Names in a field that belong to no object. */
export interface Dangling {
  readonly reference: ModelReference;
  /** The number of such names. */
  readonly count: number;
  /** The first of them, with the referring objects. */
  readonly examples: readonly InvalidObject[];
}

/** Counts the names without a target during a scan of a model's objects. */
export class DanglingFinder {
  readonly #found = new Map<ModelReference, InvalidObjects>();
  readonly #references: readonly ModelReference[];

  constructor(
    private readonly store: Store,
    { resource }: Scheme,
  ) {
    this.#references = resource.references ?? [];
  }

  /** Objects that are being deleted may refer to deleted objects. */
  readonly add = async (some: readonly ScannedRecord[]): Promise<void> => {
    for (const reference of this.#references) {
      const target = this.store.findTable(reference)?.resource ?? {};
      const values = some.flatMap(({ name, checked: { object } }) =>
        object === undefined || object.metadata.deletionTimestamp !== undefined
          ? []
          : referenceValues(reference, object).map(({ at, name: value }) => {
              return { name, at, value, full: targetName(target, name, value) };
            }),
      );
      const known = await this.#known(
        reference,
        values.map(({ full }) => full),
      );
      for (const { name, at, value, full } of values)
        if (!known.has(full))
          this.#add(reference, {
            name,
            problem: `${fieldPath(at)}: ${reference.kind} "${formatExcerpt(value)}" not found`,
          });
    }
  };

  #add(reference: ModelReference, example: InvalidObject): void {
    const known = this.#found.get(reference) ?? new InvalidObjects();
    this.#found.set(reference, known);
    known.add(example);
  }

  async #known(reference: ModelReference, names: readonly string[]): Promise<ReadonlySet<string>> {
    const table = this.store.findTable(reference);
    if (table === undefined || names.length === 0) return new Set();
    const distinct = [...new Set(names)];
    return this.store.within(async (view) => {
      const ids = await view.findIds(table, distinct);
      return new Set(distinct.filter((_name, i) => ids[i] !== undefined));
    });
  }

  get count(): number {
    return this.found().reduce((sum, { count }) => sum + count, 0);
  }

  /** Fields with such names. */
  found(): readonly Dangling[] {
    return [...this.#found].map(([reference, { count, named }]) => ({ reference, count, examples: named }));
  }
}

/** Describes the problem of a field for people. */
export function danglingText({ reference: { field, kind }, count }: Dangling): string {
  return `${count} ${count === 1 ? 'value' : 'values'} of ${field} ${count === 1 ? 'refers' : 'refer'} to a missing ${kind}`;
}
