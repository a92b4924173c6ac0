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
import { withBaseProperties } from '../../model/schema/base-schema.js';
import type { ObjectCheck } from '../../model/validate/validator.js';
import { setMessageDefaults } from '../inert/defaults.js';
import type { CoreKind, KindVersion, KindView } from '../kind.js';
import { blankOf, writeAsGo } from '../as-go.js';
import { messageType } from '../message-types.js';
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
  makeCheck: (schema: () => JsonObject) => ObjectCheck = (schema) =>
    kindCheck(schema, writtenAsGo(kind.message, rules)),
): DataModel {
  const { group, version, plural, singular, shortNames, scope, columns, views = [] } = kind;
  const { categories = [], versions = [], full, scale } = kind;
  const { finalizedBy, secretFields, deletion } = rules;
  const schema = schemaSource(kind);
  const statusBy = kind.lacksStatus === true ? 'field' : 'subresource';
  return {
    group,
    kind: kind.kind,
    plural,
    singular,
    shortNames,
    categories,
    ...(full === 'inert' && { isInert: true }),
    ...(scope === 'Namespaced' && { scope }),
    ...(finalizedBy !== undefined && { finalizedBy }),
    ...(secretFields !== undefined && { secretFields }),
    ...(deletion !== undefined && { deletion }),
    origin: 'core',
    storageVersion: version,
    indexes: [...labelIndexes(kind.fieldLabels, 'string'), ...labelIndexes(kind.timeLabels ?? {}, 'instant')],
    versions: [
      {
        ...versionOf(version, schema, { columns, check: makeCheck(schema), statusBy, blank: blank(kind) }),
        ...(scale !== undefined && { scale }),
      },
      ...versions.map((other) => otherVersion({ ...kind, ...other }, other, rules)),
      ...views.map((view) => viewOf(view, kind, rules)),
    ],
  };
}

export function withDefaults(message: string, rules: KindRules = {}): KindRules {
  return {
    ...rules,
    prepare: (object, ...more) => {
      rules.prepare?.(object, ...more);
      setMessageDefaults(object, messageType(message));
    },
  };
}

/** The rules of a kind, whose objects have the fields that Kubernetes writes. */
function writtenAsGo(message: string, rules: KindRules): KindRules {
  return {
    ...rules,
    prepare: (object, ...more) => {
      rules.prepare?.(object, ...more);
      writeAsGo(object, messageType(message));
    },
  };
}

/** The schema of a kind, which is made at the first call. */
function schemaSource({ message, hint }: Pick<CoreKind, 'message' | 'hint'>): () => JsonObject {
  let made: JsonObject | undefined;
  return () => (made ??= { ...schemaOfMessage(message), ...hint });
}

function blank({ message }: Pick<CoreKind, 'message'>): () => JsonObject {
  return () => blankOf(messageType(message));
}

function otherVersion(kind: CoreKind, { conversion }: KindVersion, rules: KindRules): DataVersion {
  const { version, message, columns } = kind;
  const schema = schemaSource(kind);
  const check = kindCheck(schema, writtenAsGo(message, withDefaults(message, rules)));
  const parts = { columns, check, statusBy: 'subresource', blank: blank(kind) } as const;
  return { ...versionOf(version, schema, parts), conversion };
}

function versionOf(
  version: string,
  schema: () => JsonObject,
  parts: Pick<DataVersion, 'columns' | 'check' | 'statusBy' | 'blank'>,
): DataVersion {
  return {
    version,
    schema: () => withBaseProperties(schema()),
    isServed: true,
    strategicMerge: (object, patch) => applyStrategicMerge(schema(), object, patch),
    ...parts,
  };
}

function viewOf(
  { group, version, message, deprecated, ...given }: KindView,
  { columns }: CoreKind,
  rules: KindRules,
): DataVersion {
  const schema = schemaSource({ message });
  const renamed = new Map(Object.entries(given.renamed));
  const shown = columns.map(({ jsonPath, ...column }) => {
    return { ...column, jsonPath: jsonPath.replace(ROOT_MEMBER, (name) => renamed.get(name) ?? name) };
  });
  const check = kindCheck(() => leftOut(schema(), isRequired), ofView(rules, { group, renamed }));
  return {
    ...versionOf(version, schema, { columns: shown, check, statusBy: 'field' }),
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

/**
 * Indexes of objects by the first value that one of the paths of a label has. As in Kubernetes, a text without a value is an
 * empty one: `spec.nodeName=` finds pods without a node.
 */
function labelIndexes(labels: CoreKind['fieldLabels'], keyType: DataIndex['keyType']): DataIndex[] {
  return Object.entries(labels).map(([label, paths]) => {
    const ways = paths.map((path) => path.split('.'));
    const absent = keyType === 'string' ? '' : undefined;
    return {
      name: label,
      keyType,
      multi: false,
      unique: false,
      order: 'ASC',
      sparse: false,
      source: `label ${paths.join(' ')}${absent === '' ? ', else empty' : ''}`,
      read: (object) => ways.map((way) => textAt(object, way)).find((text) => text !== '') ?? absent,
    };
  });
}

function textAt(object: ExtensionObject, way: readonly string[]): string {
  const value = way.reduce<unknown>((at, name) => (isRecord(at) ? getOwn(at, name) : undefined), object);
  return typeof value === 'string' ? value : '';
}
