import { createHash } from 'node:crypto';
import { cloneJson, deepEqual } from '../../lib/json/json.js';
import { Allowance, currentAllowance, REQUEST_BYTES_MAX } from '../../lib/work/allowance.js';
import type { ShownDefaults } from '../declare/scheme.js';
import type { ExtensionObject, Json, JsonObject } from '../object.js';
import { getEntries, isJsonObject } from '../schema/schema-walk.js';
import { objectNodeOf } from './node.js';
import { setDefaults } from './repair.js';

/**
 * The defaults of a structural schema for objects that were stored before it had them, as Kubernetes sets them when it reads an
 * object.
 * @param schema must not change
 */
export function shownDefaults(schema: JsonObject): ShownDefaults {
  let digest: { readonly hex: string | undefined } | undefined;
  return {
    get digest() {
      return (digest ??= { hex: digestOf(schema) }).hex;
    },
    addTo(object: ExtensionObject): ExtensionObject {
      const shown = cloneJson(object);
      // Reads have no allowance, so each object of a read may grow as much as a request.
      const allowance = currentAllowance() ?? new Allowance({ objectBytes: REQUEST_BYTES_MAX });
      allowance.during(() => setDefaults(objectNodeOf(schema), shown));
      return deepEqual(shown, object) ? object : shown;
    },
  };
}

function digestOf(schema: JsonObject): string | undefined {
  const defaults = [...defaultsIn(schema, '')];
  if (defaults.length === 0) return undefined;
  return createHash('sha256').update(JSON.stringify(defaults)).digest('hex');
}

type Default = readonly [place: string, value: Json];

function* defaultsIn(schema: Json | undefined, place: string): Generator<Default> {
  if (!isJsonObject(schema)) return;
  const { default: value, properties, additionalProperties, items } = schema;
  if (value !== undefined && value !== null) yield [place, value];
  for (const [name, below] of getEntries(properties)) yield* defaultsIn(below, `${place}.${name}`);
  yield* defaultsIn(additionalProperties, `${place}.*`);
  yield* defaultsIn(items, `${place}[]`);
}
