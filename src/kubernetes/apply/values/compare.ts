import { deepEqual, getOwn, isRecord } from '../../../lib/json/json.js';
import { fieldElement, type PathElement } from '../paths/element.js';
import { union } from '../paths/algebra.js';
import { PathSet } from '../paths/path-set.js';
import {
  kindOf,
  memberType,
  NO_TYPE,
  type ValueKinds,
  type ListType,
  type MapType,
} from '../types/field-type.js';
import { groupItems } from './list-item.js';

/** The fields in which a value differs from another one. No field is in two of the sets. */
export interface FieldComparison {
  readonly removed: PathSet;
  readonly modified: PathSet;
  readonly added: PathSet;
}

/** Undefined is the absence of a value. */
type Side = unknown;

class Comparing implements FieldComparison {
  readonly removed = new PathSet();
  readonly modified = new PathSet();
  readonly added = new PathSet();
  readonly #path: PathElement[] = [];

  visit(before: Side, after: Side, type: ValueKinds): void {
    if (before === after) return;
    const kind = kindOf(type, before === undefined ? after : before);
    let isWhole = this.#compareAs(kind, before, after, type);
    const next = before === undefined || after === undefined ? kind : kindOf(type, after);
    if (next !== kind) isWhole = this.#compareAs(next, before, after, type);
    if (!isWhole && before === undefined) this.added.insert(this.#path);
    if (!isWhole && after === undefined) this.removed.insert(this.#path);
  }

  /** @returns true when the field was compared as one value */
  #compareAs(kind: string | undefined, before: Side, after: Side, { map, list }: ValueKinds): boolean {
    if (kind === 'map' && map !== undefined) {
      const [left, right] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
      const names = new Set([...Object.keys(left), ...Object.keys(right)]);
      if (!map.isAtomic && names.size > 0) {
        this.#members(names, left, right, map);
        return false;
      }
    }
    if (kind === 'list' && list !== undefined) {
      const left: readonly unknown[] = Array.isArray(before) ? before : [];
      const right: readonly unknown[] = Array.isArray(after) ? after : [];
      if (list.relation !== 'atomic' && left.length + right.length > 0) {
        this.#items(groupItems(left, list), groupItems(right, list), list);
        return false;
      }
    }
    this.#whole(before, after);
    return true;
  }

  #whole(before: Side, after: Side): void {
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
    else if (!deepEqual(before, after)) this.modified.insert(this.#path);
  }

  #members(
    names: Iterable<string>,
    left: Readonly<Record<string, unknown>>,
    right: Readonly<Record<string, unknown>>,
    map: MapType,
  ): void {
    for (const name of names) {
      this.#path.push(fieldElement(name));
      this.visit(getOwn(left, name), getOwn(right, name), memberType(map, name) ?? NO_TYPE);
      this.#path.pop();
    }
  }

  #items(
    left: ReadonlyMap<PathElement, readonly unknown[]>,
    right: ReadonlyMap<PathElement, readonly unknown[]>,
    { items }: ListType,
  ): void {
    for (const step of new Set([...left.keys(), ...right.keys()])) {
      this.#path.push(step);
      this.#same(left.get(step) ?? [], right.get(step) ?? [], items);
      this.#path.pop();
    }
  }

  /** Compares items of one step. Those that are there several times are one value. */
  #same(before: readonly unknown[], after: readonly unknown[], type: ValueKinds): void {
    const [wasRepeated, isRepeated] = [before.length > 1, after.length > 1];
    if (wasRepeated && isRepeated) this.#whole(before, after);
    else if (wasRepeated) {
      if (after.length > 0) this.visit(undefined, after[0], type);
      this.removed.insert(this.#path);
    } else if (isRepeated) {
      if (before.length > 0) this.visit(before[0], undefined, type);
      this.added.insert(this.#path);
    } else this.visit(before[0], after[0], type);
  }
}

/** Compares two values that follow a type. */
export function compare(before: unknown, after: unknown, type: ValueKinds): FieldComparison {
  const comparing = new Comparing();
  comparing.visit(before, after, type);
  return comparing;
}

/** The fields that have another value than before. */
export function changedFields({ modified, added }: FieldComparison): PathSet {
  return union(modified, added);
}
