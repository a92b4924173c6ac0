import type { Json, JsonObject } from '../../../model/object.js';
import { getEntries, getList, isJsonObject } from '../../../model/schema/schema-walk.js';
import {
  DEDUCED,
  UNTYPED,
  type ValueKinds,
  type ListType,
  type MapType,
  type ScalarKind,
} from './field-type.js';

export interface SchemaReading {
  /** True for models that keep fields which their schema does not declare. */
  readonly isOpen: boolean;
}

/**
 * The type of the objects of a structural schema, or of the JSON schema of a model. Each part of it is made on first use. The
 * members of metadata have the types of Kubernetes.
 */
export function objectType(schema: JsonObject, { isOpen }: SchemaReading): ValueKinds {
  const made = isOpen ? open : closed;
  const known = made.get(schema);
  if (known !== undefined) return known;
  const root = new SchemaType(schema, { root: schema, isOpen });
  const type = { map: resourceMap(root.map ?? EMPTY, isOpen) };
  made.set(schema, type);
  return type;
}

const open = new WeakMap<JsonObject, ValueKinds>();
const closed = new WeakMap<JsonObject, ValueKinds>();

const TEXT: JsonObject = { type: 'string' };
const TIME: JsonObject = { type: 'string', format: 'date-time' };
const TEXTS: JsonObject = { type: 'object', additionalProperties: TEXT };
const NUMBER: JsonObject = { type: 'integer' };
const ANY_LIST: JsonObject = { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } };

const METADATA: JsonObject = {
  type: 'object',
  properties: {
    ...Object.fromEntries(
      ['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'selfLink'].map((name) => [name, TEXT]),
    ),
    ...Object.fromEntries(
      ['creationTimestamp', 'updateTimestamp', 'deletionTimestamp'].map((name) => [name, TIME]),
    ),
    ...Object.fromEntries(
      ['generation', 'version', 'deletionGracePeriodSeconds'].map((name) => [name, NUMBER]),
    ),
    labels: TEXTS,
    annotations: TEXTS,
    finalizers: { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'set' },
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: {
          ...Object.fromEntries(['apiVersion', 'kind', 'name', 'uid'].map((name) => [name, TEXT])),
          controller: { type: 'boolean' },
          blockOwnerDeletion: { type: 'boolean' },
        },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
    },
    managedFields: ANY_LIST,
  },
};

interface Place extends SchemaReading {
  readonly root: JsonObject;
}

/** A node of a schema. */
class SchemaType implements ValueKinds {
  readonly #schema: JsonObject;
  readonly #place: Place;
  readonly #kind: string | undefined;
  #list: ListType | undefined;
  #map: MapType | undefined;

  constructor(schema: JsonObject, { root, isOpen }: Place) {
    this.#schema = schema;
    this.#place = { root, isOpen: isOpen || schema['x-kubernetes-preserve-unknown-fields'] === true };
    this.#kind = kindOfSchema(schema);
  }

  get scalar(): ScalarKind | undefined {
    switch (this.#kind) {
      case undefined:
        return 'untyped';
      case 'integer':
      case 'number':
        return 'numeric';
      case 'boolean':
        return 'boolean';
      case 'string': {
        const { format } = this.#schema;
        return format === undefined || format === 'byte' ? 'string' : 'untyped';
      }
      default:
        return undefined;
    }
  }

