import { cloneJson, getOwn, isRecord, setOwn } from '../../../lib/json/json.js';

/**
 * A value without the members that became null because an apply removed all that was in them. A null that was there before, or that
 * is stated, stays, as does a stated list or object without members.
 */
export function withoutEmptied(value: unknown, before: unknown, stated: unknown): unknown {
  if (!isRecord(value) || !isRecord(before) || value === before) return value;
  const out: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const earlier = getOwn(before, name);
    const own = isRecord(stated) ? getOwn(stated, name) : undefined;
    if (member === null && own !== null && typeof earlier === 'object' && earlier !== null) {
      if (own !== undefined) setOwn(out, name, cloneJson(own));
      continue;
    }
    setOwn(out, name, withoutEmptied(member, earlier, own));
  }
  return out;
}
