import type { Cause } from '../../errors.js';
import { didYouMean, suggest } from '../../lib/suggest.js';
import type { Keyword } from '../schema/keyword.js';
import { KEYWORDS } from '../schema/keywords.js';
import { isNotNull } from '../schema/nullability.js';
import { isJsonObject } from '../schema/schema-walk.js';

/** One broken rule of a schema, in the terms of JSON Schema. The message is derived from it. */
export interface Violation {
  /** Dotted path; for a missing or forbidden field, the path of that field. */
  readonly field: string;
  /** The JSON Schema keyword. */
  readonly keyword: string;
  /** The parameters of the keyword, with the names of the validator: `limit`, `pattern`, `allowedValues`, ... */
  readonly params: Readonly<Record<string, unknown>>;
  /** The value that was given. */
  readonly value: unknown;
  /** The schema object that contains the keyword, when it is an object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

const BY_NAME: ReadonlyMap<string, Keyword> = new Map(KEYWORDS.map((keyword) => [keyword.name, keyword]));

const VALUE_LENGTH_MAX = 60;
const LISTED_VALUES_MAX = 20;

/** The violation of each cause. Separate from the causes, because those are sent unchanged. */
const violations = new WeakMap<Cause, Violation>();

/** Converts a violation to a cause with an English message. */
export function getCause(violation: Violation): Cause {
  const cause = {
    field: violation.field,
    reason: `FieldValue${BY_NAME.get(violation.keyword)?.reason ?? 'Invalid'}` as const,
    message: describeViolation(violation),
  };
  violations.set(cause, violation);
  return cause;
}

/** The cause for a missing field, as if a schema required it. @param field dotted path of the field */
export function missingCause(field: string): Cause {
  const missingProperty = field.slice(field.lastIndexOf('.') + 1);
  return getCause({ field, keyword: 'required', params: { missingProperty }, value: undefined, schema: {} });
}

/**
 * The violation behind a cause from {@link getCause}, for messages in other languages; undefined for the causes of
 * other rules.
 */
export function violationBehind(cause: Cause): Violation | undefined {
  return violations.get(cause);
}

/** The same cause with another text. It can still be translated. */
export function rewordedCause(cause: Cause, text: Partial<Pick<Cause, 'field' | 'message'>>): Cause {
  const copy = { ...cause, ...text };
  const violation = violations.get(cause);
  if (violation !== undefined) violations.set(copy, violation);
  return copy;
}

/** The English message: the rule with its limit, and the shortened value (never that of a password). */
export function describeViolation(violation: Violation): string {
  if (isForbiddenNull(violation)) return 'must not be null';
  const rule = getRule(violation);
  const isHidden = !showsValue(violation.keyword) || violation.schema.format === 'password';
  return isHidden ? rule : `${rule}, got ${formatValue(violation.value)}`;
}

/** A value as JSON, shortened when long. */
export function formatValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > VALUE_LENGTH_MAX ? `${value.slice(0, VALUE_LENGTH_MAX)}...` : value);
}

function isForbiddenNull({ keyword, params, value }: Violation): boolean {
  return keyword === 'type' && value === null && isNotNull(params.type);
}

/** False for rules about members, items, or several schemas: their values are long. */
function showsValue(name: string): boolean {
  const keyword = BY_NAME.get(name);
  if (keyword === undefined) return name !== FALSE;
  const { of, value } = keyword;
  return of !== 'array' && of !== 'object' && !value.startsWith('schema');
}

/** The keyword with which the validator reports a value where the schema is `false`. */
const FALSE = 'false schema';

/** The rules that need more than their parameters. */
const RULES: Readonly<Record<string, (violation: Violation) => string>> = {
  type: (v) => `must be ${typeNames(v.params.type)}`,
  enum: (v) => `must be one of ${valueList(v.params.allowedValues)}`,
  const: (v) => `must be ${JSON.stringify(v.params.allowedValue)}`,
  format: (v) => FORMAT_RULES[String(v.params.format)] ?? `must be a valid ${String(v.params.format)}`,
  additionalProperties: forbiddenField,
  unevaluatedProperties: forbiddenField,
  items: tooManyItems,
  unevaluatedItems: tooManyItems,
  propertyNames: (v) => `the key ${formatValue(v.params.propertyName)} is not allowed`,
  oneOf: (v) =>
    Array.isArray(v.params.passingSchemas)
      ? 'matches several of the declared schemas, must match exactly one'
      : 'must match one of the declared schemas',
  [FALSE]: () => 'must not be set',
};

const FORMAT_RULES: Readonly<Record<string, string>> = {
  int32: 'must be a 32-bit integer',
  int64: 'must be a 64-bit integer',
  'date-time': 'must be an RFC 3339 date-time such as 2026-11-20T08:00:00Z',
  date: 'must be a date such as 2026-11-20',
  time: 'must be a time with zone such as 08:00:00Z',
  email: 'must be an email address',
  regex: 'must be a regular expression',
};

function getRule(violation: Violation): string {
  const rule = Object.hasOwn(RULES, violation.keyword) ? RULES[violation.keyword] : undefined;
  const keyword = BY_NAME.get(violation.keyword);
  const message = rule?.(violation) ?? (keyword && ruleByTable(keyword, violation));
  return message ?? `breaks the rule ${violation.keyword}`;
}

function ruleByTable({ of, value, tighter, message }: Keyword, violation: Violation): string | undefined {
  if (message !== undefined)
    return message.replace(/\{(\w+)\}/g, (_, name: string) => String(violation.params[name]));
  if (tighter === undefined || tighter === 'set') return undefined;
  if (value !== 'count')
    return `must be ${String(violation.params.comparison)} ${String(violation.params.limit)}`;
  const least = tighter === 'higher' ? 'least' : 'most';
  if (of === 'string') return `must have at ${least} ${count(violation, 'character')}`;
  const noun = of === 'array' ? 'item' : 'field';
  return `must have at ${least} ${count(violation, noun)}, got ${getSize(violation.value)}`;
}

function forbiddenField(violation: Violation): string {
  const name = String(violation.params.additionalProperty ?? violation.params.unevaluatedProperty);
  const declared = isJsonObject(violation.schema.properties) ? Object.keys(violation.schema.properties) : [];
  return `is not a declared field${didYouMean(suggest(name, declared))}`;
}

function tooManyItems(violation: Violation): string {
  return `must have at most ${count(violation, 'item')}, got ${getSize(violation.value)}`;
}

function typeNames(type: unknown): string {
  const names: unknown[] = Array.isArray(type) ? type : String(type).split(',');
  return names.map((name) => withArticle(String(name))).join(' or ');
}

function withArticle(name: string): string {
  if (name === 'null') return name;
  return `${/^[aio]/.test(name) ? 'an' : 'a'} ${name}`;
}

function count(violation: Violation, noun: string): string {
  const limit = String(violation.params.limit ?? violation.params.len);
  return `${limit} ${noun}${limit === '1' ? '' : 's'}`;
}

function getSize(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function valueList(values: unknown): string {
  const list: unknown[] = Array.isArray(values) ? values : [];
  const shown = list.slice(0, LISTED_VALUES_MAX).map((value) => JSON.stringify(value));
  return shown.join(', ') + (list.length > LISTED_VALUES_MAX ? ', ...' : '');
}
