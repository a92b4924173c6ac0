import { getNestedClasses, type NestedClasses } from '../endpoint/class-fields.js';
import { getConstraints, type Constraint } from '../endpoint/constraints.js';
import type { JsonObject } from '../model/object.js';
import { getSchemaFields, type Ctor } from '../model/declare/schema-decorator.js';
import { getSchemaName, schemaOfType } from '../model/schema/schema-of.js';
import { isJsonObject } from '../model/schema/schema-walk.js';

/**
 * The schema of a body class together with the constraints on its fields, also in nested classes.
 * @throws ServiceError `BadRequest` when the class cannot be described
 */
export function getConstrainedSchema(type: Ctor): JsonObject {
  const { $defs, ...root } = schemaOfType(type);
  const own = constrained(root, type);
  if (!isJsonObject($defs)) return own;
  const classes = new Map<string, Ctor>();
  addNested(type, classes);
  const parts = Object.entries($defs).map(([name, part]) => {
    const nested = classes.get(name);
    return [name, nested === undefined || !isJsonObject(part) ? part : constrained(part, nested)] as const;
  });
  return { ...own, $defs: Object.fromEntries(parts) };
}

function addNested(type: Ctor, classes: Map<string, Ctor>): void {
  for (const options of getSchemaFields(type).values()) {
    for (const nested of flat(getNestedClasses(options))) {
      const name = getSchemaName(nested);
      if (classes.has(name)) continue;
      classes.set(name, nested);
      addNested(nested, classes);
    }
  }
}

function flat({ own, items, values }: NestedClasses): Ctor[] {
  return [
    ...(own === undefined ? [] : [own]),
    ...(items === undefined ? [] : flat(items)),
    ...(values === undefined ? [] : flat(values)),
  ];
}

function constrained(schema: JsonObject, type: Ctor): JsonObject {
  const rules = [...getConstraints(type)];
  if (rules.length === 0) return schema;
  const properties = isJsonObject(schema.properties) ? { ...schema.properties } : {};
  const required = Array.isArray(schema.required) ? [...schema.required] : [];
  for (const [field, constraints] of rules) {
    const property = properties[field];
    properties[field] = constraints.reduce(withConstraint, isJsonObject(property) ? property : {});
    if (constraints.some(({ kind }) => kind === 'NotNull' || kind === 'NotBlank')) required.push(field);
  }
  return { ...schema, properties, ...(required.length === 0 ? {} : { required: [...new Set(required)] }) };
}

/** Adds a constraint, unless the schema states it already. */
function withConstraint(schema: JsonObject, { kind, params }: Constraint): JsonObject {
  switch (kind) {
    case 'NotNull':
      return schema;
    case 'NotBlank':
      return { type: 'string', minLength: 1, ...schema };
    case 'Email':
      return { type: 'string', format: 'email', ...schema };
    case 'Pattern':
      return { type: 'string', pattern: params.pattern, ...schema };
    case 'Min':
      return { type: 'number', minimum: params.value, ...schema };
    case 'Max':
      return { type: 'number', maximum: params.value, ...schema };
    case 'Size':
    case 'SizeMin':
    case 'SizeMax':
      return withSize(schema, params);
  }
}

const COUNTED: Readonly<Record<string, string>> = {
  string: 'Length',
  array: 'Items',
  object: 'Properties',
};

function withSize(schema: JsonObject, { min, max }: Constraint['params']): JsonObject {
  const what = typeof schema.type === 'string' ? COUNTED[schema.type] : undefined;
  if (what === undefined) return schema;
  return {
    ...(min === undefined ? {} : { [`min${what}`]: min }),
    ...(max === undefined ? {} : { [`max${what}`]: max }),
    ...schema,
  };
}
