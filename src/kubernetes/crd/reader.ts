import type { Cause } from '../../errors.js';
import { joinPath, setOwn } from '../../lib/json/json.js';
import type { Json, JsonObject } from '../../model/object.js';
import { isJsonObject } from '../../model/schema/schema-walk.js';
import { formatValue } from '../../model/validate/violation.js';

/** One reading of a value, with the faults that it has found. */
export interface TypedReading {
  readonly causes: Cause[];
  /** The number of schemas around the place. */
  depth: number;
}

/** Reads a value as a type. Undefined when it has another type, which is reported. */
export type Reader<T extends Json> = (value: Json, path: string, reading: TypedReading) => T | undefined;

export type Read<R> = R extends Reader<infer T> ? T : never;

/** An object whose members readers make. Each may be absent. */
export type ReadRecord<M> = JsonObject & { [K in keyof M]?: Read<M[K]> };

export const text = scalar('a string', (value) => typeof value === 'string');
export const flag = scalar('a boolean', (value) => typeof value === 'boolean');
export const number = scalar('a number', (value) => typeof value === 'number');
export const integer = scalar('an integer', (value): value is number => Number.isSafeInteger(value));
export const object = scalar('an object', isJsonObject);
export const anything: Reader<Json> = (value) => value;

export function listOf<T extends Json>(of: Reader<T>): Reader<T[]> {
  const list = scalar('a list', (value): value is Json[] => Array.isArray(value));
  return (value, path, reading) =>
    list(value, path, reading)
      ?.map((item, i) => of(item, `${path}[${i}]`, reading))
      .filter((item) => item !== undefined);
}

export function mapOf<T extends Json>(of: Reader<T>): Reader<Record<string, T>> {
  return (value, path, reading) => {
    const given = object(value, path, reading) ?? {};
    const map: Record<string, T> = {};
    for (const key of Object.keys(given)) {
      const { [key]: member } = given;
      const read = member === undefined ? undefined : of(member, `${path}[${key}]`, reading);
      if (read !== undefined) setOwn(map, key, read);
    }
    return map;
  };
}

/** Reads an object. Members that are null or unknown are left out, as Kubernetes does. */
export function recordOf<M extends object>(members: M): Reader<ReadRecord<M>> {
  const readers = new Map<string, Reader<Json>>(Object.entries(members));
  return (value, path, reading) => {
    const given = object(value, path, reading) ?? {};
    const record: JsonObject = {};
    for (const key of Object.keys(given)) {
      const { [key]: member } = given;
      if (member === undefined || member === null) continue;
      const read = readers.get(key)?.(member, joinPath(path, key), reading);
      if (read !== undefined) record[key] = read;
    }
    // Each member is of its type: its reader has made it.
    return record as ReadRecord<M>;
  };
}

function scalar<T extends Json>(expected: string, is: (value: Json) => value is T): Reader<T> {
  return (value, path, { causes }) => {
    if (is(value)) return value;
    const message = `must be ${expected}, got ${formatValue(value)}`;
    causes.push({ field: path, reason: 'FieldValueInvalid', message });
    return undefined;
  };
}
