import { cloneJson, deepEqual, isRecord, setOwn } from './json.js';

type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * A JSON value with what differs between two others: in objects member by member, anything else as a whole. What is the
 * same in both stays as it is, so that nothing is lost of which they say nothing. The given values are left as they are.
 */
export function carryOver(value: JsonRecord, before: JsonRecord, after: JsonRecord): Record<string, unknown> {
  const result: Record<string, unknown> = cloneJson({ ...value });
  for (const key of Object.keys(before)) {
    if (!has(after, key) && has(before, key)) delete result[key];
  }
  for (const key of Object.keys(after)) {
    const [old, wanted] = [own(before, key), own(after, key)];
    if (wanted === undefined || deepEqual(old, wanted)) continue;
    const present = own(value, key);
    const isDeep = isRecord(present) && isRecord(wanted) && (old === undefined || isRecord(old));
    setOwn(result, key, isDeep ? carryOver(present, old ?? {}, wanted) : cloneJson(wanted));
  }
  return result;
}

function own(object: JsonRecord, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function has(object: JsonRecord, key: string): boolean {
  return own(object, key) !== undefined;
}
