import { cloneJson, deepEqual, getOwn, isRecord, setOwn } from './json.js';

type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * A JSON value with what differs between two others: in objects member by member, anything else as a whole. What is the
 * same in both stays as it is, so that nothing is lost of which they say nothing: of an object that goes, only the
 * members that were there before go with it. The given values are left as they are.
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

/** Undefined for what is not to be there. */
function changed(present: unknown, old: unknown, wanted: unknown): unknown {
  if (!isRecord(present) || !isMaybeRecord(old) || !isMaybeRecord(wanted)) return cloneJson(wanted);
  const members = carryOver(present, old ?? {}, wanted ?? {});
  return wanted === undefined && Object.keys(members).length === 0 ? undefined : members;
}

function isMaybeRecord(value: unknown): value is JsonRecord | undefined {
  return value === undefined || isRecord(value);
}
