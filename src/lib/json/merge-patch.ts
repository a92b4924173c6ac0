import { cloneJson, deepEqual, getOwn, isRecord, setOwn } from './json.js';
import { runSync, type Resumable } from '../work/yield.js';

/**
 * Applies a JSON Merge Patch (RFC 7396): null removes a member, objects are merged, everything else replaces. Neither
 * argument is changed or shared with the result. No key is special. Recurses, so the depth of both must be limited.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  return runSync(applyingMergePatch(target, patch));
}

/** Members between two breaks. Setting them takes some milliseconds. */
const STEP_MEMBERS = 4_096;

/** {@link applyMergePatch}, with breaks. */
export function* applyingMergePatch(target: unknown, patch: unknown): Resumable<unknown> {
  if (!isRecord(patch)) return cloneJson(patch);
  const before = isRecord(target) ? target : {};
  const result: Record<string, unknown> = {};
  let members = 0;
  // Each member is set once, in the order of the target. New members come last.
  for (const key of Object.keys(before)) {
    const change = getOwn(patch, key);
    const value =
      change === undefined ? cloneJson(before[key]) : yield* applyingMergePatch(before[key], change);
    if (change !== null && value !== undefined) setOwn(result, key, value);
    if (++members % STEP_MEMBERS === 0) yield;
  }
  for (const key of Object.keys(patch)) {
    const change = patch[key] ?? null;
    if (change !== null && getOwn(before, key) === undefined)
      setOwn(result, key, yield* applyingMergePatch(undefined, change));
    if (++members % STEP_MEMBERS === 0) yield;
  }
  return result;
}

/**
 * The smallest merge patch that turns `from` into `to`; `{}` when the objects are equal. A merge patch cannot express
 * a member that is null in `to`: the patch removes it.
 */
export function createMergePatch(from: unknown, to: unknown): unknown {
  if (!isRecord(to)) return cloneJson(to);
  if (!isRecord(from)) return applyMergePatch({}, to);
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(from)) {
    if (from[key] !== undefined && (getOwn(to, key) ?? null) === null) setOwn(patch, key, null);
  }
  for (const key of Object.keys(to)) {
    const wanted = to[key] ?? null;
    const current = getOwn(from, key);
    if (wanted === null || deepEqual(current, wanted)) continue;
    const change = createMergePatch(current, wanted);
    // A difference in nulls alone needs no patch.
    if (isRecord(current) && isRecord(change) && Object.keys(change).length === 0) continue;
    setOwn(patch, key, change);
  }
  return patch;
}
