import { metadataSchema } from '../../model/schema/base-schema.js';
import type { JsonObject } from '../../model/object.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import { isJsonObject } from '../../model/schema/schema-walk.js';
import { localName } from '../convert.js';
import { nameModels, getQualifier, SchemaNames, type NamingRules } from '../named-model.js';
import { Names, pascalCase } from '../names.js';

export interface DeclaredSchema {
  readonly name: string;
  readonly schema: JsonObject;
  /** The names of the types to which its references lead. */
  readonly refType: (ref: string) => string | undefined;
}

export interface TypedModels {
  /** `Metadata` first; the same models give the same list. */
  readonly schemas: readonly DeclaredSchema[];
  /** The name of each model's type. */
  readonly objects: readonly { readonly resource: Resource; readonly object: string }[];
}

const IDENTIFIERS: NamingRules = {
  whole: (resource, name) => [identifier(name), () => `${identifier(name)}${getQualifier(resource)}`],
  part: (_resource, object, local) => [identifier(local), () => `${object}${identifier(local)}`],
};

/** Converts a text to the name of a type, in PascalCase. */
function identifier(text: string): string {
  const name = pascalCase(text.replaceAll('_', ' ')) || 'Schema';
  return /^\d/.test(name) ? `Type${name}` : name;
}

/** The types of models: one for each model and each named part of one. Fields that the schema does not require are optional. */
export function declareModels(models: readonly Resource[]): TypedModels {
  const names = new SchemaNames(['Metadata', 'ModelMap', 'Page']);
  const named = nameModels(models, new Names(), names, IDENTIFIERS);
  const schemas = new Map<string, DeclaredSchema>();
  const declare = (declared: DeclaredSchema): void => {
    if (!schemas.has(declared.name)) schemas.set(declared.name, declared);
  };
  declare({ name: 'Metadata', schema: metadata(), refType: () => undefined });
  for (const { resource, schemas: set, definitions, object } of named) {
    const refType = (ref: string): string | undefined =>
      ref === METADATA_REF ? 'Metadata' : definitions.get(localName(ref) ?? '');
    declare({ name: object, schema: wholeObject(resource, set.root), refType });
    for (const [local, schema] of set.definitions) {
      const name = definitions.get(local);
      if (name !== undefined) declare({ name, schema, refType });
    }
  }
  return { schemas: [...schemas.values()], objects: named };
}

const METADATA_REF = '#metadata';

function metadata(): JsonObject {
  return {
    ...metadataSchema(),
    description: 'The fields that every object has.',
    required: ['name'],
  };
}

/** Every object of a model has the same group, version and kind, which separate the types of a union. */
function wholeObject(resource: Resource, root: JsonObject): JsonObject {
  const properties = isJsonObject(root.properties) ? root.properties : {};
  return {
    description: `A ${resource.kind} object.`,
    ...root,
    ...(resource.deprecated !== undefined && {
      deprecated: resource.deprecated === '' ? true : resource.deprecated,
    }),
    properties: {
      ...properties,
      apiVersion: { const: getApiVersion(resource) },
      kind: { const: resource.kind },
      metadata: { $ref: METADATA_REF },
    },
  };
}
