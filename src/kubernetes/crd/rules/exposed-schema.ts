import { isSchema, type StructuralSchema } from './structural-schema.js';

const TEXT: StructuralSchema = { type: 'string' };
const RESOURCE: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: TEXT,
  kind: TEXT,
  metadata: { type: 'object', properties: { name: TEXT, generateName: TEXT } },
};

/** A schema as rules see it: whole objects have a type and a name, whether they are declared or not. */
export function exposeMetadata(schema: StructuralSchema, isRoot = true): StructuralSchema {
  const { items, properties = {}, additionalProperties } = schema;
  const exposed = (sub: StructuralSchema): StructuralSchema => exposeMetadata(sub, false);
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const all = { ...properties, ...(isResource ? RESOURCE : {}) };
  return {
    ...schema,
    ...(Object.keys(all).length > 0 && {
      properties: Object.fromEntries(Object.entries(all).map(([name, sub]) => [name, exposed(sub)])),
    }),
    ...(isSchema(items) && { items: exposed(items) }),
    ...(isSchema(additionalProperties) && { additionalProperties: exposed(additionalProperties) }),
  };
}
