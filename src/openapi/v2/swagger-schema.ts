import { isRecord } from '../../lib/json/json.js';

type Members = Readonly<Record<string, unknown>>;

/** The keywords of schemas in OpenAPI 2, except those with schemas in them. Its readers refuse others. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'format',
  'title',
  'description',
  'default',
  'enum',
  'required',
  'pattern',
  'readOnly',
  'example',
  'multipleOf',
  'maximum',
  'minimum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxProperties',
  'minProperties',
]);

const REF = '#/components/schemas/';
const INT_OR_STRING = 'x-kubernetes-int-or-string';
const OPEN = 'x-kubernetes-preserve-unknown-fields';

/**
 * A schema of OpenAPI 3 in OpenAPI 2. Alternatives are left out, and that a value may be null. A value
 * that is a number or a text has no type, and neither has an object of any form, as in Kubernetes.
 */
export function toSwagger(schema: unknown): Members {
  if (!isRecord(schema)) return {};
  const { $ref, properties, items, additionalProperties } = schema;
  if (typeof $ref === 'string') return { $ref: $ref.replace(REF, '#/definitions/') };
  const parts: readonly unknown[] = Array.isArray(schema.allOf) ? schema.allOf : [];
  const [only, ...others] = parts;
  // A reference with a description, or one that may be null.
  if (isRecord(only) && typeof only.$ref === 'string' && others.length === 0 && schema.type === undefined)
    return toSwagger(only);
  return {
    ...plainKeywords(schema),
    ...(isRecord(properties) && { properties: toSwaggerEach(properties) }),
    ...(isRecord(items) && { items: toSwagger(items) }),
    ...(isRecord(additionalProperties) && { additionalProperties: toSwagger(additionalProperties) }),
  };
}

function toSwaggerEach(properties: Members): Members {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, toSwagger(schema)]));
}

function plainKeywords(schema: Members): Members {
  const isUntyped = schema[INT_OR_STRING] === true || schema[OPEN] === true;
  const isKept = (name: string): boolean =>
    (KEYWORDS.has(name) && !(isUntyped && name === 'type')) || name.startsWith('x-');
  return Object.fromEntries(Object.entries(schema).filter(([name]) => isKept(name)));
}
