import { ServiceError, type Cause } from '../../../errors.js';
import { getOwn, isRecord } from '../../../lib/json/json.js';
import { fullName } from '../../../model/full-name.js';
import type { ExtensionObject, ObjectDraft } from '../../../model/object.js';
import { referenceValues, type ModelReference } from '../../../model/references/reference.js';
import { targetName } from '../../../model/references/target-name.js';
import { modelKey } from '../../../model/resource.js';
import { fieldPath } from '../../../model/validate/field-path.js';
import { isRival, takenCause } from '../../../store/index/entries.js';
import { entriesWith } from '../../../store/index/keys.js';
import { isMarked } from '../../../store/index/referrers.js';
import type { StoredObject } from '../../../store/object-record.js';
import type { CurrentView } from '../../../store/store.js';
import type { Table, TableIndex } from '../../../store/table.js';
import type { ServiceContext } from '../../context.js';
import { getSubject, invalidObject } from '../../object-errors.js';
import { missingFault, targetCause } from '../../references/faults.js';
import type { ModelView } from '../../read/view.js';

/** Most names and values of a refused object that are looked for in the store. */
const LOOKUPS_MAX = 200;

/** An object that is refused already, and what is known. */
export interface RefusedObject {
  readonly model: ModelView;
  readonly object: ObjectDraft;
  readonly error: ServiceError;
  /** True for an object that another request of the same commit changes: nothing can be said of it. */
  readonly isChanging: (table: Table, name: string) => boolean;
}

/**
 * The refusal of an object with all its faults: adds missing targets of references and taken unique values to the known
 * ones. Fields with a known fault are not looked for. It is `Invalid` when one of the faults is not a taken value.
 */
export async function withStoreFaults(
  context: ServiceContext,
  refused: RefusedObject,
): Promise<ServiceError> {
  const { error, model, object } = refused;
  // The fields of other versions are not those of the indexes.
  if (!model.isStorage || !isObject(object)) return error;
  try {
    const found = await new StoreFaults(await context.store.readCurrent(), { ...refused, object }).find();
    return found.length === 0 ? error : refusal(refused, found);
  } catch (failure) {
    // The known faults are a complete reason to refuse the object.
    if (failure instanceof ServiceError) return error;
    throw failure;
  }
}

function refusal({ error, model, object }: RefusedObject, found: readonly Cause[]): ServiceError {
  const { resource } = model;
  const causes = [...knownCauses(error), ...found];
  if (causes.some(({ reason }) => reason !== 'FieldValueDuplicate'))
    return invalidObject(resource, object, causes);
  const message = causes.map(({ field, message: text }) => `${field} ${text}`).join('; ');
  return new ServiceError(error.code, `${getSubject(resource, nameOf(object))}: ${message}`, {
    ...error.details,
    causes,
  });
}

/** Taken values are looked for again: a commit finds only the first. */
function knownCauses({ details }: ServiceError): readonly Cause[] {
  return (details.causes ?? []).filter(({ reason }) => reason !== 'FieldValueDuplicate');
}

/** The faults of one object that only the store knows. */
class StoreFaults {
  readonly #known: ReadonlySet<string>;
  #lookups = 0;

  constructor(
    private readonly current: CurrentView,
    private readonly refused: RefusedObject & { readonly object: ExtensionObject },
  ) {
    this.#known = new Set(knownCauses(refused.error).map(({ field }) => field));
  }

  async find(): Promise<Cause[]> {
    const { view } = this.current;
    const { table } = this.refused.model;
    try {
      const stored = await view.find(table, this.#name);
      const before = stored && table.parseForIndexes(stored.bytes);
      // Without a conversion it is unknown what the write adds.
      if (stored !== undefined && before === undefined) return [];
      return [...(await this.#missing(before)), ...(await this.#taken(stored, before))];
    } finally {
      view.close();
    }
  }

  get #name(): string {
    return fullName(this.refused.model.resource, this.refused.object.metadata);
  }

  async #missing(before: ExtensionObject | undefined): Promise<Cause[]> {
    const causes: Cause[] = [];
    for (const reference of this.refused.model.table.references) {
      const had = new Map(
        before && referenceValues(reference, before).map(({ at, name }) => [fieldPath(at), name]),
      );
      for (const { at, name } of referenceValues(reference, this.refused.object)) {
        const field = fieldPath(at);
        if (this.#known.has(field) || had.get(field) === name || !this.#mayLook()) continue;
        const cause = await this.#judgeTarget(reference, field, name);
        if (cause !== undefined) causes.push(cause);
      }
    }
    return causes;
  }

  async #judgeTarget(reference: ModelReference, field: string, value: string): Promise<Cause | undefined> {
    const { view, tables } = this.current;
    const target = tables.get(modelKey(reference));
    if (target === undefined) return targetCause(reference, 'unknown', field, value);
    const name = targetName(target.resource, this.#name, value);
    if (this.refused.isChanging(target, name)) return undefined;
    const found = await view.find(target, name);
    if (found === undefined) {
      const isItself = target === this.refused.model.table && name === this.#name;
      return isItself ? undefined : targetCause(reference, missingFault(target, name), field, value);
    }
    return isMarked(found.bytes) ? targetCause(reference, 'deleting', field, value) : undefined;
  }

  async #taken(stored: StoredObject | undefined, before: ExtensionObject | undefined): Promise<Cause[]> {
    const causes: Cause[] = [];
    for (const index of this.refused.model.table.indexes) {
      if (!index.unique || !index.ready || this.#known.has(index.name)) continue;
      const had = before === undefined ? [] : valuesOf(index, before);
      for (const value of valuesOf(index, this.refused.object)) {
        if (had.some((one) => one.equals(value)) || !this.#mayLook()) continue;
        const holder = await this.#findHolder(index, value, stored?.id);
        if (holder !== undefined) causes.push(takenCause(this.refused.model.table, index, { value, holder }));
      }
    }
    return causes;
  }

  /** The name of another object of the namespace that has the value. */
  async #findHolder(index: TableIndex, value: Buffer, own: number | undefined): Promise<string | undefined> {
    const { view } = this.current;
    const { table } = this.refused.model;
    for await (const ids of view.entryIds(entriesWith(index.id, index.keyType, value))) {
      const others = await view.readNames(
        table,
        ids.filter((id) => id !== own),
      );
      const holder = others.find((name) => isRival(name, this.#name));
      if (holder !== undefined) return this.refused.isChanging(table, holder) ? undefined : holder;
    }
    return undefined;
  }

  #mayLook(): boolean {
    this.#lookups += 1;
    return this.#lookups <= LOOKUPS_MAX;
  }
}

/** None where the index cannot read the object: it does not fit its schema. */
function valuesOf({ declared }: TableIndex, object: ExtensionObject): readonly Buffer[] {
  try {
    return declared?.values(object) ?? [];
  } catch {
    return [];
  }
}

/** True for an object whose name can be looked for. */
function isObject(object: ObjectDraft): object is ExtensionObject {
  return nameOf(object) !== undefined;
}

function nameOf({ metadata }: ObjectDraft): string | undefined {
  const name = isRecord(metadata) ? getOwn(metadata, 'name') : undefined;
  return typeof name === 'string' ? name : undefined;
}
