import type { Cause } from '../errors.js';
import { getOwn, isRecord, joinPath, isNested } from '../lib/json/json.js';
import { findGvk } from '../model/declare/gvk.js';
import type { JsonObject } from '../model/object.js';
import { compileRules } from '../model/rules/schema-rules.js';
import { getSchemaFields, type Ctor } from '../model/declare/schema-decorator.js';
import { schemaOfType } from '../model/schema/schema-of.js';
import { CAUSES_MAX, compileModel, compileSchema } from '../model/validate/validator.js';
import { getCause, violationBehind } from '../model/validate/violation.js';
import { getNestedClasses, type NestedClasses } from './class-fields.js';
import { constraintMessage } from './constraint-messages.js';
import { getConstraints, type Constraint } from './constraints.js';
import type { Language } from './language.js';
import { translateCauses } from './messages.js';

/** Lists all violations, in a language. Fills in the schema's defaults in place. */
export type DataCheck = (data: unknown, language: Language) => readonly Cause[];

const schemas = new WeakMap<Ctor, JsonObject>();

/** The schema of a class, built once. @throws ServiceError `BadRequest` when the class cannot be described */
export function schemaOfClass(type: Ctor): JsonObject {
  const schema = schemas.get(type) ?? schemaOfType(type);
  schemas.set(type, schema);
  return schema;
}

const byType = new WeakMap<Ctor, DataCheck>();

/** Compiled plain schemas by their text, because handlers build the schema again for each request. */
const bySchema = new Map<string, DataCheck>();
/** The limit of compiled schemas in the cache; the oldest one is dropped. */
const SCHEMAS_MAX = 256;

/**
 * The check of a class: its schema, and the constraints on its fields and on those of nested classes. For a model, this is all that
 * a write of an object checks.
 * @throws ServiceError `BadRequest`, or Error, when the class's schema cannot be used
 */
export function checkOfType(type: Ctor): DataCheck {
  const known = byType.get(type);
  if (known !== undefined) return known;
  const ofSchema = getSchemaCheck(type);
  const check: DataCheck = (data, language) => {
    const causes = ofSchema(data);
    const broken = isRecord(data) ? findBroken(type, data, '') : [];
    return merged(causes, broken, language);
  };
  byType.set(type, check);
  return check;
}

/** @throws Error when the schema cannot be compiled */
export function checkOfSchema(schema: JsonObject): DataCheck {
  const text = JSON.stringify(schema);
  const known = bySchema.get(text);
  if (known !== undefined) return known;
  const ofSchema = checkOfPlain(JSON.parse(text) as JsonObject);
  const check: DataCheck = (data, language) => translateCauses(ofSchema(data), language);
  if (bySchema.size >= SCHEMAS_MAX)
    for (const oldest of [...bySchema.keys()].slice(0, 1)) bySchema.delete(oldest);
  bySchema.set(text, check);
  return check;
}

function getSchemaCheck(type: Ctor): (data: unknown) => readonly Cause[] {
  const schema = schemaOfClass(type);
  if (findGvk(type) === undefined) {
    return checkOfPlain(schema);
  }
  const check = compileModel(schema);
  const plain = compileSchema({ type: 'object' });
  return (data) => (isRecord(data) ? check(data).causes : plain(data).map(getCause));
}

/** The check of a schema and its rules. @throws Error when the schema cannot be compiled */
function checkOfPlain(schema: JsonObject): (data: unknown) => readonly Cause[] {
  const check = compileSchema(schema);
  const rules = compileRules(schema, false);
  return (data) => {
    const causes = check(data).map(getCause);
    // Rules assume that the data match the schema.
    if (rules === undefined || causes.length > 0 || !isRecord(data)) return causes;
    const found = rules.find(data, { old: undefined, isStored: false, faults: () => [] });
    return found.slice(0, CAUSES_MAX).map((finding) => finding.cause());
  };
}

interface Broken {
  readonly field: string;
  readonly constraint: Constraint;
}

/** Walks the data and the classes of its fields together. The depth is that of the data, which is limited. */
function findBroken(type: Ctor, data: Readonly<Record<string, unknown>>, path: string): Broken[] {
  const found: Broken[] = [];
  for (const [name, constraints] of getConstraints(type)) {
    const value = getOwn(data, name);
    const field = joinPath(path, name);
    for (const constraint of constraints) if (!constraint.accepts(value)) found.push({ field, constraint });
  }
  for (const [name, options] of getSchemaFields(type)) {
    const value = getOwn(data, name);
    if (typeof value === 'object' && value !== null)
      found.push(...findNested(getNestedClasses(options), value, joinPath(path, name)));
  }
  return found;
}

function findNested(classes: NestedClasses, value: object, path: string): Broken[] {
  if (Array.isArray(value)) {
    const { items } = classes;
    if (items === undefined) return [];
    return value.flatMap((item: unknown, i) =>
      isNested(item) ? findNested(items, item, `${path}[${i}]`) : [],
    );
  }
  if (!isRecord(value)) return [];
  if (classes.own !== undefined) return findBroken(classes.own, value, path);
  const { values } = classes;
  if (values === undefined) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    isNested(item) ? findNested(values, item, joinPath(path, key)) : [],
  );
}

/**
 * Merges the causes so that each error has one. A constraint that requires a field replaces the schema's cause for the missing
 * field; other constraints are skipped for a value of the wrong type.
 */
function merged(causes: readonly Cause[], broken: readonly Broken[], language: Language): readonly Cause[] {
  const needed = new Set(broken.filter(isNeeded).map(({ field }) => field));
  const mistyped = new Set(causes.filter((cause) => findKeyword(cause) === 'type').map(({ field }) => field));
  const ofSchema = causes.filter((cause) => {
    const keyword = findKeyword(cause);
    return !(needed.has(cause.field) && (keyword === 'required' || keyword === 'type'));
  });
  const ofConstraints = broken
    .filter((one) => isNeeded(one) || !(mistyped.has(one.field) || needed.has(one.field)))
    .map(({ field, constraint }): Cause => ({
      field,
      reason:
        constraint.kind === 'NotNull' || constraint.kind === 'NotBlank'
          ? 'FieldValueRequired'
          : 'FieldValueInvalid',
      message: constraintMessage(constraint, language),
    }));
  return [...translateCauses(ofSchema, language), ...ofConstraints].slice(0, CAUSES_MAX);
}

function isNeeded({ constraint }: Broken): boolean {
  return constraint.kind === 'NotNull' || constraint.kind === 'NotBlank';
}

function findKeyword(cause: Cause): string | undefined {
  return violationBehind(cause)?.keyword;
}
