import { ConversionError } from '../../model/evolve/conversion.js';
import { fullName } from '../../model/full-name.js';
import { nextVersion } from '../../model/object.js';
import { withoutReference, type ModelReference } from '../../model/references/reference.js';
import { referringValue } from '../../model/references/target-name.js';
import { ReadyObject } from '../../store/ready-object.js';
import { isMarked, type Incoming } from '../../store/index/referrers.js';
import type { Table } from '../../store/table.js';
import type { WrittenChange, StoreTransaction } from '../../store/transaction.js';
import type { ServiceContext } from '../context.js';
import { applyChange, type PreparedChange } from '../write/change.js';
import { deferDeletion, CascadeTooLarge, getObjectKey } from './defer-deletion.js';
import { currentObject, type CurrentObject } from '../write/current-object.js';
import { prepareDelete } from '../write/delete.js';
import { unfitReferrer } from './faults.js';
import { judgeValues } from './values.js';
import type { DeletedTarget, NamedTarget, Restriction, RefusalForm, WrittenObject } from './work.js';
import { refuseReferred } from './restrict.js';
import type { ClearedRestrictions } from './cleared-restrictions.js';
import { sameSpec } from '../write/update.js';
import { ModelView } from '../read/view.js';

export interface EnforcerOptions extends RefusalForm {
  /** Objects whose cascades run in later commits; see {@link getObjectKey}. */
  readonly deferred: ReadonlySet<string>;
  readonly cleared: ClearedRestrictions;
}

/** True when the changed object's model has references, or when other models refer to it. */
export function concernsReferences(tx: StoreTransaction, { table }: WrittenChange): boolean {
  return table.references.length > 0 || tx.incoming(table).length > 0;
}

/**
 * Enforces references in one commit. It receives each change. At the end it deletes or clears the referrers of
 * deleted objects, and refuses references without a target. All reads and writes are part of the commit.
 */
export class ReferenceEnforcer {
  /** True when the commit leaves cascades for later commits. */
  hasDeferred = false;
  readonly #written = new Map<string, WrittenObject>();
  readonly #ends: DeletedTarget[] = [];
  readonly #restrictions: Restriction[] = [];
  readonly #views = new Map<Table, ModelView>();
  readonly #deferred: Set<string>;
  /** Number of objects that may still be changed. */
  #left: number;
  /** The deletion that is being followed, after the changes of the request itself. */
  #following: DeletedTarget | undefined;

  constructor(
    private readonly tx: StoreTransaction,
    private readonly context: ServiceContext,
    private readonly options: EnforcerOptions,
  ) {
    this.#deferred = new Set(options.deferred);
    this.#left = context.cascadeMax;
  }

  /**
   * Must be called for each change that concerns references, at the time of the change.
   * @param position the item of the request that causes it
   */
  note(change: WrittenChange, position: number): void {
    const { table, name, old, next } = change;
    if (table.references.length > 0) this.#noteWritten(change, position);
    if (this.tx.incoming(table).length === 0) return;
    const isNew = old === undefined || !isMarked(old.bytes);
    if (next !== undefined && !(isNew && isMarked(next.json))) return;
    const by = this.#following ?? { position, root: { table, name } };
    const hasRoom = this.#following !== undefined;
    this.#ends.push({ table, name, isNew, hasRoom, position: by.position, root: by.root });
  }

