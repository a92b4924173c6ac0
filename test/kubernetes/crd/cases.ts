import { readdirSync, readFileSync } from 'node:fs';
import { applyMergePatch } from '../../../src/lib/json/merge-patch.js';
import { parseYaml } from '../../../src/lib/json/yaml.js';
import type { Json, JsonObject } from '../../../src/model/object.js';
import { isJsonObject } from '../../../src/model/schema/schema-walk.js';

/** Changes of the plain definition. */
interface Change {
  /** Merged into `metadata` and `spec`. */
  readonly metadata?: Json;
  readonly spec?: Json;
  /** Members of the first version. Null removes one. */
  readonly version?: JsonObject;
  /** Members of each version, in addition to those of the plain version. */
  readonly versions?: readonly JsonObject[];
  /** The schema of a whole object. */
  readonly schema?: Json;
  /** The schema of the field `spec.field`. */
  readonly field?: Json;
}

/** A definition, and where its faults are listed otherwise than by Kubernetes. */
export interface DefinitionCase extends Change {
  /** The definition that it replaces. */
  readonly stored?: Change;
  /** Another definition with the same names, because of which the stored one is not established. */
  readonly besides?: { readonly kind: string; readonly plural: string };
  /** Paths in addition to those of Kubernetes, or instead of them. */
  readonly more?: readonly string[];
  readonly instead?: readonly string[];
  readonly why?: string;
}

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        color: { type: 'string' },
        size: { type: 'integer' },
        on: { type: 'boolean' },
        ratio: { type: 'number' },
        list: { type: 'array', items: { type: 'string' } },
        map: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    status: { type: 'object', properties: { size: { type: 'integer' } } },
  },
};

const VERSION: JsonObject = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: SCHEMA } };

const PLAIN: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' } },
};

/** The definition of a case. */
export function definitionOf({ metadata, spec, version, versions, schema, field }: Change): JsonObject {
  const whole =
    field === undefined
      ? (schema ?? SCHEMA)
      : { type: 'object', properties: { spec: { type: 'object', properties: { field } } } };
  const plain = { ...VERSION, schema: { openAPIV3Schema: whole } };
  const all = (versions ?? [version ?? {}]).map((one) => withoutNulls({ ...plain, ...one }));
  const changes = { ...(metadata !== undefined && { metadata }), ...(spec !== undefined && { spec }) };
  const definition = applyMergePatch(
    { ...PLAIN, spec: { ...objectAt(PLAIN, 'spec'), versions: all } },
    changes,
  );
  if (!isJsonObject(definition)) throw new Error('a definition is an object');
  return definition;
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** A member that is an object. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  const { [key]: member } = object;
  if (!isJsonObject(member)) throw new Error(`${key} is not an object`);
  return member;
}

/** A member that is a text. */
export function textAt(object: JsonObject, key: string): string {
  const { [key]: member } = object;
  if (typeof member !== 'string') throw new Error(`${key} is not a text`);
  return member;
}

const HERE = new URL('./', import.meta.url);

/** All cases of the folder, by file and name. */
export function readCases(): ReadonlyMap<string, DefinitionCase> {
  const files = readdirSync(new URL('cases/', HERE)).sort();
  return new Map(
    files.flatMap((file) =>
      Object.entries(readData<Record<string, DefinitionCase>>(`cases/${file}`)).map(
        ([name, one]) => [`${file.replace('.yaml', '')}: ${name}`, one] as const,
      ),
    ),
  );
}

/** Reads a data file of this folder. Its author is trusted with its type. */
export function readData<T>(file: string): T {
  return parseYaml(readFileSync(new URL(file, HERE)), { maxAliases: 0 }) as T;
}

/** Names in a group: of the definition that is there, and of the one that comes. */
export interface NameCase {
  readonly taken?: JsonObject;
  readonly wanted: JsonObject;
}

/** The two definitions of a case of names. */
export function definitionsOfNames({ taken = {}, wanted }: NameCase): {
  first: JsonObject;
  second: JsonObject;
} {
  const named = (names: JsonObject): JsonObject =>
    definitionOf({ metadata: { name: `${textAt(names, 'plural')}.example.com` }, spec: { names } });
  return { first: named({ plural: 'widgets', kind: 'Widget', ...taken }), second: named(wanted) };
}
