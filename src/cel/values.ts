import { fail } from './failure.js';
import { CelScalar, Uint } from './scalars.js';
import type { Steps } from './steps.js';
import type { Type } from './types.js';

/** A CEL value. An int is a bigint, a double a number. Lists and maps read their data on demand. */
export type Value =
  null | boolean | string | bigint | number | Uint8Array | CelScalar | ListValue | MapValue | OptionalValue;

export abstract class ListValue {
  abstract readonly size: number;
  /** Steps to convert an item to a value. */
  readonly itemSteps: number = 0;
  /** @param index from 0 to size - 1 */
  abstract at(index: number): Value;

  /** Reads an item during an evaluation. @throws CutOff */
  read(index: number, steps: Steps): Value {
    steps.spend(this.itemSteps);
    return this.at(index);
  }

  *values(steps?: Steps): Generator<Value, void> {
    for (let i = 0; i < this.size; i++) yield steps === undefined ? this.at(i) : this.read(i, steps);
  }
}

export class ComputedList extends ListValue {
  constructor(private readonly items: readonly Value[]) {
    super();
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index] ?? null;
  }
}

export abstract class MapValue {
  abstract keys(): readonly Value[];
  /** Undefined when the map has no such key. */
  abstract get(key: Value): Value | undefined;
  has(key: Value): boolean {
    return this.get(key) !== undefined;
  }
  /** The field of an object, by its name in expressions. */
  field(name: string): Value | undefined {
    return this.get(name);
  }
  hasField(name: string): boolean {
    return this.has(name);
  }
}

/** Steps for each key of a map when its keys are counted or iterated. */
const KEY_STEPS = 2;

/** The keys of a map. @throws CutOff */
export function getKeys(map: MapValue, steps: Steps): readonly Value[] {
  const keys = map.keys();
  steps.spend(keys.length * KEY_STEPS);
  return keys;
}

/** A map that an expression has computed. */
export class MadeMap extends MapValue {
  readonly #entries = new Map<string, readonly [Value, Value]>();

  /** @throws Failure for a repeated key, and for a value that cannot be a key */
  constructor(entries: readonly (readonly [Value, Value])[]) {
    super();
    for (const [key, value] of entries) {
      const text = keyText(key);
      if (text === undefined) fail(`a ${getKind(key)} is not a map key`);
      if (this.#entries.has(text)) fail(`the key ${JSON.stringify(text.slice(1))} occurs twice`);
      this.#entries.set(text, [key, value]);
    }
  }

  keys(): readonly Value[] {
    return [...this.#entries.values()].map(([key]) => key);
  }

  get(key: Value): Value | undefined {
    const text = keyText(key);
    return text === undefined ? undefined : this.#entries.get(text)?.[1];
  }
}

/** Equal numbers are the same key, whatever their types. */
function keyText(key: Value): string | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  return typeof key === 'number' ? `n${key}` : undefined;
}

export class OptionalValue {
  static readonly NONE = new OptionalValue(undefined);

  constructor(readonly value: Value | undefined) {}
}

export function getKind(value: Value): Exclude<Type['kind'], 'dyn' | 'any' | 'object'> {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
  }
  if (value === null) return 'null';
  if (value instanceof ListValue) return 'list';
  if (value instanceof MapValue) return 'map';
  if (value instanceof OptionalValue) return 'optional';
  if (value instanceof Uint8Array) return 'bytes';
  const { kind } = value;
  return kind === 'dyn' ? 'type' : kind;
}
