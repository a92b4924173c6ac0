import type { Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';

/** RFC 3339 with microseconds. */
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Finds times that are not in the form that Kubernetes demands.
 * @param at dotted path of the object that has them; empty for the root
 */
export function microTimeFaults(object: unknown, fields: readonly string[], at = ''): readonly Cause[] {
  if (!isRecord(object)) return [];
  return fields
    .filter((field) => typeof object[field] === 'string' && !MICRO_TIME.test(object[field]))
    .map((field) => ({
      field: at === '' ? field : `${at}.${field}`,
      reason: 'FieldValueInvalid',
      message: 'must be a time of RFC 3339 with microseconds',
    }));
}
