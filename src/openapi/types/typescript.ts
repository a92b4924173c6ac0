import { metadataSchema } from '../../model/schema/base-schema.js';
import type { JsonObject } from '../../model/object.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import { isJsonObject } from '../../model/schema/schema-walk.js';
import { localName } from '../convert.js';
import { nameModels, getQualifier, SchemaNames, type NamingRules } from '../named-model.js';
import { Names, pascalCase } from '../names.js';
import { getDeclaration, memberKey, type RefType } from './typescript-type.js';

/** Names that the file itself declares. */
const OWN_NAMES = ['Metadata', 'ModelMap', 'Page'];

const IDENTIFIERS: NamingRules = {
  whole: (resource, name) => [identifier(name), () => `${identifier(name)}${getQualifier(resource)}`],
  part: (_resource, object, local) => [identifier(local), () => `${object}${identifier(local)}`],
};

/** Converts a text to the name of a type. No reserved word is in PascalCase. */
function identifier(text: string): string {
  const name = pascalCase(text.replaceAll('_', ' ')) || 'Schema';
  return /^\d/.test(name) ? `Type${name}` : name;
}

/**
 * TypeScript declarations of models: a type for each model and each named part of one, `Page<T>`, and `ModelMap`
 * from `<group>/<version>/<Kind>` to the type. Fields that the schema does not require are optional. The same
 * models give the same text.
 */
export function emitTypes(models: readonly Resource[]): string {
  const names = new SchemaNames(OWN_NAMES);
  const named = nameModels(models, new Names(), names, IDENTIFIERS);
  const declarations = new Map<string, string>();
  for (const { resource, schemas, definitions, object } of named) {
    const refType: RefType = (ref) =>
      ref === METADATA_REF ? 'Metadata' : (definitions.get(localName(ref) ?? '') ?? 'unknown');
    declarations.set(object, getDeclaration(object, wholeObject(resource, schemas.root), refType));
    for (const [local, schema] of schemas.definitions) {
      const name = definitions.get(local);
      if (name !== undefined && !declarations.has(name))
        declarations.set(name, getDeclaration(name, schema, refType));
    }
  }
  const entries = named.map(({ resource, object }) => {
    return `  ${memberKey(`${getApiVersion(resource)}/${resource.kind}`)}: ${object};`;
  });
  return [
    '/* Types of the models of a service, written by `xsvc types`. */',
    getDeclaration('Metadata', metadata(), () => 'unknown'),
    PAGE,
    ...declarations.values(),
    `/** Every model by \`<group>/<version>/<Kind>\`. */\nexport interface ModelMap {\n${entries.join('\n')}\n}`,
  ]
    .join('\n\n')
    .concat('\n');
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

const PAGE = `/** A page of objects of one model. */
export interface Page<T> {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  page: number;
  size: number;
  total: number;
  first: boolean;
  last: boolean;
  hasNext: boolean;
  hasPrevious: boolean;
  totalPages: number;
  facets?: Record<string, { value: string | number | boolean; count: number }[]>;
  groups?: ({ key: Record<string, string | number | boolean | null>; count: number } & Record<string, unknown>)[];
  groupsTotal?: number;
  items: T[];
  included?: Record<string, Record<string, unknown>>;
}`;
