import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Cause } from '../errors.js';
import { checkedMetadataSchema, BASE_FIELDS } from './base-schema.js';
import { cloneJson } from '../lib/json.js';
import { differenceOf, differingPart, type Path } from '../lib/json-difference.js';
import { compileDefaults } from './defaults.js';
import { fieldPath, pathOf } from './field-path.js';
import { parseInstant } from './instant.js';
import { toJsonSchema } from './json-schema.js';
import { linearRegExp } from './linear-reg-exp.js';
import { checkNames } from './naming.js';
import { refuseNulls } from './nullability.js';
import { judge, OldFindings, type Finding } from './ratchet.js';
import type { JsonObject, ObjectDraft } from './object.js';
import { isJsonObject } from './schema-walk.js';
import type { Scheme } from './scheme.js';
import { equalItems } from './unique-items.js';
import { UnknownFieldFinder } from './unknown-fields.js';
import { causeOf, type Violation } from './violation.js';

/** More violations of one object are not reported. */
export const CAUSES_MAX = 200;

/** A compiled schema. Checking fills in the schema's defaults, in place. */
export type SchemaCheck = (data: unknown) => Violation[];

/**
 * Compiles an OpenAPI 3.0 or 3.1 schema whose references lead to its own `$defs`. Each call makes a validator of
 * its own, so that dropping the result frees it.
 * @returns a check that lists every violation, without doubles, at most {@link CAUSES_MAX}
 * @throws Error when the schema cannot be compiled
 */
export function compileSchema(schema: JsonObject): SchemaCheck {
  const find = compileErrors(schema);
  return (data) => violationsOf(find(data), data);
}

/** Fills in defaults, and lists whatever the validator says, doubles included. */
function compileErrors(schema: JsonObject): (data: unknown) => readonly ErrorObject[] {
  const validate = newAjv().compile(toJsonSchema(schema));
  const fillDefaults = compileDefaults(schema);
  return (data) => {
    fillDefaults(data);
    return validate(data) ? NO_ERRORS : (validate.errors ?? NO_ERRORS);
  };
}

const NO_ERRORS: readonly ErrorObject[] = [];

/** Checks whole objects of one model: schema, names and metadata, unknown fields. */
export type ObjectCheck = Scheme['validate'];

/**
 * Compiles the schema of a model's whole object. What the service sets by itself is not checked; a client may send
 * anything there.
 * @throws Error when the schema cannot be compiled
 */
export function compileModel(schema: JsonObject): ObjectCheck {
  const find = compileErrors(checkedSchema(schema));
  const finder = new UnknownFieldFinder(schema);
  const look = (object: ObjectDraft): Findings => ({
    object,
    errors: find(object),
    names: checkNames(object),
  });
  return (object, stored) => {
    const now = look(object);
    const unknown = finder.find(object, CAUSES_MAX);
    const isFlawless = now.errors.length === 0 && now.names.length === 0 && unknown.length === 0;
    if (isFlawless || stored === undefined)
      return { causes: judge(findingsOf(now), undefined, CAUSES_MAX).made, unknown };
    // With the defaults that a write which changes nothing fills in.
    const before = cloneJson(stored);
    const then = look(before);
    const difference = differenceOf(before, object);
    const { made, old } = judge(findingsOf(now), new OldFindings(findingsOf(then), difference), CAUSES_MAX);
    // Whether a field is declared follows from its place alone, so that the rest need not be looked at.
    const added = difference === undefined ? [] : finder.find(differingPart(object, difference), CAUSES_MAX);
    const isAdded = new Set(added.map(({ path }) => path));
    const kept = unknown.filter(({ path }) => !isAdded.has(path));
    return { causes: made, unknown: added, old: { causes: old, unknown: kept } };
  };
}

/** What is wrong with an object, in the words of those who found it. */
interface Findings {
  readonly object: ObjectDraft;
  readonly errors: readonly ErrorObject[];
  readonly names: readonly Cause[];
}

function* findingsOf({ object, errors, names }: Findings): Generator<Finding> {
  for (const error of errors) if (isViolation(error)) yield findingOf(error, object);
  for (const cause of names)
    yield { key: `${cause.field}\n${cause.message}`, at: () => placeOf(cause), cause: () => cause };
}

function findingOf(error: ErrorObject, data: unknown): Finding {
  const { keyword, schemaPath, instancePath } = error;
  const member = memberAtFault(error) ?? propertyNameOf(error);
  // A field can be required beside several others.
  const { property }: { readonly property?: unknown } = error.params;
  const beside = keyword.startsWith('depend') ? String(property) : '';
  return {
    // With its length, so that it cannot run into the name of the member, which clients choose.
    key: `${keyword} ${schemaPath} ${beside} ${instancePath.length} ${instancePath} ${member ?? ''}`,
    at: () => (member === undefined ? pathOf(data, instancePath) : [...pathOf(data, instancePath), member]),
    cause: () => causeOf(violationOf(error, data)),
  };
}

