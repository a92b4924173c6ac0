import type { Json, JsonObject } from '../../model/object.js';
import { REFERENCE, shownReference } from '../../model/references/reference.js';
import { getEntries, getItems, getList, isJsonObject } from '../../model/schema/schema-walk.js';

/** The name of a reference's target type. */
export type RefType = (ref: string) => string;

/** A type as text; marked when it needs parentheses within others. */
interface TypeText {
  readonly text: string;
  readonly isCompound: boolean;
}

const atom = (text: string): TypeText => ({ text, isCompound: false });
const UNKNOWN = atom('unknown');
const NULL = atom('null');

/** An exported declaration: an interface for an object type, else an alias. */
export function getDeclaration(name: string, schema: JsonObject, refType: RefType): string {
  const { text } = getType(schema, refType, '');
  const declared = text.startsWith('{') && text.endsWith('}') && isOneObject(schema);
  const body = declared ? `export interface ${name} ${text}` : `export type ${name} = ${text};`;
  return `${docComment(schema, '')}${body}`;
}

function isOneObject({ allOf, anyOf, oneOf, $ref, nullable, type }: JsonObject): boolean {
  const isAlone = [allOf, anyOf, oneOf, $ref].every((keyword) => keyword === undefined);
  return isAlone && nullable !== true && !Array.isArray(type);
}

/** A key of an object type, quoted unless it is an identifier. */
export function memberKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function getType(schema: Json | undefined, refType: RefType, indent: string): TypeText {
  if (schema === false) return atom('never');
  if (!isJsonObject(schema)) return UNKNOWN;
  const parts = [
    typeof schema.$ref === 'string' ? atom(refType(schema.$ref)) : undefined,
    ownType(schema, refType, indent),
    ...getList(schema.allOf).map((part) => getType(part, refType, indent)),
    alternatives(schema.anyOf, refType, indent),
    alternatives(schema.oneOf, refType, indent),
  ];
  const known = parts.filter((part) => part !== undefined).filter((part) => part.text !== UNKNOWN.text);
  const type = compound(known, ' & ');
  return schema.nullable === true ? compound([type, NULL], ' | ') : type;
}

/** Joins the parts, equal ones once; without parts the type is any value. */
function compound(parts: readonly TypeText[], operator: ' & ' | ' | '): TypeText {
  const distinct = [...new Map(parts.map((part) => [part.text, part])).values()];
  const [first] = distinct;
  if (first === undefined) return UNKNOWN;
  if (distinct.length === 1) return first;
  if (operator === ' | ' && distinct.some(({ text }) => text === UNKNOWN.text)) return UNKNOWN;
  return { text: distinct.map(inParentheses).join(operator), isCompound: true };
}

function inParentheses({ text, isCompound }: TypeText): string {
  return isCompound ? `(${text})` : text;
}

function alternatives(parts: Json | undefined, refType: RefType, indent: string): TypeText | undefined {
  const list = getList(parts);
  if (list.length === 0) return undefined;
  return compound(
    list.map((part) => getType(part, refType, indent)),
    ' | ',
  );
}

/** The schema's own type, without the schemas it combines; undefined when it has none. */
function ownType(schema: JsonObject, refType: RefType, indent: string): TypeText | undefined {
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return compound(schema.enum.map(literal), ' | ');
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type ?? impliedType(schema)]).filter(
    (type) => type !== undefined,
  );
  if (types.length === 0) return undefined;
  return compound(
    types.map((type) => namedType(type, schema, refType, indent)),
    ' | ',
  );
}

function impliedType(schema: JsonObject): string | undefined {
  const { properties, additionalProperties, patternProperties, items, prefixItems } = schema;
  if (isJsonObject(properties) || isJsonObject(additionalProperties) || isJsonObject(patternProperties))
    return 'object';
  return items === undefined && prefixItems === undefined ? undefined : 'array';
}

function literal(value: Json): TypeText {
  return typeof value === 'object' && value !== null ? UNKNOWN : atom(JSON.stringify(value));
}

