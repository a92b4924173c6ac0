import { metadataSchema } from '../model/schema/base-schema.js';
import { INCLUDED } from '../model/included.js';
import type { JsonObject } from '../model/object.js';
import { getApiVersion, type Resource } from '../model/resource.js';
import { isJsonObject } from '../model/schema/schema-walk.js';
import { toOpenApi, type RefOf } from './convert.js';
import type { NamedModel } from './named-model.js';
import { schemaRef } from './json-fragment.js';

/** The named schemas of a model: its objects, its pages, and the schemas to which they refer. */
export function modelSchemas(model: NamedModel): Map<string, JsonObject> {
  const { resource, schemas, definitions } = model;
  const findRef: RefOf = (local) => {
    const name = definitions.get(local);
    return name === undefined ? undefined : schemaRef(name).$ref;
  };
  const named = new Map<string, JsonObject>([[model.object, objectSchema(resource, schemas.root, findRef)]]);
  named.set(model.page, pageSchema(model));
  for (const [local, schema] of schemas.definitions) {
    const name = definitions.get(local);
    if (name !== undefined && !named.has(name)) named.set(name, toOpenApi(schema, findRef));
  }
  return named;
}

/**
 * The named schemas of several models together. Schemas of whole objects and pages replace equal parts of other models, because
 * they have more details.
 */
export function mergedSchemas<T>(
  models: readonly NamedModel[],
  getSchemas: (model: NamedModel) => ReadonlyMap<string, T>,
): Map<string, T> {
  const merged = new Map<string, T>();
  for (const model of models) {
    for (const name of [model.object, model.page]) {
      const schema = getSchemas(model).get(name);
      if (schema !== undefined) merged.set(name, schema);
    }
  }
  for (const model of models)
    for (const [name, schema] of getSchemas(model)) if (!merged.has(name)) merged.set(name, schema);
  return merged;
}

function gvk(resource: Resource, kind: string): JsonObject {
  const { group, version } = resource;
  return { 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
}

function objectSchema(resource: Resource, root: JsonObject, findRef: RefOf): JsonObject {
  const schema = toOpenApi(root, findRef);
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  return {
    ...schema,
    properties: {
      ...properties,
      ...(JSON.stringify(properties.metadata) === METADATA_TEXT ? { metadata: schemaRef('Metadata') } : {}),
      apiVersion: fixed(properties.apiVersion, getApiVersion(resource)),
      kind: fixed(properties.kind, resource.kind),
    },
    ...(resource.deprecated !== undefined && { deprecated: true }),
    ...gvk(resource, resource.kind),
  };
}

const METADATA_TEXT = JSON.stringify(toOpenApi(metadataSchema(), () => undefined));

/** Fixes the value of a member that is equal for every object of the model. */
function fixed(schema: JsonObject[string], value: string): JsonObject {
  return { ...(isJsonObject(schema) ? schema : { type: 'string' }), enum: [value] };
}

const integer = { type: 'integer', format: 'int64' } as const;
const flag = { type: 'boolean' } as const;

const OPTIONAL = ['apiVersion', 'kind', 'facets', 'groups', 'groupsTotal', INCLUDED];

const FACETS: JsonObject = {
  type: 'object',
  description: 'For each requested field, its most frequent values among all matches.',
  additionalProperties: {
    type: 'array',
    items: {
      type: 'object',
      required: ['value', 'count'],
      properties: {
        value: {
          description: 'The value as in the objects.',
          oneOf: ['string', 'number', 'boolean'].map((type) => ({ type })),
        },
        count: { ...integer, description: 'Number of matches with this value.' },
      },
    },
  },
};

const INCLUDED_OBJECTS: JsonObject = {
  type: 'object',
  description:
    'With `expand`: the objects that references name, by `<plural>.<group>` of their model and by name, each in the version in which it is stored.',
  additionalProperties: { type: 'object', additionalProperties: { type: 'object' } },
};

const groupValue = {
  oneOf: ['string', 'number', 'boolean'].map((type) => ({ type })),
  nullable: true,
} as const;

const GROUPS: JsonObject = {
  type: 'array',
  description: 'With `aggregates`, the groups of all matches with the most objects.',
  items: {
    type: 'object',
    required: ['key', 'count'],
    properties: {
      key: {
        type: 'object',
        description: 'The value of each field of `groupBy`; null for objects without one.',
        additionalProperties: groupValue,
      },
      count: { ...integer, description: 'Number of matches in the group.' },
    },
    additionalProperties: {
      ...groupValue,
      description: 'The result of a function, like `sum(spec.cost)`; of large integers, a text of digits.',
    },
  },
};

function pageSchema({ resource, object }: NamedModel): JsonObject {
  const properties: JsonObject = {
    apiVersion: { type: 'string', enum: [getApiVersion(resource)] },
    kind: { type: 'string', enum: [`${resource.kind}List`] },
    metadata: schemaRef('ListMeta'),
    page: { ...integer, description: 'Number of this page, from 1.' },
    size: { ...integer, description: 'Requested objects per page; 0 means all.' },
    total: { ...integer, description: 'Number of matching objects on all pages.' },
    first: { ...flag, description: 'True on the first page.' },
    last: { ...flag, description: 'True on the last page.' },
    hasNext: flag,
    hasPrevious: flag,
    totalPages: integer,
    items: { type: 'array', items: schemaRef(object) },
    facets: FACETS,
    [INCLUDED]: INCLUDED_OBJECTS,
    groups: GROUPS,
    groupsTotal: { ...integer, description: 'Number of all groups.' },
  };
  return {
    type: 'object',
    description: `A page of ${resource.kind} objects.`,
    // A page in a plugin's own endpoint does not state its model.
    required: Object.keys(properties).filter((name) => !OPTIONAL.includes(name)),
    properties,
    ...gvk(resource, `${resource.kind}List`),
  };
}
