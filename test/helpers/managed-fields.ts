import { expect } from 'vitest';
import { isRecord } from '../../src/lib/json/json.js';
import type { Json } from './http.js';

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly fieldsV1: Readonly<Record<string, unknown>>;
}

/** The managers of an object. */
export function entriesOf({ metadata }: Pick<Json, 'metadata'>): readonly Entry[] {
  return (metadata.managedFields ?? []) as readonly Entry[];
}

/** The paths of fields in a `fieldsV1`, and the values that they have in the object; undefined for absent ones. */
function* owned(
  fields: Readonly<Record<string, unknown>>,
  value: unknown,
  path = '',
): Generator<readonly [string, unknown]> {
  const members = Object.entries(fields);
  if (members.length === 0 || '.' in fields) yield [path, value];
  for (const [step, below] of members)
    if (step !== '.' && isRecord(below)) yield* owned(below, find(value, step), `${path}/${step}`);
}

function find(value: unknown, step: string): unknown {
  const rest = step.slice(2);
  if (step.startsWith('f:')) return isRecord(value) ? value[rest] : undefined;
  if (!Array.isArray(value)) return undefined;
  if (step.startsWith('i:')) return value[Number(rest)];
  const wanted: unknown = JSON.parse(rest);
  if (step.startsWith('v:')) return value.find((one) => one === wanted);
  const keys = Object.entries(wanted as object);
  return value.find((item) => isRecord(item) && keys.every(([key, one]) => item[key] === one));
}

/** The managers fit the object: what they own is there, and no two of them own a field that both have updated. */
export function expectConsistentManagers(object: Json): void {
  const owners = new Map<string, string>();
  for (const { manager, operation, apiVersion, subresource = '', fieldsV1 } of entriesOf(object))
    for (const [path, value] of owned(fieldsV1, object)) {
      expect(value, `${manager} owns ${path} of ${JSON.stringify(object)}`).not.toBe(undefined);
      if (operation !== 'Update') continue;
      const place = `${apiVersion} ${subresource} ${path}`;
      expect(owners.get(place), `${place} of ${JSON.stringify(object)}`).toBe(undefined);
      owners.set(place, manager);
    }
}
