import type { Cause } from '../../errors.js';
import { checkedMetadataSchema, BASE_FIELDS } from '../schema/base-schema.js';
import { cloneJson } from '../../lib/json/json.js';
import {
  differingPart,
  differsAt,
  findDifference,
  type Difference,
  type Path,
} from '../../lib/json/json-difference.js';
import { compileDefaults } from '../schema/defaults.js';
import { fieldPath, getPath } from './field-path.js';
import { toJsonSchema } from '../schema/json-schema.js';
import { checkExpiration } from '../expiration.js';
import { checkNames } from '../names-and-labels.js';
import { refuseNulls } from '../schema/nullability.js';
import { OWNERS_PATH } from '../owner-references.js';
import { ChangedValues, judgeUpdate, withoutUnchanged } from './changed-values.js';
import { withCountedSteps } from './count-steps.js';
import { changedKeyword, newAjv, type ErrorObject } from './ajv.js';
import { judge, OldFindings, type Finding } from './old-findings.js';
import type { Rules } from '../rules/source.js';
import { compileRules } from '../rules/schema-rules.js';
import type { JsonObject, ObjectDraft } from '../object.js';
import { isJsonObject } from '../schema/schema-walk.js';
import type { Faults, Scheme, UnknownField } from '../declare/scheme.js';
import { UnknownFieldFinder } from './unknown-fields.js';
import { getCause, type Violation } from './violation.js';

/** Limit for the reported violations of one object: an answer shows fewer. */
export const CAUSES_MAX = 1_000;

/** A compiled schema. A check sets the defaults of the schema in place. */
export type SchemaCheck = (data: unknown) => Violation[];

/**
 * Compiles an OpenAPI 3.0 or 3.1 schema whose references lead to its own `$defs`. Each call creates a separate
 * validator, so that dropping the result frees it.
 * @returns a check that lists every violation once, at most {@link CAUSES_MAX}
 * @throws Error when the schema cannot be compiled
 */
export function compileSchema(schema: JsonObject): SchemaCheck {
  const find = compileErrors(schema);
  const fillDefaults = compileDefaults(schema);
  return (data) => {
    fillDefaults(data);
    return getViolations(find(data), data);
  };
}

/** Lists all errors of the validator, including duplicates. @param changes the only values to judge; absent: all */
type FindErrors = (data: unknown, changes?: Difference) => readonly ErrorObject[];

function compileErrors(schema: JsonObject): FindErrors {
  const countedSchema = withCountedSteps(toJsonSchema(schema));
  const validate = newAjv().compile(countedSchema);
  let ofChanges: FindErrors | undefined;
  return (data, changes) => {
    if (changes !== undefined) return (ofChanges ??= compileChanges(countedSchema))(data, changes);
    return validate(data) ? NO_ERRORS : (validate.errors ?? NO_ERRORS);
  };
}

function compileChanges(countedSchema: JsonObject | boolean): FindErrors {
  let changedValues: ChangedValues | undefined;
  const hasChanged = changedKeyword((parent, step) => changedValues?.has(parent, step) !== false);
  const validate = newAjv().addKeyword(hasChanged).compile(withoutUnchanged(countedSchema));
  return (data, changes = 'whole') => {
    changedValues = new ChangedValues(data, changes);
    return validate(data) ? NO_ERRORS : (validate.errors ?? NO_ERRORS);
  };
}

const NO_ERRORS: readonly ErrorObject[] = [];

/** Checks whole objects of one model: schema, names and metadata, unknown fields. */
export type ObjectCheck = Scheme['validate'];

/**
 * Compiles the schema of a model's whole object, with its rules. Fields that the service sets itself are not checked:
 * a client may send any value for them.
 * @param further rules in addition to those of the schema
 * @throws Error when the schema, or a rule in it, cannot be compiled
 */
export function compileModel(schema: JsonObject, further: readonly Rules[] = []): ObjectCheck {
  const objectSchema = checkedSchema(schema);
  const [find, fillDefaults] = [compileErrors(objectSchema), compileDefaults(objectSchema)];
  const finder = new UnknownFieldFinder(withStatus(schema));
  const ofSchema = compileRules(schema, true);
  const rules = ofSchema === undefined ? further : [ofSchema, ...further];
  const look = (object: ObjectDraft, changes?: Difference): Findings => ({
    object,
    errors: find(object, changes),
    names: [...checkNames(object), ...checkExpiration(object)],
    changes,
  });
  const readOld = rules.some((ruleSet) => ruleSet.readOld);
  return (object, stored, { isStored = false } = {}) => {
    fillDefaults(object);
    let storedDraft: ObjectDraft | undefined;
    // With the defaults that even a write without changes sets.
    const fillStored = (): ObjectDraft => {
      if (storedDraft === undefined) fillDefaults((storedDraft = cloneJson(stored ?? {})));
      return storedDraft;
    };
    return judgeUpdate(stored, (isPartial) => {
      const changes = isPartial ? findDifference(fillStored(), object) : undefined;
      if (isPartial && changes === undefined) return NO_FAULTS;
      const findings = look(object, changes);
      let oldFindings = readOld && stored !== undefined ? look(fillStored(), changes) : undefined;
      // A field is declared or not by its place alone, so the unchanged rest need not be checked.
      const findUnknown = (parts: Difference): UnknownField[] =>
        finder.find(differingPart(object, parts), CAUSES_MAX);
      const unknown = findUnknown(changes ?? 'whole');
      const breaches = brokenIn(rules, findings, { old: oldFindings?.object, isStored });
      const isFlawless = [findings.errors, findings.names, unknown, breaches].flat().length === 0;
      if (isFlawless || stored === undefined)
        return { causes: judge(iterateFindings(findings, breaches), undefined, CAUSES_MAX).made, unknown };
      oldFindings ??= look(fillStored(), changes);
      const difference = changes ?? findDifference(oldFindings.object, object);
      const oldBreaches = brokenIn(rules, oldFindings, { old: undefined, isStored: true });
      const oldViolations = new OldFindings(iterateFindings(oldFindings, oldBreaches), difference);
      const verdict = judge(iterateFindings(findings, breaches), oldViolations, CAUSES_MAX);
      const newFields = difference === undefined ? [] : findUnknown(difference);
      const isAdded = new Set(newFields.map(({ path }) => path));
      const oldFields = unknown.filter(({ path }) => !isAdded.has(path));
      return { causes: verdict.made, unknown: newFields, old: { causes: verdict.old, unknown: oldFields } };
    });
  };
}

