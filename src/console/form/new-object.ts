import { Document } from 'yaml';
import { WRITE } from '../editor/document.js';
import { arrayAt, isObject, objectAt, type JsonObject } from '../lib/json.js';
import { resolved } from '../lib/schema.js';

interface Described {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: JsonObject;
}

/** The limit of depth, because schemas may contain themselves. */
export const DEPTH_MAX = 8;

/**
 * The text of a new object: only defaults are values. An example is a comment below them, because it should not be stored.
 * @param example members except the name and the model
 * @param heading the first line of the comment
 */
export function newObject(model: Described, example: JsonObject, heading: string): string {
  const members = membersOfAuthor(getPresets(model.schema, model.schema));
  const head = { apiVersion: model.apiVersion, kind: model.kind, metadata: { name: '' } };
  const document = new Document({ ...head, ...members });
  const isMore = Object.keys(example).length > 0 && JSON.stringify(example) !== JSON.stringify(members);
  if (isMore)
    document.comment = formatComment(`${heading}\n${new Document(example).toString(WRITE).trimEnd()}`);
  return document.toString(WRITE);
}

/** The members that the author of an object writes, besides its metadata. */
export function membersOfAuthor(object: JsonObject): JsonObject {
  const { apiVersion: _a, kind: _k, metadata: _m, status: _s, ...members } = object;
  return members;
}

function formatComment(text: string): string {
  return text.replace(/^/gm, ' ');
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
