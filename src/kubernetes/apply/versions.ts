import { getApiVersion, type Resource } from '../../model/resource.js';
import type { ExtensionObject } from '../../model/object.js';
import { ModelView } from '../../service/read/view.js';
import type { WrittenPart } from '../../service/verbs.js';
import { isRecord } from '../../lib/json/json.js';
import { without } from './paths/algebra.js';
import { fieldElement } from './paths/element.js';
import { pathSet, PathSet } from './paths/path-set.js';
import { objectType } from './types/from-schema.js';
import type { ValueKinds, TypedValue } from './types/field-type.js';
import type { OwnedVersions } from './managers/managed.js';

/** The type of a model's objects in a version. Models of plugins keep fields that no schema declares. */
export function typeOf({ scheme, resource }: ModelView): ValueKinds {
  // The stored description of a model may lack its schemas.
  const { schema, origin } = scheme?.resource ?? resource;
  return objectType(schema, { isOpen: origin === undefined });
}

export function versionsOf(model: ModelView, part: WrittenPart): OwnedVersions {
  return {
    convert: (object, version) => convert(model, object, version),
    ownable: (fields) => ownable(fields, model.resource, part),
  };
}

/** @throws ConversionError */
function convert(model: ModelView, { value, type }: TypedValue, version: string): TypedValue | undefined {
  if (!isRecord(value) || value.apiVersion === version) return { value, type };
  const to = findView(model, version);
  if (to === undefined) return undefined;
  // Where fields were removed, the metadata may be missing, which conversions read.
  const { metadata } = value;
  const whole = { ...value, metadata: metadata ?? {} } as ExtensionObject;
  const converted = { ...to.toOwnVersion(whole) };
  if (metadata === undefined) Reflect.deleteProperty(converted, 'metadata');
  return { value: converted, type: typeOf(to) };
}

function findView({ table, scheme }: ModelView, apiVersion: string): ModelView | undefined {
  for (const { resource } of scheme?.versions.byName.values() ?? [])
    if (getApiVersion(resource) === apiVersion) return new ModelView(table, resource);
  return undefined;
}

const STATUS = fieldElement('status');
const ONLY_STATUS = pathSet([STATUS]);

/** Where the status is a subresource, other writes do not change it, and its writes change nothing else. */
function ownable(fields: PathSet, { statusBy }: Resource, part: WrittenPart): PathSet {
  if (part !== 'status') return statusBy === 'subresource' ? without(fields, ONLY_STATUS) : fields;
  const node = fields.nodes.get(STATUS);
  return new PathSet(node === undefined ? [] : [[STATUS, node]]);
}