const NO_FAULTS: Faults = { causes: [], unknown: [] };

/** Every object may have a status, even when the schema does not declare it. */
function withStatus(schema: JsonObject): JsonObject {
  const { properties } = schema;
  return isJsonObject(properties) ? { ...schema, properties: { status: {}, ...properties } } : schema;
}

/** The errors of an object, as reported by each check. */
interface Findings {
  readonly object: ObjectDraft;
  readonly errors: readonly ErrorObject[];
  readonly names: readonly Cause[];
  /** The only values that were judged; undefined for all. */
  readonly changes: Difference | undefined;
}

function brokenIn(
  rules: readonly Rules[],
  { object, errors, changes }: Findings,
  { old, isStored }: { readonly old: ObjectDraft | undefined; readonly isStored: boolean },
): readonly Finding[] {
  if (rules.length === 0) return NO_FINDINGS;
  const hasChanged =
    changes && ((paths: readonly Path[]): boolean => paths.some((path) => differsAt(changes, path)));
  const faults = (): readonly Path[] =>
    errors.filter(isViolation).flatMap((error) => getFinding(error, object).at());
  return rules.flatMap((ruleSet) => ruleSet.find(object, { old, isStored, faults, hasChanged }));
}

const NO_FINDINGS: readonly Finding[] = [];

function* iterateFindings(
  { object, errors, names }: Findings,
  broken: readonly Finding[],
): Generator<Finding> {
  for (const error of errors) if (isViolation(error)) yield getFinding(error, object);
  for (const cause of names)
    yield { key: `${cause.field}\n${cause.message}`, at: () => [getPlace(cause)], cause: () => cause };
  yield* broken;
}

function getFinding(error: ErrorObject, data: unknown): Finding {
  const { keyword, schemaPath, instancePath } = error;
  const member = memberAtFault(error) ?? findPropertyName(error);
  // A field can be required by several others.
  const { property }: { readonly property?: unknown } = error.params;
  const beside = keyword.startsWith('depend') ? String(property) : '';
  return {
    // The length separates the path from the member, whose name clients choose.
    key: `${keyword} ${schemaPath} ${beside} ${instancePath.length} ${instancePath} ${member ?? ''}`,
    at: () => [[...getPath(data, instancePath), ...(member === undefined ? [] : [member])]],
    cause: () => getCause(getViolation(error, data)),
  };
}

/** The rules of names read only these fields. The key of a map is the rest of the path. */
function getPlace({ field }: Cause): Path {
  // A reference is checked together with the others.
  if (field.startsWith(OWNERS_PATH)) return OWNERS_PATH.split('.');
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

function getViolations(errors: readonly ErrorObject[], data: unknown): Violation[] {
  const seen = new Set<string>();
  const found: Violation[] = [];
  for (const error of errors) {
    if (!isViolation(error)) continue;
    const violation = getViolation(error, data);
    const key = `${violation.field}\n${error.keyword}\n${error.schemaPath}`;
    if (seen.has(key)) continue;
    seen.add(key);
    found.push(violation);
    if (found.length === CAUSES_MAX) break;
  }
  return found;
}

/** An error of `if` only reports that a branch failed. The errors of the branch are separate. */
function isViolation({ keyword }: ErrorObject): boolean {
  return keyword !== 'if';
}

function getViolation(error: ErrorObject, data: unknown): Violation {
  const at = getPath(data, error.instancePath);
  const member = memberAtFault(error);
  return {
    field: fieldPath(member === undefined ? at : [...at, member]),
    keyword: error.keyword,
    params: error.params,
    value: error.data,
    schema: isJsonObject(error.parentSchema) ? error.parentSchema : {},
  };
}

/** The missing or forbidden field, when the error of an object concerns one. */
function memberAtFault({ params }: ErrorObject): string | undefined {
  const { missingProperty, additionalProperty, unevaluatedProperty }: Readonly<Record<string, unknown>> =
    params;
  const member = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  return typeof member === 'string' ? member : undefined;
}

/** The key of a map with a forbidden name. */
function findPropertyName({ propertyName, params }: ErrorObject): string | undefined {
  const { propertyName: forbidden }: { readonly propertyName?: unknown } = params;
  return propertyName ?? (typeof forbidden === 'string' ? forbidden : undefined);
}
