import { badRequest, getMessage, type ServiceError } from '../../errors.js';
import { joinPath } from '../../lib/json/json.js';
import { linearRegExp } from '../../lib/linear-reg-exp.js';
import type { Json, JsonObject } from '../object.js';
import { HINTS } from './hints.js';
import { NUMBERS, type Keyword, type ValueKind } from './keyword.js';
import { KEYWORDS } from './keywords.js';
import { eachSubschema, followPointer, getEntries, isJsonObject, type SchemaStep } from './schema-walk.js';
import { describeHintFault, findHintFaults } from './lint-hints.js';
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
  for (const checked of CHECKED) lintKeyword(checked, node, path, report);
  lintReference(node, path, root, report);
  lintHints(node, path, root, report);
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

function lintKeyword({ keyword, find }: Checked, node: JsonObject, path: string, report: Report): void {
  const { name, notBelow } = keyword;
  const value = node[name];
  if (value === undefined) return;
  for (const fault of find(value, name)) report(path, fault);
  const least = notBelow === undefined ? undefined : node[notBelow];
  if (typeof least === 'number' && typeof value === 'number' && least > value)
    report(path, `${notBelow} ${least} is greater than ${name} ${value}`);
}

type FindFaults = (value: Json, name: string) => readonly string[];

/** By the kind of the value. Faults of one schema are in this order. */
const CHECKS = {
  type: (value) => {
    const types = [value].flat();
    const unknown = types
      .filter((one) => !TYPES.has(one))
      .map((one) => `unknown type ${JSON.stringify(one)}`);
    return types.length === 0 ? ['type must not be an empty list'] : unknown;
  },
  format: (value) =>
    typeof value === 'string' && FORMATS.has(value) ? [] : [`unknown format ${JSON.stringify(value)}`],
  text: (value, name) =>
    typeof value === 'string' ? [] : [`${name} must be a text, got ${JSON.stringify(value)}`],
  flag: (value, name) =>
    typeof value === 'boolean' ? [] : [`${name} must be true or false, got ${JSON.stringify(value)}`],
  count: numberFaults('count'),
  number: numberFaults('number'),
  positive: numberFaults('positive'),
  bound: numberFaults('bound'),
  pattern: (value) => (typeof value === 'string' ? patternFaults(value) : ['pattern must be a string']),
  patterns: (value) => (isJsonObject(value) ? Object.keys(value).flatMap(patternFaults) : []),
  values: (value) =>
    Array.isArray(value) && value.length > 0 ? [] : ['enum must be a list of at least one value'],
  names: (value) =>
    Array.isArray(value) && value.every((name) => typeof name === 'string')
      ? []
      : ['required must be a list of field names'],
  fields: (value) => {
    if (!isJsonObject(value)) return ['properties must be an object'];
    return Object.hasOwn(value, '__proto__') ? ['a field cannot be named __proto__'] : [];
  },
} satisfies Partial<Record<ValueKind, FindFaults>>;

interface Checked {
  readonly keyword: Keyword;
  readonly find: FindFaults;
}

const CHECKED: readonly Checked[] = Object.entries(CHECKS).flatMap(([kind, find]) =>
  KEYWORDS.filter(({ value }) => value === kind).map((keyword) => ({ keyword, find })),
);

function numberFaults(kind: keyof typeof NUMBERS): FindFaults {
  const { accepts, expected } = NUMBERS[kind];
  return (value, name) =>
    accepts(value) ? [] : [`${name} must be ${expected}, got ${JSON.stringify(value)}`];
}

function patternFaults(pattern: string): readonly string[] {
  try {
    linearRegExp(pattern);
    return [];
  } catch (error) {
    return [`the pattern ${pattern} is invalid: ${getMessage(error)}`];
  }
}

function lintReference({ $ref }: JsonObject, path: string, root: JsonObject, report: Report): void {
  if ($ref === undefined || (typeof $ref === 'string' && followPointer(root, $ref) !== undefined)) return;
  report(path, `the $ref ${JSON.stringify($ref)} does not exist`);
}

function lintHints(schema: JsonObject, path: string, root: JsonObject, report: Report): void {
  if (schema[HINTS] === undefined) return;
  // The class of a field may be a model.
  const isNamed = getEntries(root.$defs).some(([, named]) => named === schema);
  const of = schema === root ? 'model' : isNamed ? 'any' : 'field';
  for (const fault of findHintFaults({ schema, root, of })) report(path, describeHintFault(fault));
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
