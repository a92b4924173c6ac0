import type { Cause } from '../../../errors.js';
import type { Json, JsonObject } from '../../../model/object.js';
import { checkDeclared } from './declared.js';
import { checkExpressions, checkRuleTexts } from './declared-rules.js';
import { structureFaults, usageFaults } from './check-places.js';
import { getPlaces, type SchemaPlace } from './schema-places.js';
import type { StructuralSchema } from './structural-schema.js';

/**
 * Checks a default against its schema: that it has no unknown fields, and that it is valid. The fields of the causes
 * are relative to the default, and empty for the default itself.
 */
export type CheckDefault = (schema: JsonObject, value: Json) => readonly Cause[];

/**
 * Faults of the schema of a version. Defaults are checked when the structure has no faults, and expressions when
 * the defaults have none.
 */
export function checkSchema(
  schema: StructuralSchema,
  path: string,
  { hasStatus, checkDefault }: { readonly hasStatus: boolean; readonly checkDefault: CheckDefault },
): readonly Cause[] {
  const places = getPlaces(schema, path);
  const usage = [...usageFaults(places, hasStatus), ...places.flatMap(checkRuleTexts)];
  const structure = [...structureFaults(places), ...checkDeclared(schema, path)];
  if (structure.length > 0) return [...structure, ...usage];
  const defaults = places.flatMap((place) => defaultFaults(place, checkDefault));
  const hasRules = places.some((place) => place.schema['x-kubernetes-validations'] !== undefined);
  if (defaults.length > 0 || !hasRules) return [...usage, ...defaults];
  return [...usage, ...checkExpressions(schema, path, usage)];
}

function defaultFaults({ schema, path, around }: SchemaPlace, check: CheckDefault): readonly Cause[] {
  if (schema.default === undefined || around.isBelowMap) return [];
  // A default of a whole object is a resource.
  const whole = around.isRoot ? { ...schema, 'x-kubernetes-embedded-resource': true } : schema;
  return check(whole, schema.default).map((cause) => ({
    ...cause,
    field: `${path}.default${cause.field === '' || cause.field.startsWith('[') ? '' : '.'}${cause.field}`,
  }));
}
