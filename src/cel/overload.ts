import { fail } from './failure.js';
import type { Frame } from './frame.js';
import { Duration, CelScalar, Timestamp, TypeValue, Uint } from './scalars.js';
import * as types from './types.js';
import { accepts, bound, type Bindings, type Type } from './types.js';
import { getKind, ListValue, MapValue, OptionalValue, type Value } from './values.js';

/** The type of an argument, and a check of its value. */
export interface Kind<V extends Value> {
  readonly type: Type;
  is(value: Value): value is V;
}

/** A function for arguments of certain types. The first argument of a method is the expression before the dot. */
export interface Overload {
  readonly name: string;
  readonly isMethod: boolean;
  readonly takes: readonly Type[];
  readonly gives: Type;
  /** True when the function accepts the values. */
  fits(args: readonly Value[]): boolean;
  /** @throws Failure */
  call(args: readonly Value[], frame: Frame): Value;
}

type ValuesOf<K extends readonly Kind<Value>[]> = {
  readonly [I in keyof K]: K[I] extends Kind<infer V> ? V : never;
};

type Run<K extends readonly Kind<Value>[]> = (args: ValuesOf<K>, frame: Frame) => Value;

/** Declares a function: `name(a, b)`. */
export function fn<const K extends readonly Kind<Value>[]>(
  name: string,
  takes: K,
  gives: Type,
  run: Run<K>,
): Overload {
  const fits = (args: readonly Value[]): args is ValuesOf<K> & readonly Value[] =>
    args.length === takes.length && takes.every((kind, i) => kind.is(args[i] ?? null));
  return {
    name,
    isMethod: false,
    takes: takes.map(({ type }) => type),
    gives,
    fits,
    call: (args, frame) => (fits(args) ? run(args, frame) : mismatch(name, args)),
  };
}

/** Declares a method: `a.name(b)`. */
export function method<const K extends readonly Kind<Value>[]>(
  name: string,
  takes: K,
  gives: Type,
  run: Run<K>,
): Overload {
  return { ...fn(name, takes, gives, run), isMethod: true };
}

/** @throws Failure */
export function mismatch(name: string, args: readonly Value[]): never {
  return fail(`"${name}" does not take ${args.map(getKind).join(', ')}`);
}

/** The functions that accept arguments of these types, and the type of their result; undefined when none does. */
export function resolve(
  overloads: readonly Overload[],
  args: readonly Type[],
): { readonly candidates: readonly Overload[]; readonly gives: Type } | undefined {
  const found = overloads.flatMap((overload) => {
    const gives = findResult(overload, args);
    return gives === undefined ? [] : [{ overload, gives }];
  });
  if (found.length === 0) return undefined;
  return {
    candidates: found.map(({ overload }) => overload),
    gives: types.unionType(found.map(({ gives }) => gives)),
  };
}

function findResult({ takes, gives }: Overload, args: readonly Type[]): Type | undefined {
  const bindings: Bindings = new Map();
  const fits =
    takes.length === args.length && takes.every((type, i) => accepts(type, args[i] ?? types.DYN, bindings));
  return fits ? bound(gives, bindings) : undefined;
}

function kind<V extends Value>(type: Type, is: (value: Value) => value is V): Kind<V> {
  return { type, is };
}

/** The kind for values of a class of this program. */
export function scalarKind<S extends CelScalar>(
  type: Type,
  of: abstract new (...args: never[]) => S,
): Kind<S> {
  return kind(type, (value): value is S => value instanceof of);
}

export const T: Type = { kind: 'any', name: 'T' };

export const ANY = kind(T, (_value): _value is Value => true);
export const DYN = kind(types.DYN, (_value): _value is Value => true);
export const NULL = kind(types.NULL, (value) => value === null);
export const BOOL = kind(types.BOOL, (value) => typeof value === 'boolean');
export const INT = kind(types.INT, (value) => typeof value === 'bigint');
export const DOUBLE = kind(types.DOUBLE, (value) => typeof value === 'number');
export const STRING = kind(types.STRING, (value) => typeof value === 'string');
export const BYTES = kind(types.BYTES, (value) => value instanceof Uint8Array);
export const UINT = scalarKind(types.UINT, Uint);
export const TIMESTAMP = scalarKind(types.TIMESTAMP, Timestamp);
export const DURATION = scalarKind(types.DURATION, Duration);
export const TYPE = scalarKind(types.TYPE, TypeValue);
export const MAP = kind(types.mapType(T, types.DYN), (value) => value instanceof MapValue);
export const OPTIONAL = kind(types.optionalType(T), (value) => value instanceof OptionalValue);

/** A list with items of a type. The items are not checked. */
export function listKind(of: Type): Kind<ListValue> {
  return kind(types.listType(of), (value) => value instanceof ListValue);
}

export const LIST = listKind(T);
