import type { CauseReason } from '../../errors.js';
import type { Path } from '../../lib/json/json-difference.js';
import type { Json, JsonObject } from '../object.js';
import { isJsonObject } from '../schema/schema-walk.js';
import type { Shape } from './shapes.js';

/** The keyword of a schema that holds its rules. */
export const RULES = 'x-kubernetes-validations';

/** What is said of a rule besides its expression. */
export interface RuleOptions {
  /** What is wrong when the rule does not hold. */
  readonly message?: string;
  /** An expression that gives the message; when it gives none, `message` is told. */
  readonly messageExpression?: string;
  /** The field that is wrong, below the one with the rule: `.end`. */
  readonly fieldPath?: string;
  /** Default `FieldValueInvalid`. */
  readonly reason?:
    'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** Makes `oldSelf` an optional, and the rule hold for creates as well. */
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

/** The rules of a schema object, as they were written. @throws Error that says what is wrong */
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
 * The way that a `fieldPath` means: `.a.b`, `['a-b'].c`.
 * @throws Error when it is another text, or leads to no declared field
 */
export function getSteps(fieldPath: string, shape: Shape): Path {
  const steps = [...fieldPath.matchAll(STEP)];
  if (steps.length === 0 || steps.map(([text]) => text).join('') !== fieldPath)
    throw new Error(
      `the fieldPath ${JSON.stringify(fieldPath)} must have the form .a.b, relative to the rule`,
    );
  const names = steps.map(([, plain, quoted]) => plain ?? quoted ?? '');
  let at: Shape | undefined = shape;
  for (const name of names) {
    at = at.fields.get(name) ?? at.others;
    if (at === undefined)
      throw new Error(
        `the fieldPath ${JSON.stringify(fieldPath)} leads to no declared field: there is no "${name}"`,
      );
  }
  return names;
}
