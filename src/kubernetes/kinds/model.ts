import { getOwn, isRecord } from '../../lib/json/json.js';
import {
  inverse,
  withNames,
  type DataIndex,
  type DataModel,
  type DataVersion,
  type DataView,
} from '../../model/declare/data-model.js';
import type { ExtensionObject, JsonObject } from '../../model/object.js';
import type { Column } from '../../model/resource.js';
import { withBaseProperties } from '../../model/schema/base-schema.js';
import type { ObjectCheck } from '../../model/validate/validator.js';
import type { CoreKind, KindView } from '../core-kinds.js';
import { schemaOfMessage } from '../schema.js';
import { applyStrategicMerge } from '../strategic-merge.js';
import { kindCheck, leftOut, type KindRules } from './kind-check.js';

/**
 * The model of a stored kind.
 * @param makeCheck checks objects by the schema
 */
export function modelOfKind(
  kind: CoreKind,
  rules: KindRules = {},
  makeCheck: (schema: JsonObject) => ObjectCheck = (schema) => kindCheck(schema, rules),
): DataModel {
  const { group, version, plural, singular, shortNames, scope, message, columns, views = [] } = kind;
  const { finalizedBy, secretFields, deletion } = rules;
  const schema = { ...schemaOfMessage(message), ...kind.hint };
  return {
    group,
    kind: kind.kind,
    plural,
    singular,
    shortNames,
    categories: [],
    ...(scope === 'Namespaced' && { scope }),
    ...(finalizedBy !== undefined && { finalizedBy }),
    ...(secretFields !== undefined && { secretFields }),
    ...(deletion !== undefined && { deletion }),
    origin: 'core',
    storageVersion: version,
    indexes: [...labelIndexes(kind.fieldLabels, 'string'), ...labelIndexes(kind.timeLabels ?? {}, 'instant')],
    versions: [
      versionOf(version, schema, { columns, check: makeCheck(schema), rules }),
      ...views.map((view) => viewOf(view, columns, rules)),
    ],
  };
}

interface VersionParts extends Pick<DataVersion, 'columns' | 'check'> {
  readonly rules: KindRules;
}

function versionOf(version: string, schema: JsonObject, { rules, ...parts }: VersionParts): DataVersion {
  const { statusBy = hasStatus(schema) ? 'subresource' : 'field' } = rules;
  return {
    version,
    schema: withBaseProperties(schema),
    isServed: true,
    statusBy,
    strategicMerge: (object, patch) => applyStrategicMerge(schema, object, patch),
    ...parts,
  };
}

function viewOf(
  { group, version, message, deprecated, ...given }: KindView,
  columns: readonly Column[],
  rules: KindRules,
): DataVersion {
  const schema = schemaOfMessage(message);
  const renamed = new Map(Object.entries(given.renamed));
  const shown = columns.map(({ jsonPath, ...column }) => {
    return { ...column, jsonPath: jsonPath.replace(ROOT_MEMBER, (name) => renamed.get(name) ?? name) };
  });
  const check = kindCheck(leftOut(schema, isRequired), ofView(rules, { group, renamed }));
  return {
    ...versionOf(version, schema, { columns: shown, check, rules }),
    ...(deprecated !== undefined && { deprecated }),
    view: { group, renamed },
  };
}

/** The first member in each path, also among several in quotes. */
const ROOT_MEMBER = /(?<=^\.|')\w+/g;

/** Objects of the kind may lack what a view demands of new ones. */
function isRequired(keyword: string, value: unknown): boolean {
  return keyword === 'required' && Array.isArray(value);
}

/** Rules for objects of a view. They read the members by their stored names. */
function ofView({ names, validate, views }: KindRules, { group, renamed }: DataView): KindRules {
  const check = views?.[group] ?? validate;
  const stored = inverse(renamed);
  return {
    ...(names !== undefined && { names }),
    ...(check !== undefined && {
      validate: (object, before) => check(withNames(object, stored), before && withNames(before, stored)),
    }),
  };
}

function hasStatus({ properties }: JsonObject): boolean {
  return isRecord(properties) && Object.hasOwn(properties, 'status');
}

/** Indexes of objects by the first value that one of the paths of a label has. */
function labelIndexes(labels: CoreKind['fieldLabels'], keyType: DataIndex['keyType']): DataIndex[] {
  return Object.entries(labels).map(([label, paths]) => {
    const ways = paths.map((path) => path.split('.'));
    return {
      name: label,
      keyType,
      multi: false,
      unique: false,
      order: 'ASC',
      sparse: false,
      source: `label ${paths.join(' ')}`,
      read: (object) => ways.map((way) => textAt(object, way)).find((text) => text !== ''),
    };
  });
}

function textAt(object: ExtensionObject, way: readonly string[]): string {
  const value = way.reduce<unknown>((at, name) => (isRecord(at) ? getOwn(at, name) : undefined), object);
  return typeof value === 'string' ? value : '';
}
