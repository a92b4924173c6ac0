import type { JsonObject } from '../model/object.js';
import { messageType, type MessageField, type MessageType, type ScalarType } from './message-types.js';

const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const SCALARS: Readonly<Record<ScalarType, JsonObject>> = {
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
  json: OPEN,
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
};

/**
 * The structural OpenAPI schema of a message, with the extensions of lists, maps and patches, and without descriptions.
 * A message that contains itself is open: nothing in it is described.
 * @param name below `k8s.io`, such as `api.core.v1.Secret`
 * @throws RangeError for a message that the data lacks
 */
export function schemaOfMessage(name: string): JsonObject {
  return schemaOf(messageType(name));
}

/** Schemas of messages, which share those of the messages in them. */
const made = new WeakMap<MessageType, JsonObject>();

function schemaOf(type: MessageType): JsonObject {
  const schema = made.get(type) ?? makeSchema(type);
  made.set(type, schema);
  return schema;
}

function makeSchema(type: MessageType): JsonObject {
  if (type.form?.schema !== undefined) return { ...type.form.schema };
  if (contains(type, type)) return { ...OPEN };
  const fields = fieldsOf(type);
  const [first] = fields;
  if (type.isAlone && first !== undefined) return schemaOfField(first);
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    ...(fields.length > 0 && { properties: propertiesOf(fields, KEY_DEFAULTS[type.name]) }),
    ...(required.length > 0 && { required }),
    ...(type.isAtomic && { 'x-kubernetes-map-type': 'atomic' }),
  };
}

/** Defaults of fields that identify the items of a list. */
const KEY_DEFAULTS: Readonly<Record<string, JsonObject>> = {
  'api.core.v1.ContainerPort': { protocol: 'TCP' },
  'api.core.v1.ServicePort': { protocol: 'TCP' },
};

function propertiesOf(fields: readonly MessageField[], defaults: JsonObject = {}): JsonObject {
  const properties: JsonObject = {};
  for (const field of fields) {
    const standard = defaults[field.name];
    if (!field.isInline)
      properties[field.name] = {
        ...schemaOfField(field),
        ...(standard !== undefined && { default: standard }),
      };
    else if (typeof field.type === 'object') Object.assign(properties, propertiesOf(fieldsOf(field.type)));
  }
  return properties;
}

function fieldsOf({ fields }: MessageType): MessageField[] {
  return fields.filter((field) => field !== undefined);
}

function schemaOfField({ form, type, markers }: MessageField): JsonObject {
  const value = typeof type === 'string' ? { ...SCALARS[type] } : schemaOf(type);
  const [listType, ...keys] = markers.get('listType')?.split(',') ?? [];
  const [strategy, mergeKey] = markers.get('patch')?.split(':') ?? [];
  const mapType = markers.get('mapType');
  return {
    ...(form === 'single' && value),
    ...(form === 'list' && { type: 'array', items: value }),
    ...(form === 'map' && { type: 'object', additionalProperties: value }),
    ...(listType !== undefined && { 'x-kubernetes-list-type': listType }),
    ...(keys.length > 0 && { 'x-kubernetes-list-map-keys': keys }),
    ...(mapType !== undefined && { 'x-kubernetes-map-type': mapType }),
    ...(strategy !== undefined && { 'x-kubernetes-patch-strategy': strategy }),
    ...(mergeKey !== undefined && { 'x-kubernetes-patch-merge-key': mergeKey }),
  };
}

/** True when a message is in the other one, at any depth. */
function contains(type: MessageType, other: MessageType, seen = new Set<MessageType>()): boolean {
  seen.add(type);
  return fieldsOf(type).some(
    ({ type: one }) =>
      typeof one === 'object' && (one === other || (!seen.has(one) && contains(one, other, seen))),
  );
}
