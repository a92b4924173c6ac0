import type { Cause } from '../../../src/errors.js';
import type { Json, JsonObject } from '../../../src/model/object.js';
import { compileRules } from '../../../src/model/rules/schema-rules.js';
import { getEntries, isJsonObject } from '../../../src/model/schema/schema-walk.js';
import { compileSchema } from '../../../src/model/validate/validator.js';

/** Checks a default with the validator of plugin models. */
export function checkDefault(schema: JsonObject, value: Json): readonly Cause[] {
  const { default: _, ...rest } = schema;
  const faults = compileSchema(withoutDefaults(rest))(structuredClone(value));
  const causes = faults.map(({ field }) => invalid(field));
  if (hasUnknown(schema, value)) causes.push(invalid(''));
  if (schema['x-kubernetes-embedded-resource'] === true && isJsonObject(value))
    for (const name of ['apiVersion', 'kind']) if (value[name] === undefined) causes.push(invalid(name));
  if (causes.length > 0) return causes;
  return breaksRule(rest, value) ? [invalid('')] : [];
}

function breaksRule(schema: JsonObject, value: Json): boolean {
  try {
    const rules = compileRules({ type: 'object', properties: { value: schema } }, false);
    const found = rules?.find({ value }, { old: undefined, isStored: false, faults: () => [] }) ?? [];
    return found.length > 0;
  } catch {
    // A rule that cannot be compiled is broken by each value.
    return true;
  }
}

function invalid(field: string): Cause {
  return { field, reason: 'FieldValueInvalid', message: 'does not fit its schema' };
}

/** Kubernetes checks a default as it is. */
function withoutDefaults(schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema, (key: string, value: unknown) =>
    key === 'default' ? undefined : value,
  );
  return JSON.parse(text) as JsonObject;
}

function hasUnknown(schema: Json, value: Json): boolean {
  if (!isJsonObject(schema)) return false;
  const { properties, additionalProperties, items } = schema;
  if (Array.isArray(value)) return value.some((item) => hasUnknown(items ?? {}, item));
  if (!isJsonObject(value)) return false;
  const keepsAll = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const declared = new Map(getEntries(properties));
  return getEntries(value).some(([name, member]) => {
    if (isResource && ['apiVersion', 'kind', 'metadata'].includes(name)) return false;
    const sub = declared.get(name) ?? additionalProperties ?? false;
    return sub === false ? !keepsAll : hasUnknown(sub, member);
  });
}
