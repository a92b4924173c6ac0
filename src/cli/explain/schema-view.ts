import type { Json, JsonObject } from '../../model/object.js';
import { REFERENCE, shownReference } from '../../model/references/reference.js';
import { RULES } from '../../model/rules/declaration.js';
import { KEYWORDS } from '../../model/schema/keywords.js';
import {
  followPointer,
  getFields as declaredFields,
  getList,
  isJsonObject,
} from '../../model/schema/schema-walk.js';

/** A place in a schema with everything that applies to it: the target of its reference, and the parts of its composition. */
export interface SchemaView {
  /** The name of the type that it refers to; undefined for one without a name. */
  readonly name: string | undefined;
  readonly parts: readonly JsonObject[];
}

const COMPOSITIONS = ['allOf', 'anyOf', 'oneOf'] as const;

/** The view of a schema. Its references are resolved below `root`. */
export function getView(root: JsonObject, schema: Json | undefined): SchemaView {
  const parts = new Set<JsonObject>();
  collect(root, schema, parts);
  const reference = [...parts].map(({ $ref }) => $ref).find((ref) => typeof ref === 'string');
  const name = reference === undefined ? undefined : reference.slice(reference.lastIndexOf('/') + 1);
  return { name: name === '#' || name === '' ? undefined : name, parts: [...parts] };
}

function collect(root: JsonObject, schema: Json | undefined, parts: Set<JsonObject>): void {
  if (!isJsonObject(schema) || parts.has(schema)) return;
  parts.add(schema);
  if (typeof schema.$ref === 'string') collect(root, followPointer(root, schema.$ref)?.at(-1), parts);
  for (const part of COMPOSITIONS.flatMap((keyword) => getList(schema[keyword]))) collect(root, part, parts);
}

/** The declared fields of an object, in their order; for a list, those of its items. */
export function getFields(root: JsonObject, view: SchemaView): ReadonlyMap<string, SchemaView> {
  const entries = [...declaredFields(getContent(root, view).parts)].map(([name, all]) => {
    const [only, ...more] = all;
    return [name, getView(root, more.length === 0 ? only : { allOf: [...all] })] as const;
  });
  return new Map(entries);
}

/** The values of undeclared members (`additionalProperties`); undefined without any. */
export function findMember(root: JsonObject, view: SchemaView): SchemaView | undefined {
  const other = getContent(root, view)
    .parts.map((part) => part.additionalProperties)
    .find(isJsonObject);
  return other === undefined ? undefined : getView(root, other);
}

/** Names of required fields. */
export function getRequired(root: JsonObject, view: SchemaView): ReadonlySet<string> {
  const names = getContent(root, view).parts.flatMap(({ required }) =>
    getList(required).filter((name) => typeof name === 'string'),
  );
  return new Set(names);
}

/** The type in Kubernetes' notation: `string`, `[]string`, `map[string]integer`, `PersonSpec`. */
export function getType(root: JsonObject, view: SchemaView, depth = 0): string {
  const items = findItems(root, view);
  // A list of lists of itself would have no end.
  if (items !== undefined) return `[]${depth > 5 ? 'any' : getType(root, items, depth + 1)}`;
  if (view.name !== undefined) return view.name;
  const member = findMember(root, view);
  if (getFields(root, view).size > 0) return 'Object';
  if (member !== undefined) return `map[string]${depth > 5 ? 'any' : getType(root, member, depth + 1)}`;
  const types = view.parts
    .flatMap(({ type }) => type ?? [])
    .filter((type) => typeof type === 'string')
    .filter((type) => type !== 'null');
  const named = [...new Set(types)].map((type) => (type === 'object' ? 'Object' : type));
  return named.length === 0 ? 'any' : named.join('|');
}

/** Limits of values of any type, then of one type, then notes. */
const EXPLAINED = [
  ...KEYWORDS.filter(({ of, isNote }) => of === undefined && !isNote),
  ...KEYWORDS.filter(({ of }) => of !== undefined),
  ...KEYWORDS.filter(({ isNote }) => isNote),
];

/** Limits on the value, in short form. */
export function getConstraints(view: SchemaView): string[] {
  const texts = new Set<string>();
  for (const part of view.parts) {
    for (const { name, value: kind, explain } of EXPLAINED) {
      const value = part[name];
      if (explain === undefined || value === undefined) continue;
      if (kind !== 'flag') texts.add(`${explain} ${shown(value)}`);
      else if (value === true) texts.add(explain);
    }
  }
  return [...texts];
}

/** The rules for the value, each with its message. */
export function getRules({ parts }: SchemaView): string[] {
  return parts
    .flatMap((part) => part[RULES] ?? [])
    .filter(isJsonObject)
    .map(({ rule, message }) => {
      const text = shown(rule ?? '')
        .replace(/\s+/g, ' ')
        .trim();
      return typeof message === 'string' ? `${text}: ${message}` : text;
    });
}

/** The written description; undefined without one. The place's own text precedes that of its type. */
export function findDescription({ parts }: SchemaView): string | undefined {
  const found = parts.map(({ description }) => description).find((text) => typeof text === 'string');
  return found === undefined || found === '' ? undefined : found;
}

/** An example of a value; undefined without one. */
export function findExample({ parts }: SchemaView): string | undefined {
  const found = parts.map(({ example }) => example).find((value) => value !== undefined);
  return found === undefined ? undefined : shown(found);
}

/** The target of the references, and the effect of its deletion; undefined when they are not references. */
export function findReference({ parts }: SchemaView): string | undefined {
  const found = parts
    .flatMap(({ [REFERENCE]: own, items }) => [own, isJsonObject(items) ? items[REFERENCE] : undefined])
    .map(shownReference)
    .find((reference) => reference !== undefined);
  if (found === undefined) return undefined;
  const { group, kind, onDelete } = found;
  return `${kind}${group === '' ? '' : ` of ${group}`}; on delete: ${onDelete}`;
}

/** The items of a list, for a list of lists the innermost ones; any other view is its own content. */
export function getContent(root: JsonObject, view: SchemaView, depth = 0): SchemaView {
  const items = findItems(root, view);
  return items === undefined || depth > 5 ? view : getContent(root, items, depth + 1);
}

function findItems(root: JsonObject, { parts }: SchemaView): SchemaView | undefined {
  const items = parts.map((part) => part.items).find(isJsonObject);
  if (items !== undefined) return getView(root, items);
  return parts.some(({ type }) => type === 'array') ? { name: undefined, parts: [] } : undefined;
}

function shown(value: Json): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(shown).join(', ') : JSON.stringify(value);
}
