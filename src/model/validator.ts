import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Cause } from '../errors.js';
import { checkedMetadataSchema, BASE_FIELDS } from './base-schema.js';
import { joinPath } from '../lib/json.js';
import { compileDefaults } from './defaults.js';
import { fieldPath } from './field-path.js';
import { parseInstant } from './instant.js';
import { toJsonSchema } from './json-schema.js';
import { linearRegExp } from './linear-reg-exp.js';
import { checkNames } from './naming.js';
import { refuseNulls } from './nullability.js';
import type { JsonObject, ObjectDraft } from './object.js';
import { isJsonObject } from './schema-walk.js';
import type { ValidationResult } from './scheme.js';
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
  const validate = newAjv().compile(toJsonSchema(schema));
  const fillDefaults = compileDefaults(schema);
  return (data) => {
    fillDefaults(data);
    return validate(data) ? [] : violationsOf(validate, data);
  };
}

/** Checks whole objects of one model: schema, names and metadata, unknown fields. */
export type ObjectCheck = (object: ObjectDraft) => ValidationResult;

/**
 * Compiles the schema of a model's whole object. What the service sets by itself is not checked; a client may send
 * anything there.
 * @throws Error when the schema cannot be compiled
 */
export function compileModel(schema: JsonObject): ObjectCheck {
  const check = compileSchema(checkedSchema(schema));
  const finder = new UnknownFieldFinder(schema);
  return (object) => {
    const causes = [...check(object).map(causeOf), ...checkNames(object)];
    return {
      causes: causes.length < 2 ? causes : distinct(causes),
      unknown: finder.find(object, CAUSES_MAX),
    };
  };
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

function violationsOf(validate: ValidateFunction, data: unknown): Violation[] {
  const seen = new Set<string>();
  const found: Violation[] = [];
  for (const error of validate.errors ?? []) {
    // `if` only says that a branch failed; the branch's own errors are there as well.
    if (error.keyword === 'if') continue;
    const violation = violationOf(error, data);
    const key = `${violation.field}\n${error.keyword}\n${error.schemaPath}`;
    if (seen.has(key)) continue;
    seen.add(key);
    found.push(violation);
    if (found.length === CAUSES_MAX) break;
  }
  return found;
}

function violationOf(error: ErrorObject, data: unknown): Violation {
  const params: Readonly<Record<string, unknown>> = error.params;
  const at = fieldPath(data, error.instancePath);
  const member = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  return {
    field: typeof member === 'string' ? joinPath(at, member) : at,
    keyword: error.keyword,
    params,
    value: error.data,
    schema: isJsonObject(error.parentSchema) ? error.parentSchema : {},
  };
}

function distinct(causes: readonly Cause[]): Cause[] {
  const byText = new Map(causes.map((cause) => [`${cause.field}\n${cause.reason}\n${cause.message}`, cause]));
  return [...byText.values()].slice(0, CAUSES_MAX);
}
