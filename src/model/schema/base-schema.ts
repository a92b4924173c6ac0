import { FINALIZERS_MAX, LABELS_MAX } from '../names-and-labels.js';
import { OWNERS_MAX } from '../owner-references.js';
import type { JsonObject } from '../object.js';

/** Fields that every model has, as in the description. */
export const BASE_FIELDS = ['apiVersion', 'kind', 'metadata'] as const;

const STRINGS: JsonObject = { type: 'object', additionalProperties: { type: 'string' } };

const OWNER_REFERENCE: JsonObject = {
  type: 'object',
  required: ['apiVersion', 'kind', 'name', 'uid'],
  properties: {
    apiVersion: { type: 'string', minLength: 1, description: 'Group and version of the owner.' },
    kind: { type: 'string', minLength: 1, description: 'Kind of the owner.' },
    name: { type: 'string', minLength: 1, description: 'Name of the owner.' },
    uid: { type: 'string', minLength: 1, description: "The owner's metadata.uid." },
    controller: {
      type: 'boolean',
      description: 'True for the owner that controls the object; at most one owner does.',
    },
    blockOwnerDeletion: {
      type: 'boolean',
      description: 'True when an owner that is deleted in the foreground waits until this object is gone.',
    },
  },
};

const METADATA_PROPERTIES: JsonObject = {
  name: {
    type: 'string',
    maxLength: 253,
    description: 'Unique within the model: lowercase letters, digits and "-".',
  },
  generateName: {
    type: 'string',
    maxLength: 248,
    description: 'On create, instead of a name: the name becomes this prefix and random characters.',
  },
  labels: { ...STRINGS, maxProperties: LABELS_MAX, description: 'Used to select objects.' },
  annotations: {
    ...STRINGS,
    description: 'Free-form notes, not searchable.',
  },
  finalizers: {
    type: 'array',
    items: { type: 'string', minLength: 1 },
    maxItems: FINALIZERS_MAX,
    uniqueItems: true,
    description: 'A deleted object stays until this list is empty.',
  },
  ownerReferences: {
    type: 'array',
    items: OWNER_REFERENCE,
    maxItems: OWNERS_MAX,
    description: 'The owners of this object; it is removed when all of them are gone.',
  },
  version: {
    type: 'integer',
    format: 'int64',
    minimum: 0,
    description: 'Optimistic lock: an update with another version than the current one fails.',
  },
  resourceVersion: { type: 'string', description: "Store-wide revision of the object's last change." },
  uid: { type: 'string', format: 'uuid', readOnly: true, description: 'Assigned on creation.' },
  generation: {
    type: 'integer',
    format: 'int64',
    readOnly: true,
    description: 'Counts the changes to anything but metadata and status, from 1.',
  },
  creationTimestamp: { type: 'string', format: 'date-time', readOnly: true, description: 'Set on creation.' },
  updateTimestamp: {
    type: 'string',
    format: 'date-time',
    readOnly: true,
    description: 'Time of the last stored change, including the creation and changes of the status.',
  },
  deletionTimestamp: {
    type: 'string',
    format: 'date-time',
    readOnly: true,
    description: 'Set when the deletion is requested; the object stays readable until it is removed.',
  },
};

export function metadataSchema(): JsonObject {
  return structuredClone({ type: 'object', properties: METADATA_PROPERTIES });
}

/** Schemas of the fields of the base type. */
export function baseProperties(): JsonObject {
  return {
    apiVersion: { type: 'string', description: 'Group and version of the model.' },
    kind: { type: 'string', description: 'Kind of the model.' },
    metadata: metadataSchema(),
  };
}

/** A schema of objects with the members that every object has. */
export function withBaseProperties(schema: JsonObject): JsonObject {
  return { ...schema, properties: { ...(schema.properties as JsonObject | undefined), ...baseProperties() } };
}

/**
 * The schema that checks the metadata from a client: members that the service overwrites accept any value, and null
 * is the same as an absent lock or prefix.
 */
export function checkedMetadataSchema(): JsonObject {
  const checked = Object.entries(METADATA_PROPERTIES).map(
    ([name, schema]) => [name, relaxed(name, schema)] as const,
  );
  return { type: 'object', properties: Object.fromEntries(checked) };
}

const NULL_IS_ABSENT = new Set(['version', 'resourceVersion', 'generateName']);
/** Their lengths are checked with the other rules of names, whose messages are more precise. */
const NAMES = new Set(['name', 'generateName']);

function relaxed(name: string, schema: JsonObject[string]): JsonObject {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema) || schema.readOnly === true)
    return {};
  const { maxLength, ...rest } = structuredClone(schema);
  const kept = NAMES.has(name) || maxLength === undefined ? rest : { ...rest, maxLength };
  return NULL_IS_ABSENT.has(name) ? { ...kept, nullable: true } : kept;
}
