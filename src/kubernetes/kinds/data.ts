import { badRequest, formatExcerpt, type Cause } from '../../errors.js';
import { deepEqual, isRecord } from '../../lib/json/json.js';
import type { ObjectDraft } from '../../model/object.js';

/** Limit for all values of one object, in bytes. */
export const DATA_BYTES_MAX = 1024 * 1024;

const KEY_LENGTH_MAX = 253;
const KEY = /^[-._a-zA-Z0-9]+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A member with values by key; empty when there is none. */
export function valuesOf(object: ObjectDraft, field: string): Readonly<Record<string, unknown>> {
  const values = object[field];
  return isRecord(values) ? values : {};
}

/**
 * The texts in a member, by key. Null stands for no text, as in other fields.
 * @throws ServiceError `BadRequest` for anything else. The value is not shown.
 */
export function readTexts(object: ObjectDraft, field: string): readonly (readonly [string, string])[] {
  const values = object[field] ?? {};
  if (!isRecord(values)) throw badRequest(`${field} must be an object`);
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === null) return [];
    if (typeof value !== 'string') throw badRequest(`${field}[${formatExcerpt(key)}] must be a text`);
    return [[key, value] as const];
  });
}

/**
 * Checks values in base64, and removes their line breaks.
 * @throws ServiceError `BadRequest` for a value that is not in base64. The value is not shown.
 */
export function prepareBase64(object: ObjectDraft, field: string): void {
  for (const [key, value] of readTexts(object, field)) {
    const text = value.replace(/[\r\n]/g, '');
    if (!BASE64.test(text)) throw badRequest(`${field}[${formatExcerpt(key)}] must be base64`);
    if (text !== value) object[field] = { ...valuesOf(object, field), [key]: text };
  }
}

export function dataKeyFaults(object: ObjectDraft, field: string): readonly Cause[] {
  return Object.keys(valuesOf(object, field)).flatMap((key) => {
    const isGood = key.length <= KEY_LENGTH_MAX && KEY.test(key) && key !== '.' && !key.startsWith('..');
    const message =
      `must be a key of 1 to ${KEY_LENGTH_MAX} letters, digits, "-", "_" and ".", ` +
      'and not "." or a text that begins with ".."';
    return isGood ? [] : [{ field: `${field}[${key}]`, reason: 'FieldValueInvalid' as const, message }];
  });
}

/** @param bytes of all values together */
export function sizeFaults(bytes: number): readonly Cause[] {
  if (bytes <= DATA_BYTES_MAX) return [];
  const message = `must have at most ${DATA_BYTES_MAX} bytes in all values, got ${bytes}`;
  return [{ field: 'data', reason: 'FieldValueTooLong', message }];
}

export function textBytes(object: ObjectDraft, field: string): number {
  return sum(object, field, (text) => Buffer.byteLength(text));
}

/** Bytes that the base64 in a member stands for. */
export function base64Bytes(object: ObjectDraft, field: string): number {
  return sum(object, field, (text) => Buffer.byteLength(text, 'base64'));
}

function sum(object: ObjectDraft, field: string, bytesOf: (text: string) => number): number {
  return Object.values(valuesOf(object, field)).reduce<number>(
    (all, value) => all + (typeof value === 'string' ? bytesOf(value) : 0),
    0,
  );
}

/** The words by which clients know that they have to replace an object. */
export const IMMUTABLE = 'field is immutable';

/** Faults of a change to an object that says it is immutable: of the mark itself, and of the fields. */
export function immutableFaults(
  object: ObjectDraft,
  stored: ObjectDraft | undefined,
  fields: readonly string[],
): readonly Cause[] {
  if (stored?.immutable !== true) return [];
  const changed = fields.filter((field) => !deepEqual(valuesOf(object, field), valuesOf(stored, field)));
  return [...(object.immutable === true ? [] : ['immutable']), ...changed].map((field) => ({
    field,
    reason: 'FieldValueForbidden',
    message: `Forbidden: ${IMMUTABLE} when \`immutable\` is set`,
  }));
}
