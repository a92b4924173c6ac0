import { Document } from 'yaml';
import { WRITE } from '../editor/document.js';
import { arrayAt, getMember, isObject, objectAt, textAt, type JsonObject } from '../lib/json.js';
import { getMembers, resolved } from '../lib/schema.js';
import { t } from '../texts.js';

interface Described {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: JsonObject;
}

/** The limit of depth, because schemas may contain themselves. */
const DEPTH_MAX = 8;

/**
 * The text of a new object: only defaults are values. An example is a comment below them, because it should not be stored.
 * @param example members except the name and the model
 */
export function newObject(model: Described, example: JsonObject = {}): string {
  const members = membersOfAuthor(getPresets(model.schema, model.schema));
  const head = { apiVersion: model.apiVersion, kind: model.kind, metadata: { name: '' } };
  const document = new Document({ ...head, ...members });
  const isMore = Object.keys(example).length > 0 && JSON.stringify(example) !== JSON.stringify(members);
  if (isMore)
    document.comment = `${t`For example:`}\n${new Document(example).toString(WRITE).trimEnd()}`.replace(
      /^/gm,
      ' ',
    );
  return document.toString(WRITE);
}

/** The members that the author of an object writes, besides its metadata. */
function membersOfAuthor(object: JsonObject): JsonObject {
  const { apiVersion: _a, kind: _k, metadata: _m, status: _s, ...members } = object;
  return members;
}

/** The defaults of an object's members, and those within its required members. */
function getPresets(schema: JsonObject, root: JsonObject, depth = 0): JsonObject {
  const required = arrayAt(schema, 'required');
  const entries = Object.entries(objectAt(schema, 'properties')).flatMap(([name, given]) => {
    const member = resolved(isObject(given) ? given : {}, root);
    if ('default' in member) return [[name, member.default] as const];
    const isGroup = required.includes(name) && 'properties' in member && depth < DEPTH_MAX;
    return isGroup ? [[name, getPresets(member, root, depth + 1)] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** The members of an example object that its author writes. */
export function exampleOf(schema: JsonObject): JsonObject {
  return membersOfAuthor(exampleMembers(schema, schema, 0));
}

/** The required members, and those with an example. */
function exampleMembers(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const shown = getMembers([schema], root).filter(
    ({ isRequired, schema: member }) => isRequired || 'example' in member,
  );
  return Object.fromEntries(
    shown.map(({ name, schema: member }) => [name, exampleValue(member, root, depth)]),
  );
}

function exampleValue(schema: JsonObject, root: JsonObject, depth: number): unknown {
  const { example, default: preset, const: fixed } = schema;
  const [first] = [...arrayAt(schema, 'examples'), preset, fixed, ...arrayAt(schema, 'enum')].filter(
    (value) => value !== undefined,
  );
  return example ?? first ?? exampleOfType(schema, root, depth);
}

function exampleOfType(schema: JsonObject, root: JsonObject, depth: number): unknown {
  const item = getMember(schema, 'items');
  switch ('properties' in schema ? 'object' : [schema.type].flat()[0]) {
    case 'object':
      return depth < DEPTH_MAX ? exampleMembers(schema, root, depth + 1) : {};
    case 'array':
      return isObject(item) && depth < DEPTH_MAX ? [exampleValue(resolved(item, root), root, depth + 1)] : [];
    case 'string':
      return `<${textAt(schema, 'format') ?? 'text'}>`;
    case 'boolean':
      return true;
    default:
      return getMember(schema, 'minimum') ?? 1;
  }
}
