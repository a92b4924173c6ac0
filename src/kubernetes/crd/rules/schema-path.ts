import { isSchema, propertyOf, type StructuralSchema } from './structural-schema.js';

const STEP = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/gy;

/** Parses a path of names: `.spec.size`, `.spec['a.b']`. Undefined for any other text. */
export function parseNames(path: string): readonly string[] | undefined {
  const steps = [...path.matchAll(STEP)];
  if (steps.length === 0 || steps.map(([text]) => text).join('') !== path) return undefined;
  return steps.map(([, plain, quoted = '']) => plain ?? quoted.replace(/\\(.)/g, '$1'));
}

/** The schema of the field at a path; undefined when the schema declares no such field. Lists end a path. */
export function findField(schema: StructuralSchema, names: readonly string[]): StructuralSchema | undefined {
  let at: StructuralSchema | undefined = schema;
  for (const name of names) at = at === undefined ? undefined : findMember(at, name);
  return at;
}

function findMember(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties = {}, additionalProperties } = schema;
  if (Object.keys(properties).length > 0) return propertyOf(schema, name);
  return isSchema(additionalProperties) ? additionalProperties : undefined;
}
