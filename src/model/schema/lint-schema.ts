import { badRequest, getMessage, type ServiceError } from '../../errors.js';
import { joinPath } from '../../lib/json/json.js';
import { linearRegExp } from '../../lib/linear-reg-exp.js';
import type { Json, JsonObject } from '../object.js';
import { eachSubschema, followPointer, isJsonObject, type SchemaStep } from './schema-walk.js';
import { compileSchema } from '../validate/validator.js';
import { describeViolation } from '../validate/violation.js';

/** The formats allowed in a schema: those that are checked, and descriptive ones of OpenAPI. */
export const FORMATS: ReadonlySet<string> = new Set(
  `date time date-time iso-time iso-date-time duration email uuid uri uri-reference uri-template url hostname ipv4 ipv6
  int32 int64 float double byte password binary regex json-pointer json-pointer-uri-fragment
  relative-json-pointer`.split(/\s+/),
);
const TYPES: ReadonlySet<unknown> = new Set([
  'string',
  'integer',
  'number',
  'boolean',
  'array',
  'object',
  'null',
]);
const COUNT_PAIRS = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minContains', 'maxContains'],
] as const;

/**
 * Checks a model's schema at registration, so that a mistake is found before the first object. Compilation finds the
 * remaining errors.
 * @param name the class of the schema, for the error
 * @throws ServiceError `BadRequest` with every error and its path
 */
export function lintSchema(name: string, schema: JsonObject): void {
  const faults: string[] = [];
  lintNode(schema, '', schema, (path, text) => faults.push(path === '' ? text : `${path}: ${text}`));
  if (faults.length > 0) throw wrongSchema(name, faults.join('; '));
}

/** The error for a class whose schema cannot be used. */
export function wrongSchema(name: string, fault: string): ServiceError {
  return badRequest(`the schema of class ${name} is invalid: ${fault}`);
}

type Report = (path: string, text: string) => void;

function lintNode(node: Json, path: string, root: JsonObject, report: Report): void {
  if (typeof node === 'boolean') return;
  if (!isJsonObject(node)) {
    report(path, 'must be a schema object');
    return;
  }
  lintType(node, path, report);
  lintFormat(node, path, report);
  lintBounds(node, path, report);
  lintPatterns(node, path, report);
  lintLists(node, path, report);
  lintReference(node, path, root, report);
  eachSubschema(node, (sub, step) => lintNode(sub, stepPath(path, step), root, report));
  lintDefault(node, path, root, report);
}

function stepPath(path: string, [keyword, member]: SchemaStep): string {
  if (keyword === '$defs' || keyword === 'definitions') return String(member);
  if (keyword === 'properties') return joinPath(path, String(member));
  if (keyword === 'items' || keyword === 'prefixItems') return `${path}[${member ?? ''}]`;
  if (keyword === 'additionalProperties') return joinPath(path, '*');
  return member === undefined ? `${path}(${keyword})` : `${path}(${keyword} ${member})`;
}

function lintType({ type }: JsonObject, path: string, report: Report): void {
  if (type === undefined) return;
  const types = Array.isArray(type) ? type : [type];
  for (const one of types) if (!TYPES.has(one)) report(path, `unknown type ${JSON.stringify(one)}`);
  if (types.length === 0) report(path, 'type must not be an empty list');
}

function lintFormat({ format }: JsonObject, path: string, report: Report): void {
  if (format === undefined || (typeof format === 'string' && FORMATS.has(format))) return;
  report(path, `unknown format ${JSON.stringify(format)}`);
}

function lintBounds(node: JsonObject, path: string, report: Report): void {
  for (const [low, high] of COUNT_PAIRS) {
    for (const keyword of [low, high]) {
      const value = node[keyword];
      if (value === undefined || (Number.isInteger(value) && Number(value) >= 0)) continue;
      report(path, `${keyword} must be an integer of at least 0, got ${JSON.stringify(value)}`);
    }
    lintOrder(node, low, high, path, report);
  }
  for (const keyword of ['minimum', 'maximum', 'multipleOf'] as const) {
    const value = node[keyword];
    if (value === undefined || (typeof value === 'number' && (keyword !== 'multipleOf' || value > 0)))
      continue;
    report(
      path,
      `${keyword} must be a ${keyword === 'multipleOf' ? 'positive ' : ''}number, got ${JSON.stringify(value)}`,
    );
  }
  for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum'] as const) {
    const value = node[keyword];
    if (value === undefined || typeof value === 'number' || typeof value === 'boolean') continue;
    report(path, `${keyword} must be a number or boolean, got ${JSON.stringify(value)}`);
  }
  lintOrder(node, 'minimum', 'maximum', path, report);
}

function lintOrder(node: JsonObject, low: string, high: string, path: string, report: Report): void {
  const [from, to] = [node[low], node[high]];
  if (typeof from === 'number' && typeof to === 'number' && from > to) {
    report(path, `${low} ${from} is greater than ${high} ${to}`);
  }
}

function lintPatterns(node: JsonObject, path: string, report: Report): void {
  const patterns: unknown[] = node.pattern === undefined ? [] : [node.pattern];
  if (isJsonObject(node.patternProperties)) patterns.push(...Object.keys(node.patternProperties));
  for (const pattern of patterns) {
    if (typeof pattern !== 'string') {
      report(path, 'pattern must be a string');
      continue;
    }
    try {
      linearRegExp(pattern);
    } catch (error) {
      report(path, `the pattern ${pattern} is invalid: ${getMessage(error)}`);
    }
  }
}

function lintLists(node: JsonObject, path: string, report: Report): void {
  const { required, enum: values, properties } = node;
  if (values !== undefined && !(Array.isArray(values) && values.length > 0)) {
    report(path, 'enum must be a list of at least one value');
  }
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((name) => typeof name === 'string'))
  ) {
    report(path, 'required must be a list of field names');
  }
  if (properties === undefined) return;
  if (!isJsonObject(properties)) report(path, 'properties must be an object');
  else if (Object.hasOwn(properties, '__proto__')) report(path, 'a field cannot be named __proto__');
}

function lintReference({ $ref }: JsonObject, path: string, root: JsonObject, report: Report): void {
  if ($ref === undefined || (typeof $ref === 'string' && followPointer(root, $ref) !== undefined)) return;
  report(path, `the $ref ${JSON.stringify($ref)} does not exist`);
}

function lintDefault(node: JsonObject, path: string, root: JsonObject, report: Report): void {
  const { default: value, ...rest } = node;
  if (value === undefined) return;
  try {
    const check = compileSchema({ ...rest, ...(isJsonObject(root.$defs) && { $defs: root.$defs }) });
    for (const violation of check(structuredClone(value))) {
      report(below(path, violation.field), `the default ${describeViolation(violation)}`);
    }
  } catch {
    // The schema itself is wrong. The error is reported above, or when the whole schema is compiled.
  }
}

/** The path of an error inside a default. The relative path is empty, or starts with a field or an element. */
function below(path: string, field: string): string {
  return field === '' || field.startsWith('[') ? path + field : joinPath(path, field);
}
