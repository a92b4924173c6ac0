import { getOwn, isRecord, setOwn } from '../../lib/json/json.js';
import { findDifference, type Difference, type Path } from '../../lib/json/json-difference.js';
import { fieldPath } from '../../model/validate/field-path.js';
import { SYSTEM_METADATA, type ExtensionObject } from '../../model/object.js';
import { LAST_APPLIED } from '../write/three-way.js';
import type { FieldChange } from '../verbs.js';

/** When more fields differ, what they are part of is told instead. */
const CHANGES_MAX = 1000;

const NOT_TOLD: ReadonlySet<string> = new Set([...SYSTEM_METADATA, 'name', 'generateName']);

/**
 * The fields in which two states of an object differ, but for what the service and `apply` keep in its metadata. A field
 * that was added has no `from`, one that was removed no `to`.
 */
export function changedFields(before: ExtensionObject, after: ExtensionObject): FieldChange[] {
  const [from, to] = [getComparedFields(before), getComparedFields(after)];
  const difference = findDifference(from, to);
  if (difference === undefined) return [];
  for (let depth = Infinity; ; depth = depth === Infinity ? 2 : 1) {
    const paths = [...pathsIn(difference, depth, [])];
    if (paths.length <= CHANGES_MAX || depth === 1) return paths.map((path) => changeAt(path, from, to));
  }
}

/** Where they differ, down to so many steps. */
function* pathsIn(difference: Difference, depth: number, path: Path): Generator<Path> {
  if (difference === 'whole' || path.length >= depth) yield path;
  else for (const [step, below] of difference) yield* pathsIn(below, depth, [...path, step]);
}

function changeAt(path: Path, before: unknown, after: unknown): FieldChange {
  const [from, to] = [valueAt(before, path), valueAt(after, path)];
  return {
    path: fieldPath(path),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => {
    if (Array.isArray(at)) return typeof step === 'number' ? (at[step] as unknown) : undefined;
    return isRecord(at) ? getOwn(at, String(step)) : undefined;
  }, value);
}

function getComparedFields({ metadata, ...rest }: ExtensionObject): Record<string, unknown> {
  const { labels = {}, annotations = {}, finalizers, ...others } = metadata;
  const told: Record<string, unknown> = { labels, annotations: withoutLastApplied(annotations) };
  // None left says the same as none at all.
  if (finalizers !== undefined && finalizers.length > 0) told.finalizers = finalizers;
  for (const [field, value] of Object.entries(others)) if (!NOT_TOLD.has(field)) setOwn(told, field, value);
  return { metadata: told, ...rest };
}

function withoutLastApplied(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED));
}
