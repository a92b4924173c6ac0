import { cloneJson, deepEqual, getOwn, isRecord, setOwn } from './json.js';

type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * Applies the difference between two JSON values to a third: objects member by member, anything else as a whole.
 * Parts that are equal in both stay unchanged, so the value loses nothing that the two do not mention. When an object
 * is removed, only the members that it had in `before` are removed. The arguments are not changed.
 */
export function carryOver(value: JsonRecord, before: JsonRecord, after: JsonRecord): Record<string, unknown> {
  const result: Record<string, unknown> = cloneJson({ ...value });
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, wanted, present] = [getOwn(before, key), getOwn(after, key), getOwn(value, key)];
    if (deepEqual(old, wanted)) continue;
    const next = changed(present, old, wanted);
    if (next === undefined) delete result[key];
    else setOwn(result, key, next);
  }
  return result;
}

/** Undefined for a value to be removed. */
function changed(present: unknown, old: unknown, wanted: unknown): unknown {
  if (!isRecord(present) || !isMaybeRecord(old) || !isMaybeRecord(wanted)) return cloneJson(wanted);
  const members = carryOver(present, old ?? {}, wanted ?? {});
  return wanted === undefined && Object.keys(members).length === 0 ? undefined : members;
}

function isMaybeRecord(value: unknown): value is JsonRecord | undefined {
  return value === undefined || isRecord(value);
}
