import { getOwn, isRecord } from '../../lib/json/json.js';
import type { DataIndex, DataModel } from '../../model/declare/data-model.js';
import type { ExtensionObject, JsonObject } from '../../model/object.js';
import { baseProperties } from '../../model/schema/base-schema.js';
import type { ObjectCheck } from '../../model/validate/validator.js';
import type { CoreKind } from '../core-kinds.js';
import { schemaOfMessage } from '../schema.js';
import { applyStrategicMerge } from '../strategic-merge.js';
import { kindCheck, type KindRules } from './kind-check.js';

/**
 * The model of a stored kind.
 * @param makeCheck checks objects by the schema
 */
export function modelOfKind(
  { group, version, kind, plural, singular, shortNames, scope, message, columns, fieldLabels }: CoreKind,
  rules: KindRules = {},
  makeCheck: (schema: JsonObject) => ObjectCheck = (schema) => kindCheck(schema, rules),
): DataModel {
  const schema = schemaOfMessage(message);
  const {
    statusBy = hasStatus(schema) ? 'subresource' : 'field',
    finalizedBy,
    secretFields,
    deletion,
  } = rules;
  return {
    group,
    kind,
    plural,
    singular,
    shortNames,
    categories: [],
    ...(scope === 'Namespaced' && { scope }),
    ...(finalizedBy !== undefined && { finalizedBy }),
    ...(secretFields !== undefined && { secretFields }),
    ...(deletion !== undefined && { deletion }),
    origin: 'core',
    strategicMerge: (object, patch) => applyStrategicMerge(schema, object, patch),
    storageVersion: version,
    indexes: Object.entries(fieldLabels).map(([label, paths]) => labelIndex(label, paths)),
    versions: [
      { version, schema: described(schema), columns, isServed: true, statusBy, check: makeCheck(schema) },
    ],
  };
}

function hasStatus({ properties }: JsonObject): boolean {
  return isRecord(properties) && Object.hasOwn(properties, 'status');
}

/** The schema with the members that every object has. */
function described(schema: JsonObject): JsonObject {
  return { ...schema, properties: { ...(schema.properties as JsonObject | undefined), ...baseProperties() } };
}

/** Objects with the first value that one of the paths has. */
function labelIndex(label: string, paths: readonly string[]): DataIndex {
  const ways = paths.map((path) => path.split('.'));
  return {
    name: label,
    keyType: 'string',
    multi: false,
    unique: false,
    order: 'ASC',
    sparse: false,
    source: `label ${paths.join(' ')}`,
    read: (object) => ways.map((way) => textAt(object, way)).find((text) => text !== ''),
  };
}

function textAt(object: ExtensionObject, way: readonly string[]): string {
  const value = way.reduce<unknown>((at, name) => (isRecord(at) ? getOwn(at, name) : undefined), object);
  return typeof value === 'string' ? value : '';
}