/** The rules of names look at nothing but these fields, and a key of a map is the rest of the path. */
function placeOf({ field }: Cause): Path {
  const [map = field, key] = /^(metadata\.(?:labels|annotations))\.(.*)$/s.exec(field)?.slice(1) ?? [];
  return key === undefined ? map.split('.') : [...map.split('.'), key];
}

function checkedSchema(schema: JsonObject): JsonObject {
  const base = new Set<unknown>(BASE_FIELDS);
  const required = Array.isArray(schema.required) ? schema.required.filter((field) => !base.has(field)) : [];
  const refusing = refuseNulls({ ...schema, required });
  const properties = isJsonObject(refusing.properties) ? refusing.properties : {};
  return { ...refusing, properties: { ...properties, metadata: checkedMetadataSchema() } };
}

function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    strictNumbers: true,
    allErrors: true,
    verbose: true,
    useDefaults: true,
    ownProperties: true,
    allowUnionTypes: true,
    multipleOfPrecision: 6,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    formats: {
      ...fullFormats,
      int32: INT32,
      int64: INT64,
      'date-time': { validate: isDateTime },
      url: isUrl,
    },
    code: { regExp: Object.assign((pattern: string) => linearRegExp(pattern), { code: 'linearRegExp' }) },
  });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    compile: uniqueItems,
  });
  return ajv;
}

/** The library's own keyword compares each item with each. */
function uniqueItems(isOn: boolean): DataValidateFunction {
  const validate: DataValidateFunction = (items: readonly unknown[]) => {
    const equal = isOn ? equalItems(items) : undefined;
    if (equal) validate.errors = [{ keyword: 'uniqueItems', params: { j: equal[0], i: equal[1] } }];
    return !equal;
  };
  return validate;
}

const INT32 = {
  type: 'number',
  validate: (n: number) => Number.isInteger(n) && n >= -(2 ** 31) && n < 2 ** 31,
} as const;
const INT64 = {
  type: 'number',
  validate: (n: number) => Number.isInteger(n) && n >= -(2 ** 63) && n < 2 ** 63,
} as const;

const URL_LENGTH_MAX = 2048;

/** The library's expression takes quadratic time, so longer texts are refused unread. */
function isUrl(text: string): boolean {
  return text.length <= URL_LENGTH_MAX && fullFormats.url instanceof RegExp && fullFormats.url.test(text);
}

const DATE_TIME = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:)(\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const DAY_SECONDS = 86_400;

/** RFC 3339. The library's own check takes a blank in place of the T, and zones without minutes. */
function isDateTime(text: string): boolean {
  // What else there is has a leap second, or a longer fraction.
  if (parseInstant(text) !== undefined) return true;
  const [, start = '', second = '', zone = ''] = DATE_TIME.exec(text) ?? [];
  if (second !== '60') return parseInstant(start + second + zone) !== undefined;
  const before = parseInstant(`${start}59${zone}`);
  // A leap second is the last of a day in UTC.
  return before !== undefined && (before.seconds + 1) % DAY_SECONDS === 0;
}

function violationsOf(errors: readonly ErrorObject[], data: unknown): Violation[] {
  const seen = new Set<string>();
  const found: Violation[] = [];
  for (const error of errors) {
    if (!isViolation(error)) continue;
    const violation = violationOf(error, data);
    const key = `${violation.field}\n${error.keyword}\n${error.schemaPath}`;
    if (seen.has(key)) continue;
    seen.add(key);
    found.push(violation);
    if (found.length === CAUSES_MAX) break;
  }
  return found;
}

/** `if` only says that a branch failed; the branch's own errors are there as well. */
function isViolation({ keyword }: ErrorObject): boolean {
  return keyword !== 'if';
}

function violationOf(error: ErrorObject, data: unknown): Violation {
  const at = pathOf(data, error.instancePath);
  const member = memberAtFault(error);
  return {
    field: fieldPath(member === undefined ? at : [...at, member]),
    keyword: error.keyword,
    params: error.params,
    value: error.data,
    schema: isJsonObject(error.parentSchema) ? error.parentSchema : {},
  };
}

/** The missing or forbidden field, when the error of an object is about one. */
function memberAtFault({ params }: ErrorObject): string | undefined {
  const { missingProperty, additionalProperty, unevaluatedProperty }: Readonly<Record<string, unknown>> =
    params;
  const member = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  return typeof member === 'string' ? member : undefined;
}

/** The key of a map that may not be so named. */
function propertyNameOf({ propertyName, params }: ErrorObject): string | undefined {
  const { propertyName: forbidden }: { readonly propertyName?: unknown } = params;
  return propertyName ?? (typeof forbidden === 'string' ? forbidden : undefined);
}
