import { deepEqual, getOwn, isRecord } from '../../lib/json/json.js';
import type { Path } from '../../lib/json/json-difference.js';
import { SYSTEM_METADATA } from '../object.js';
import { byKeys, getKey } from '../rules/schema-rules.js';
import type { SchemaNode } from './node.js';
import { findField } from './repair.js';

/** A place in an object with its value and the earlier one. */
interface Place {
  readonly node: SchemaNode;
  readonly now: unknown;
  readonly old: unknown;
}

/**
 * The object that is replaced. An earlier value is found by its path. An item is found by its keys in a list of the
 * type map, and not at all in another list.
 */
export class Past {
  readonly #unchanged = new WeakMap<object, boolean>();
  readonly #byKeys = new WeakMap<object, ReadonlyMap<string, unknown>>();
  readonly #root: Place;

  /** @param old repaired like the object itself */
  constructor(node: SchemaNode, now: unknown, old: unknown) {
    this.#root = { node, now: withoutSystem(now), old: withoutSystem(old) };
  }

  /** The earlier value of a place; undefined when it had none. */
  find(way: Path): unknown {
    const { place, isWhole } = this.#follow(way);
    return isWhole ? place.old : undefined;
  }

  /** True when the value of a place is as it was: itself, or else the nearest value around it that can be found. */
  isUnchanged(way: Path): boolean {
    return this.#isEqual(this.#follow(way).place);
  }

  #isEqual(place: Place): boolean {
    const { now, old } = place;
    if (typeof now !== 'object' || now === null) return now === old;
    const known = this.#unchanged.get(now) ?? this.#compare(place);
    this.#unchanged.set(now, known);
    return known;
  }

  /** The items of a map have no order. */
  #compare(place: Place): boolean {
    const { node, now, old } = place;
    if (Array.isArray(now) && node.keys !== undefined)
      return (
        Array.isArray(old) &&
        now.length === old.length &&
        now.every((_, at) => this.#isFound(this.#item(place, at)))
      );
    if (!isRecord(now) || !isRecord(old)) return deepEqual(now, old);
    const names = Object.keys(now);
    const isFound = (name: string): boolean =>
      findField(node, name) === undefined
        ? deepEqual(now[name], getOwn(old, name))
        : this.#isFound(getField(place, name));
    return names.length === Object.keys(old).length && names.every(isFound);
  }

  #isFound(place: Place | undefined): boolean {
    return place?.old !== undefined && this.#isEqual(place);
  }

  #follow(way: Path): { readonly place: Place; readonly isWhole: boolean } {
    let place = this.#root;
    for (const step of way) {
      const below = typeof step === 'number' ? this.#item(place, step) : getField(place, step);
      if (below?.old === undefined) return { place, isWhole: false };
      place = below;
    }
    return { place, isWhole: true };
  }

  #item({ node, now, old }: Place, at: number): Place | undefined {
    const { keys, items } = node;
    if (keys === undefined || !Array.isArray(now) || !Array.isArray(old)) return undefined;
    const known = this.#byKeys.get(old) ?? byKeys(old, keys);
    this.#byKeys.set(old, known);
    const item: unknown = now[at];
    return { node: items, now: item, old: known.get(getKey(item, keys)) };
  }
}

function getField({ node, now, old }: Place, name: string): Place | undefined {
  const field = findField(node, name);
  if (field === undefined || !isRecord(now) || !isRecord(old)) return undefined;
  return { node: field, now: getOwn(now, name), old: getOwn(old, name) };
}

/** Without what every write changes. */
function withoutSystem(object: unknown): unknown {
  if (!isRecord(object) || !isRecord(object.metadata)) return object;
  const metadata = { ...object.metadata };
  for (const name of SYSTEM_METADATA) delete metadata[name];
  return { ...object, metadata };
}