function namedType(type: Json, schema: JsonObject, refType: RefType, indent: string): TypeText {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return atom(type);
    case 'integer':
    case 'number':
      return atom('number');
    case 'array':
      return arrayType(schema, refType, indent);
    case 'object':
      return atom(objectType(schema, refType, indent));
    default:
      return UNKNOWN;
  }
}

function arrayType(schema: JsonObject, refType: RefType, indent: string): TypeText {
  const { tuple, rest } = getItems(schema);
  if (tuple.length === 0) return atom(`${inParentheses(getType(rest, refType, indent))}[]`);
  const required = typeof schema.minItems === 'number' ? schema.minItems : 0;
  const members = tuple.map((item, i) => {
    const text = inParentheses(getType(item, refType, indent));
    return i < required ? text : `${text}?`;
  });
  const more = rest === false ? [] : [`...${inParentheses(getType(rest, refType, indent))}[]`];
  return atom(`[${[...members, ...more].join(', ')}]`);
}

function objectType(schema: JsonObject, refType: RefType, indent: string): string {
  const properties = getEntries(schema.properties);
  const required = new Set(getList(schema.required));
  const declared = new Set<Json>(properties.map(([name]) => name));
  const inner = `${indent}  `;
  const members = properties.map(([name, part]) => {
    const readonly = isJsonObject(part) && part.readOnly === true ? 'readonly ' : '';
    const key = `${readonly}${memberKey(name)}${required.has(name) ? '' : '?'}`;
    return `${docComment(part, inner)}${inner}${key}: ${getType(part, refType, inner).text};\n`;
  });
  for (const name of required) {
    if (typeof name === 'string' && !declared.has(name))
      members.push(`${inner}${memberKey(name)}: unknown;\n`);
  }
  const other = otherMembers(schema, refType, inner, members.length > 0);
  if (other !== undefined) members.push(`${inner}[field: string]: ${other};\n`);
  return `{\n${members.join('')}${indent}}`;
}

/** The type of undeclared members; undefined when they are not allowed. */
function otherMembers(
  { additionalProperties, patternProperties }: JsonObject,
  refType: RefType,
  indent: string,
  hasDeclared: boolean,
): string | undefined {
  const patterns = getEntries(patternProperties).map(([, part]) => part);
  const isClosed = additionalProperties === false;
  const schemas =
    isClosed || additionalProperties === undefined ? patterns : [...patterns, additionalProperties];
  if (schemas.length === 0) return hasDeclared ? undefined : isClosed ? 'never' : 'unknown';
  // All members must fit the one type, including the declared ones, which have their own types.
  if (hasDeclared) return 'unknown';
  return compound(
    schemas.map((schema) => getType(schema, refType, indent)),
    ' | ',
  ).text;
}

/** A comment before a declaration, from the schema's description; empty without a description. */
function docComment(schema: Json | undefined, indent: string): string {
  const lines = commentLines(schema).map((line) => line.replaceAll('*/', '*\\/'));
  const [first] = lines;
  if (first === undefined) return '';
  if (lines.length === 1) return `${indent}/** ${first} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** The lines of a comment about a schema, without characters that end a line. */
function commentLines(schema: Json | undefined): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { description, deprecated } = schema;
  const text = typeof description === 'string' ? description.trim() : '';
  return [
    ...(text === '' ? [] : text.split(/\r\n|[\n\r\v\f\x85\u2028\u2029]/)),
    ...referenceLines(schema[REFERENCE]),
    ...(deprecated === true ? ['@deprecated'] : []),
    ...(typeof deprecated === 'string' ? [`@deprecated ${deprecated}`] : []),
  ];
}

/** The lines for the models to which a field's values refer. */
function referenceLines(keyword: Json | undefined): readonly string[] {
  const reference = shownReference(keyword);
  if (reference === undefined) return [];
  const { group, kind } = reference;
  return [`Name of an object of the kind ${kind}${group === '' ? '' : ` (${group})`}.`];
}
