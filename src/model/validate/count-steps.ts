import { isRecord } from '../../lib/json/json.js';
import type { Json, JsonObject } from '../object.js';
import { eachSubschema, isJsonObject, mapSubschemas } from '../schema/schema-walk.js';
import { CHARACTERS_PER_STEP } from './unique-items.js';

/** The keyword that counts the steps of a check. It is in compiled schemas only. */
export const STEPS = 'x-xsvc-steps';

/** The value of {@link STEPS}. */
export interface KeywordSteps {
  readonly steps: number;
  /** Number of loops over the value; each takes the steps of {@link sizeOf}. */
  readonly loops: number;
}

/** Steps for a keyword, with those that a value below it may leave out. */
const KEYWORD_STEPS = 1 / 8;
/** Steps for a keyword that decides between schemas: its failure creates an error. */
const TRIED_STEPS = 2;
const BRANCH_STEPS = 2;
/** Steps for the count itself, with the loop that leads to it. */
const COUNT_STEPS = 1 / 2;
/** Steps for a name of an object, in a keyword that goes through all of them. */
const NAME_STEPS = 2;
/** Errors that are copied in a step: the errors of a referenced schema are added to a copy of all earlier ones. */
export const ERRORS_PER_STEP = 512;

/** Keywords whose schemas apply to many parts of a value, or are referred to by other schemas. */
const MULTIPLYING: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'items',
  'contains',
  'unevaluatedItems',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
]);
const BRANCHES: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf']);
/** Branches that the schema around them counts: most schemas have few. */
const FIRST_BRANCHES = 8;
/** Keywords whose schemas may fail without making a value invalid. */
export const TRYING: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'not', 'if', 'contains']);

/**
 * A copy of a schema that spends the steps of its check. Each place that a value may reach several times counts the keywords
 * down to the next such place, so that the costs of nested lists and branches multiply as the work does.
 */
export function withCountedSteps(schema: JsonObject | boolean): JsonObject | boolean {
  if (!isJsonObject(schema)) return schema;
  const areRefsTried = hasReferenceBelow(schema, TRYING);
  const count = (sub: Json, place: Place): { readonly copy: Json; readonly steps: number } => {
    if (!isJsonObject(sub)) return { copy: sub, steps: KEYWORD_STEPS };
    const price = place.isTried ? TRIED_STEPS : KEYWORD_STEPS;
    const names = Array.isArray(sub.required) ? sub.required.length : 0;
    let steps = price * (Object.keys(sub).length + names);
    const copy = mapSubschemas(sub, (subschema, [keyword, member]) => {
      const isCounted =
        MULTIPLYING.has(keyword) || (BRANCHES.has(keyword) && Number(member) >= FIRST_BRANCHES);
      const isTried =
        place.isTried ||
        TRYING.has(keyword) ||
        (areRefsTried && (keyword === '$defs' || keyword === 'definitions'));
      const result = count(subschema, { isCounted, isTried });
      if (BRANCHES.has(keyword)) steps += BRANCH_STEPS;
      if (!isCounted) steps += result.steps;
      return result.copy;
    });
    const loops = loopsOf(sub);
    if (!place.isCounted && loops === 0) return { copy, steps };
    return { copy: { ...copy, [STEPS]: { steps: steps + COUNT_STEPS, loops } }, steps: 0 };
  };
  const { copy } = count(schema, { isCounted: true, isTried: false });
  return isJsonObject(copy) ? copy : schema;
}

const LOOPS = [
  'format',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'minProperties',
  'maxProperties',
];

interface Place {
  /** True when it counts its steps itself. */
  readonly isCounted: boolean;
  readonly isTried: boolean;
}

/** True when a schema below some keywords refers to another one. */
export function hasReferenceBelow(
  schema: JsonObject,
  keywords: ReadonlySet<string>,
  isBelow = false,
): boolean {
  let isFound = isBelow && schema.$ref !== undefined;
  eachSubschema(schema, (sub, [keyword]) => {
    if (isJsonObject(sub)) isFound ||= hasReferenceBelow(sub, keywords, isBelow || keywords.has(keyword));
  });
  return isFound;
}

/** The steps for each name of an object, or for some characters of a text, in keywords that go through all of them. */
function loopsOf(schema: JsonObject): number {
  // Each name that is not declared is an error.
  const nameSteps = schema.additionalProperties === false ? 2 : 0;
  return nameSteps + LOOPS.filter((name) => schema[name] !== undefined && schema[name] !== true).length;
}

/** The steps for a loop over a text or the names of an object. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length / CHARACTERS_PER_STEP;
  return isRecord(value) ? NAME_STEPS * Object.keys(value).length : 0;
}
