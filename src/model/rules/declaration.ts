import type { CauseReason } from '../../errors.js';
import type { Path } from '../../lib/json/json-difference.js';
import type { Json, JsonObject } from '../object.js';
import { isJsonObject } from '../schema/schema-walk.js';
import type { RuleShape } from './shapes.js';

/** The schema keyword with the rules. */
export const RULES = 'x-kubernetes-validations';

/** Options of a rule, in addition to its expression. */
export interface RuleOptions {
  /** The message when the rule is broken. */
  readonly message?: string;
  /** An expression for the message. When it has no text, `message` is used. */
  readonly messageExpression?: string;
  /** The field in error, relative to the field with the rule: `.end`. */
  readonly fieldPath?: string;
  /** Default `FieldValueInvalid`. */
  readonly reason?:
    'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** Makes `oldSelf` an optional, and applies the rule to creates as well. */
  readonly optionalOldSelf?: boolean;
}

export interface RuleDeclaration extends RuleOptions {
  readonly rule: string;
}

const REASONS: readonly string[] = [
  'FieldValueInvalid',
  'FieldValueForbidden',
  'FieldValueRequired',
  'FieldValueDuplicate',
] satisfies CauseReason[];
const TEXTS = ['message', 'messageExpression', 'fieldPath', 'reason'] as const;
const KEYS: ReadonlySet<string> = new Set(['rule', 'optionalOldSelf', ...TEXTS]);

/** The rules of a schema object, as declared. @throws Error that names the error */
export function rulesIn(schema: JsonObject): readonly RuleDeclaration[] {
  const rules = schema[RULES];
  if (rules === undefined) return [];
  if (!Array.isArray(rules)) throw new Error(`${RULES} must be a list`);
  return rules.map(checkedRule);
}

function checkedRule(given: Json): RuleDeclaration {
  if (!isJsonObject(given) || typeof given.rule !== 'string' || given.rule.trim() === '')
    throw new Error(`${RULES}: each must be an object with a string "rule"`);
  const bad = (text: string): Error => new Error(`the rule ${JSON.stringify(given.rule)}: ${text}`);
  for (const key of Object.keys(given))
    if (!KEYS.has(key)) throw bad(`unknown key "${key}"; known keys: ${[...KEYS].join(', ')}`);
  for (const key of TEXTS)
    if (given[key] !== undefined && typeof given[key] !== 'string') throw bad(`${key} must be a string`);
  if (given.optionalOldSelf !== undefined && typeof given.optionalOldSelf !== 'boolean')
    throw bad('optionalOldSelf must be true or false');
  if (typeof given.reason === 'string' && !REASONS.includes(given.reason))
    throw bad(`reason must be one of ${REASONS.join(', ')}`);
  return given as JsonObject & RuleDeclaration;
}

const STEP = /\.([A-Za-z_$][\w$-]*)|\['([^']+)'\]/gy;

/**
 * Parses a `fieldPath`: `.a.b`, `['a-b'].c`.
 * @throws Error for another text, and for a path to an undeclared field
 */
export function getSteps(fieldPath: string, shape: RuleShape): Path {
  const steps = [...fieldPath.matchAll(STEP)];
  if (steps.length === 0 || steps.map(([text]) => text).join('') !== fieldPath)
    throw new Error(
      `the fieldPath ${JSON.stringify(fieldPath)} must have the form .a.b, relative to the rule`,
    );
  const names = steps.map(([, plain, quoted]) => plain ?? quoted ?? '');
  let at: RuleShape | undefined = shape;
  for (const name of names) {
    at = at.fields.get(name) ?? at.others;
    if (at === undefined)
      throw new Error(
        `the fieldPath ${JSON.stringify(fieldPath)} leads to no declared field: there is no "${name}"`,
      );
  }
  return names;
}