  #noteWritten({ table, name, old, next }: WrittenChange, position: number): void {
    const key = getObjectKey(table, name);
    const noted = this.#written.get(key);
    if (this.#following !== undefined) {
      // Only objects that the request wrote are checked, but in their final state.
      if (noted !== undefined) this.#written.set(key, { ...noted, next });
      return;
    }
    // The state before the commit, without its own earlier changes.
    const before = old && (noted === undefined ? old : noted.old);
    this.#written.set(key, { table, name, old: before, next, position });
  }

  /**
   * Applies the consequences of the changes, after all of them.
   * @returns warnings by item: names without a target that a write left unchanged
   * @throws ServiceError `Conflict` for a deletion that is refused, `Invalid` for a name without a target;
   * CascadeTooLarge; TooManyReferrers
   */
  settle(): ReadonlyMap<number, readonly string[]> {
    this.#deferLarge();
    // The loop also visits the deletions that it appends.
    for (const end of this.#ends) this.#follow(end);
    this.#following = undefined;
    refuseReferred(this.tx, this.#restrictions, this.options);
    return judgeValues(this.tx, this.#written.values(), this.options.located);
  }

  /**
   * Deletes or clears objects that refer to a deleted one.
   * @param ids of recent referrers
   * @returns number of those that still referred to it
   */
  endReferrers(incoming: Incoming, ids: readonly number[], target: NamedTarget): number {
    const end = { ...target, isNew: false, hasRoom: true, position: 0, root: target };
    let ended = 0;
    for (const id of ids) if (this.#endReferrer(incoming, id, end)) ended++;
    return ended;
  }

  #deferLarge(): void {
    const large: DeletedTarget[] = [];
    for (const end of this.#ends) {
      const { table, name, hasRoom } = end;
      if (hasRoom) continue;
      if (this.#deferred.has(getObjectKey(table, name))) this.hasDeferred = true;
      else if (this.#isGoing(table, name) && !this.#reserve(table, name)) large.push(end);
    }
    if (large.length > 0) throw new CascadeTooLarge(large);
  }

  /** False when the same commit created an object of the name again. */
  #isGoing(table: Table, name: string): boolean {
    const found = this.tx.find(table, name);
    return found === undefined || isMarked(found.bytes);
  }

  /** Reserves room in the commit for an object's cascade; false when the room is too small. */
  #reserve(table: Table, name: string): boolean {
    let count = 0;
    for (const incoming of this.tx.incoming(table)) {
      if (incoming.reference.onDelete === 'restrict') continue;
      for (const _id of this.tx.referrers(incoming, name)) if (++count > this.#left) return false;
    }
    this.#left -= count;
    return true;
  }

  #follow(end: DeletedTarget): void {
    const { table, name } = end;
    this.#following = end;
    if (!this.#isGoing(table, name)) return;
    const isDeferred = this.#deferred.has(getObjectKey(table, name));
    for (const incoming of this.tx.incoming(table)) {
      const building = incoming.index.ready ? undefined : incoming.table.building();
      if (building !== undefined) throw building;
      if (incoming.reference.onDelete === 'restrict') {
        // An earlier deletion is not blocked by later references.
        if (end.isNew) this.#restrictions.push({ end, incoming, isDeferred });
      } else if (!isDeferred) {
        for (const id of [...this.tx.referrers(incoming, name)]) this.#endReferrer(incoming, id, end);
      }
    }
  }

  /** @returns true when it existed and was not being deleted already */
  #endReferrer({ table, reference }: Incoming, id: number, target: DeletedTarget): boolean {
    const stored = this.tx.findById(table, id);
    if (stored === undefined || isMarked(stored.bytes)) return false;
    const outer = this.#following;
    this.#following = target;
    this.tx.verb = 'delete';
    const found = currentObject(this.#viewOf(table), stored);
    const change =
      reference.onDelete === 'clear'
        ? this.#prepareClear(table, found, target)
        : this.#prepareDelete(table, found);
    const { changed } = applyChange(this.tx, change, stored);
    this.#following = outer;
    return changed;
  }

  /** @throws ServiceError `Conflict` for an object that cannot be converted, because its field is not known then */
  #prepareClear(table: Table, found: CurrentObject, target: NamedTarget): PreparedChange {
    try {
      return prepareClear(
        this.#clearing(table, target.table),
        { table, found, at: this.context.now() },
        target.name,
      );
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
      throw unfitReferrer(
        { table, name: fullName(table.resource, found.metadata) },
        error,
        this.options.mayList,
      );
    }
  }

  /** The fields that lose the name of a deleted object; all of them change together. */
  #clearing(table: Table, target: Table): readonly ModelReference[] {
    return this.tx
      .incoming(target)
      .filter((incoming) => incoming.table === table && incoming.reference.onDelete === 'clear')
      .map(({ reference }) => reference);
  }

  #prepareDelete(table: Table, found: CurrentObject): PreparedChange {
    const name = fullName(table.resource, found.metadata);
    const change = prepareDelete(this.context, found, {});
    if (this.#reserve(table, name)) return change;
    this.#deferred.add(getObjectKey(table, name));
    this.hasDeferred = true;
    return deferDeletion(change);
  }

  #viewOf(table: Table): ModelView {
    const known = this.#views.get(table) ?? new ModelView(table, table.resource);
    this.#views.set(table, known);
    return known;
  }
}

/** The object without the full name. Errors in the object do not block the deletion of its target. */
function prepareClear(
  references: readonly ModelReference[],
  { table, found, at }: { readonly table: Table; readonly found: CurrentObject; readonly at: Date },
  name: string,
): PreparedChange {
  const before = found.object;
  const unwanted = referringValue(table.resource, name);
  const object = references.reduce((next, reference) => withoutReference(reference, next, unwanted), before);
  nextVersion(object.metadata, { at, isSpecChanged: !sameSpec(table.resource, before, object) });
  const ready = new ReadyObject(table, object, () => true);
  return { kind: 'mark', table, answer: undefined, warnings: [], object: ready };
}
