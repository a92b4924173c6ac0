import { badRequest, formatExcerpt } from '../../errors.js';
import { isRecord, setOwn } from '../../lib/json/json.js';
import { placeInData } from '../../model/validate/field-path.js';
import type { Parameter } from '../parameters.js';

export const FIELDS = {
  type: 'texts',
  about:
    'Only these fields of the objects, as dotted paths; of a list, the field of each item. Example: ["metadata.name", "spec.replicas"]',
  isOptional: true,
} as const satisfies Parameter;

const FIELDS_MAX = 100;

/** Keeps some fields of an object. */
export type Project = (object: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** @param given undefined: all fields; a text may name several, separated by commas @throws ServiceError `BadRequest` */
export function readFields(given: readonly string[] | undefined): Project {
  if (given === undefined) return (object) => object;
  const fields = given.flatMap((text) => text.split(',')).map((text) => text.trim());
  for (const field of fields)
    if (!/^[^.[\]]/.test(field) || field.endsWith('.'))
      throw badRequest(`fields: "${formatExcerpt(field)}" is not a dotted path like "spec.replicas"`);
  if (fields.length > FIELDS_MAX) throw badRequest(`fields: at most ${FIELDS_MAX} paths`);
  return (object) => {
    const projected: Record<string, unknown> = {};
    for (const field of fields) {
      const found = pick(object, field);
      if (isRecord(found)) merge(projected, found);
    }
    return projected;
  };
}

/** The part of a value that a path leads to, with the path to it; undefined when there is none. */
function pick(value: unknown, path: string): unknown {
  if (path === '') return value;
  if (Array.isArray(value)) {
    const [text, index] = /^\[(\d+)\]/.exec(path) ?? [];
    if (text !== undefined) {
      const found = pick(value[Number(index)], path.slice(text.length).replace(/^\./, ''));
      return found === undefined ? undefined : [found];
    }
    return value.map((item) => pick(item, path) ?? {});
  }
  if (!isRecord(value)) return undefined;
  const [key] = placeInData(value, path);
  if (typeof key !== 'string') return undefined;
  const own = Object.getOwnPropertyDescriptor(value, key);
  const found = own === undefined ? undefined : pick(own.value, path.slice(key.length).replace(/^\./, ''));
  if (found === undefined) return undefined;
  const picked: Record<string, unknown> = {};
  setOwn(picked, key, found);
  return picked;
}

function merge(into: Record<string, unknown>, from: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(from)) setOwn(into, key, combine(into[key], value));
}

function combine(known: unknown, value: unknown): unknown {
  if (isRecord(known) && isRecord(value)) {
    const both = { ...known };
    merge(both, value);
    return both;
  }
  if (Array.isArray(known) && Array.isArray(value) && known.length === value.length)
    return value.map((item, i) => combine(known[i], item));
  return value;
}
