import type { Cause } from '../../errors.js';
import type { Json, JsonObject } from '../../model/object.js';
import { checkDeclared } from './declared.js';
import { checkExpressions, checkRuleTexts } from './declared-rules.js';
import type { StructuralSchema } from './definition.js';
import { checkNode } from './schema-rules.js';
import { getPlaces, type SchemaPlace } from './schema-places.js';

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
  const nodes = getPlaces(schema, path);
  const faults = [
    ...nodes.flatMap((node) => [...checkNode(node, hasStatus), ...checkRuleTexts(node)]),
    ...checkDeclared(schema, path),
  ];
  if (faults.length > 0) return faults;
  const wrongDefaults = nodes.flatMap((node) => defaultFaults(node, checkDefault));
  return wrongDefaults.length > 0 ? wrongDefaults : checkExpressions(schema, path);
}

function defaultFaults({ schema, path, isBelowMap }: SchemaPlace, check: CheckDefault): readonly Cause[] {
  if (schema.default === undefined || isBelowMap) return [];
  return check(schema, schema.default).map((cause) => ({
    ...cause,
    field: `${path}.default${cause.field === '' || cause.field.startsWith('[') ? '' : '.'}${cause.field}`,
  }));
}
