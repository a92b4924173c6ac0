import { getOwn, isRecord, setOwn } from '../../lib/json/json.js';
import { findDifference, type Difference, type Path } from '../../lib/json/json-difference.js';
import { fieldPath } from '../../model/validate/field-path.js';
import { SYSTEM_METADATA, type ExtensionObject } from '../../model/object.js';
import { LAST_APPLIED } from '../../model/applied-manifests.js';
import type { FieldChange } from '../verbs.js';

/** Most changes that are listed field by field; beyond it, their parent fields are listed instead. */
const CHANGES_MAX = 1000;

const NOT_COMPARED: ReadonlySet<string> = new Set([...SYSTEM_METADATA, 'name', 'generateName']);

/**
 * The fields in which two states of an object differ, without the metadata that the service and `apply` maintain. An
 * added field has no `from`, a removed one no `to`.
 * @param secretFields fields of the object whose changes have neither
 */
export function changedFields(
  before: ExtensionObject,
  after: ExtensionObject,
  secretFields: readonly string[] = [],
): FieldChange[] {
  const [from, to] = [getComparedFields(before), getComparedFields(after)];
  const difference = findDifference(from, to);
  if (difference === undefined) return [];
  for (let depth = Infinity; ; depth = depth === Infinity ? 2 : 1) {
    const paths = [...pathsIn(difference, depth, [])];
    if (paths.length > CHANGES_MAX && depth > 1) continue;
    return paths.map((path) =>
      secretFields.includes(String(path[0])) ? { path: fieldPath(path) } : changeAt(path, from, to),
    );
  }
}

/** The paths of the differences, down to a depth. */
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
  const compared: Record<string, unknown> = { labels, annotations: withoutLastApplied(annotations) };
  // An empty list is equal to an absent one.
  if (finalizers !== undefined && finalizers.length > 0) compared.finalizers = finalizers;
  for (const [field, value] of Object.entries(others))
    if (!NOT_COMPARED.has(field)) setOwn(compared, field, value);
  return { metadata: compared, ...rest };
}

function withoutLastApplied(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED));
}
