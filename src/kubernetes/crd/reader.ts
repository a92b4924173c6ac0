import type { Cause } from '../../errors.js';
import type { Json, JsonObject } from '../../model/object.js';
import { isJsonObject } from '../../model/schema/schema-walk.js';
import { formatValue } from '../../model/validate/violation.js';
import { joinPath } from '../../lib/json/json.js';

/** The place of a value that is read, and the list for faults. */
export interface ReadPlace {
  readonly path: string;
  /** The number of schemas around the place. */
  readonly depth: number;
  readonly causes: Cause[];
}

/** Reads a value as a type. Undefined when it has another type, which is reported. */
export type Reader<T extends Json> = (value: Json, at: ReadPlace) => T | undefined;

export const text = scalar('a string', (value) => typeof value === 'string');
export const flag = scalar('a boolean', (value) => typeof value === 'boolean');
export const number = scalar('a number', (value) => typeof value === 'number');
export const integer = scalar('an integer', (value): value is number => Number.isSafeInteger(value));
export const anything: Reader<Json> = (value) => value;

export function listOf<T extends Json>(of: Reader<T>): Reader<T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) {
      refuse(value, 'a list', at);
      return undefined;
    }
    const items = value.map((item, i) => of(item, { ...at, path: `${at.path}[${i}]` }));
    return items.filter((item) => item !== undefined);
  };
}

export function mapOf<T extends Json>(of: Reader<T>): Reader<Record<string, T>> {
  return (value, at) => {
    if (!isJsonObject(value)) {
      refuse(value, 'an object', at);
      return undefined;
    }
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, member]) => {
        const read = member === undefined ? undefined : of(member, { ...at, path: `${at.path}[${key}]` });
        return read === undefined ? [] : [[key, read]];
      }),
    );
  };
}

/** The readers of the named members of a type. */
export type MemberReaders<T> = {
  readonly [K in keyof T as string extends K ? never : K]-?: Reader<Exclude<T[K], undefined> & Json>;
};

/** Reads an object. Members that are null or unknown are left out, as Kubernetes does. */
export function recordOf<T extends JsonObject>(members: () => MemberReaders<T>): Reader<T> {
  return (value, at) => {
    if (!isJsonObject(value)) {
      refuse(value, 'an object', at);
      return undefined;
    }
    const readers: Readonly<Record<string, Reader<Json>>> = members();
    const record: JsonObject = {};
    for (const [key, member] of Object.entries(value)) {
      const read = Object.hasOwn(readers, key) ? readers[key] : undefined;
      if (read === undefined || member === undefined || member === null) continue;
      const result = read(member, { ...at, path: joinPath(at.path, key) });
      if (result !== undefined) record[key] = result;
    }
    // Each member is of its type: its reader has made it.
    return record as T;
  };
}

/** Reports a value of a wrong type. */
export function refuse(value: Json, expected: string, { path, causes }: ReadPlace): undefined {
  const message = `must be ${expected}, got ${formatValue(value)}`;
  causes.push({ field: path, reason: 'FieldValueInvalid', message });
}

function scalar<T extends Json>(expected: string, is: (value: Json) => value is T): Reader<T> {
  return (value, at) => (is(value) ? value : refuse(value, expected, at));
}
