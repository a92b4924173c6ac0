import { arrayAt, getMember, isObject, textAt, type JsonObject } from '../../lib/json.js';
import { getMembers, resolved } from '../../lib/schema.js';
import { DEPTH_MAX, membersOfAuthor } from '../../form/new-object.js';

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