  get list(): ListType | undefined {
    if (this.#kind !== undefined && this.#kind !== 'array') return undefined;
    return (this.#list ??= this.#makeList());
  }

  get map(): MapType | undefined {
    if (this.#kind !== undefined && this.#kind !== 'object') return undefined;
    return (this.#map ??= this.#makeMap());
  }

  #makeList(): ListType {
    const { items } = this.#schema;
    return {
      items: items === undefined ? UNTYPED : typeBelow(items, this.#place),
      ...relationOf(this.#schema),
    };
  }

  #makeMap(): MapType {
    const { properties, additionalProperties } = this.#schema;
    const declared = new Map(getEntries(properties));
    const fields = new Map<string, ValueKinds>();
    const map: MapType = {
      hasFields: declared.size > 0,
      field: (name) => {
        const schema = declared.get(name);
        if (schema === undefined) return undefined;
        const known = fields.get(name) ?? typeBelow(schema, this.#place);
        fields.set(name, known);
        return known;
      },
      keyDefault: (name) => {
        const schema = declared.get(name);
        return isJsonObject(schema) ? schema.default : undefined;
      },
      others: othersOf(additionalProperties, declared.size === 0, this.#place),
      isAtomic: this.#schema['x-kubernetes-map-type'] === 'atomic',
    };
    const isEmbedded = this.#schema['x-kubernetes-embedded-resource'] === true;
    return isEmbedded ? resourceMap(map, this.#place.isOpen) : map;
  }
}

function othersOf(schema: Json | undefined, isFree: boolean, place: Place): ValueKinds | undefined {
  if (schema === undefined) return place.isOpen || isFree ? DEDUCED : undefined;
  if (isJsonObject(schema)) return typeBelow(schema, place);
  return schema === true ? DEDUCED : undefined;
}

function typeBelow(schema: Json, place: Place): ValueKinds {
  if (!isJsonObject(schema)) return DEDUCED;
  return new SchemaType(resolveReference(schema, place.root), place);
}

const STEPS_MAX = 100;

/** A chain of references that does not end accepts everything. */
function resolveReference(schema: JsonObject, root: JsonObject): JsonObject {
  let at: Json | undefined = schema;
  for (let step = 0; step < STEPS_MAX; step++) {
    if (!isJsonObject(at)) return {};
    const reference: Json | undefined = at.$ref;
    if (typeof reference !== 'string') return at;
    at = find(root, reference);
  }
  return {};
}

function find(root: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith('#/')) return undefined;
  let at: Json | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = isJsonObject(at) ? at[name] : undefined;
  }
  return at;
}

/** Undefined where values of several kinds are accepted. */
function kindOfSchema({ type }: JsonObject): string | undefined {
  if (typeof type === 'string') return type;
  const [kind, ...more] = getList(type).filter((one) => one !== 'null');
  return typeof kind === 'string' && more.length === 0 ? kind : undefined;
}

/** The kinds of Kubernetes that say nothing about a list say how patches merge it. */
function relationOf(schema: JsonObject): Pick<ListType, 'relation' | 'keys'> {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return { relation: 'set', keys: [] };
  if (listType === 'map') {
    const keys = getList(schema['x-kubernetes-list-map-keys']).filter((key) => typeof key === 'string');
    return keys.length > 0 ? { relation: 'map', keys } : { relation: 'set', keys };
  }
  const strategy = schema['x-kubernetes-patch-strategy'];
  if (listType !== undefined || (strategy !== 'merge' && strategy !== 'merge,retainKeys'))
    return { relation: 'atomic', keys: [] };
  const key = schema['x-kubernetes-patch-merge-key'];
  return typeof key === 'string' ? { relation: 'map', keys: [key] } : { relation: 'set', keys: [] };
}

const EMPTY: MapType = {
  hasFields: false,
  field: () => undefined,
  keyDefault: () => undefined,
  others: undefined,
  isAtomic: false,
};

/** The map of a resource: these members have the same types in all models. */
function resourceMap(map: MapType, isOpen: boolean): MapType {
  const fixed = new Map<string, ValueKinds>([
    ['apiVersion', { scalar: 'string' }],
    ['kind', { scalar: 'string' }],
    ['metadata', isOpen ? OPEN_METADATA : CLOSED_METADATA],
  ]);
  return { ...map, hasFields: true, field: (name) => fixed.get(name) ?? map.field(name) };
}

const CLOSED_METADATA = new SchemaType(METADATA, { root: METADATA, isOpen: false });
const OPEN_METADATA: ValueKinds = new SchemaType(METADATA, { root: METADATA, isOpen: true });
