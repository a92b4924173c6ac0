import { deepEqual } from '../../lib/json/json.js';
import type { Json, JsonObject } from '../object.js';
import { RULES } from '../rules/declaration.js';
import type { ReportChange } from './schema-change.js';
import type { Keyword } from '../schema/keyword.js';
import { KEYWORDS } from '../schema/keywords.js';
import { isJsonObject } from '../schema/schema-walk.js';

/** Lower bounds, upper bounds, and rules of which two different ones cannot be compared. */
const COMPARED = (['higher', 'lower', 'set'] as const).flatMap((change) =>
  KEYWORDS.filter(({ tighter }) => tighter === change),
);
const SHOWN_MAX = 40;

/** Reports changed rules about the value itself, not about its members or items. */
export function compareRules(
  path: string,
  before: JsonObject,
  after: JsonObject,
  report: ReportChange,
): void {
  compareTypes(path, before, after, report);
  compareEnums(path, before, after, report);
  for (const keyword of COMPARED)
    compareKeyword({ path, keyword }, before[keyword.name], after[keyword.name], report);
  compareAdditional(path, before, after, report);
  compareExpressions(path, before, after, report);
}

function compareTypes(path: string, before: JsonObject, after: JsonObject, report: ReportChange): void {
  const [old, now] = [getTypes(before), getTypes(after)];
  if (deepEqual(old, now)) return;
  const isTighter = now.length > 0 && (old.length === 0 || old.some((type) => !accepts(now, type)));
  const text = `type changed from ${getName(old)} to ${getName(now)}`;
  report({ kind: 'type-changed', path, text, isTighter });
}

function getTypes({ type, nullable }: JsonObject): readonly string[] {
  if (type === undefined) return [];
  const types = (Array.isArray(type) ? type : [type]).map(String);
  return [...new Set([...types, ...(nullable === true ? ['null'] : [])])].sort();
}

function getName(types: readonly string[]): string {
  return types.length === 0 ? 'any' : types.join(' or ');
}

function accepts(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

function compareEnums(path: string, before: JsonObject, after: JsonObject, report: ReportChange): void {
  const [old, now] = [before.enum, after.enum];
  if (!Array.isArray(old) || !Array.isArray(now)) {
    if (Array.isArray(now))
      report({ kind: 'enum-added', path, text: `now accepts only ${listed(now)}`, isTighter: true });
    if (Array.isArray(old))
      report({ kind: 'enum-removed', path, text: `now accepts more than ${listed(old)}`, isTighter: false });
    return;
  }
  const added = now.filter((value) => !old.some((other) => deepEqual(other, value)));
  const gone = old.filter((value) => !now.some((other) => deepEqual(other, value)));
  if (added.length > 0)
    report({ kind: 'enum-added', path, text: `now also accepts ${listed(added)}`, isTighter: false });
  if (gone.length > 0)
    report({ kind: 'enum-removed', path, text: `no longer accepts ${listed(gone)}`, isTighter: true });
}

function listed(values: readonly unknown[]): string {
  return values.map(shown).join(', ');
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}...` : text;
}

interface Rule {
  readonly path: string;
  readonly keyword: Keyword;
}

function compareKeyword(
  { path, keyword: { name, tighter } }: Rule,
  old: Json | undefined,
  now: Json | undefined,
  report: ReportChange,
): void {
  if (deepEqual(old, now)) return;
  if (old === undefined || now === undefined) {
    const value = old ?? now ?? null;
    const isTighter = old === undefined;
    const text = `${name}${isNested(value) ? '' : ` ${shown(value)}`} ${isTighter ? 'added' : 'removed'}`;
    report({ kind: isTighter ? 'rule-tightened' : 'rule-loosened', path, text, isTighter });
    return;
  }
  const isOpaque = isNested(old) || isNested(now);
  const text = isOpaque ? `${name} changed` : `${name} changed from ${shown(old)} to ${shown(now)}`;
  if (tighter === 'set' || typeof old !== 'number' || typeof now !== 'number') {
    report({ kind: 'rule-changed', path, text, isTighter: true });
    return;
  }
  const isTighter = tighter === 'higher' ? now > old : now < old;
  report({ kind: isTighter ? 'rule-tightened' : 'rule-loosened', path, text, isTighter });
}

function isNested(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

/** The message of a rule is not compared. */
function compareExpressions(path: string, before: JsonObject, after: JsonObject, report: ReportChange): void {
  const [old, now] = [getExpressions(before), getExpressions(after)];
  for (const rule of now)
    if (!old.has(rule))
      report({ kind: 'rule-tightened', path, text: `the rule ${rule} added`, isTighter: true });
  for (const rule of old)
    if (!now.has(rule))
      report({ kind: 'rule-loosened', path, text: `the rule ${rule} removed`, isTighter: false });
}

function getExpressions(schema: JsonObject): ReadonlySet<string> {
  const rules = schema[RULES];
  const declared = Array.isArray(rules) ? rules.filter(isJsonObject) : [];
  return new Set(declared.map(({ rule }) => JSON.stringify(rule)));
}

/** Compares if members of other names are accepted. Their schemas are compared with the members. */
function compareAdditional(path: string, before: JsonObject, after: JsonObject, report: ReportChange): void {
  const [old, now] = [before.additionalProperties, after.additionalProperties].map(takesOthers);
  if (old === now) return;
  if (now === 'none')
    report({ kind: 'rule-tightened', path, text: 'no longer accepts other members', isTighter: true });
  else if (old === 'none')
    report({ kind: 'rule-loosened', path, text: 'now accepts other members', isTighter: false });
  else {
    const isTighter = now === 'some';
    const text = isTighter ? 'other members must now match a schema' : 'other members may now have any value';
    report({ kind: isTighter ? 'rule-tightened' : 'rule-loosened', path, text, isTighter });
  }
}

function takesOthers(value: Json | undefined): 'none' | 'some' | 'any' {
  if (value === false) return 'none';
  return isJsonObject(value) && Object.keys(value).length > 0 ? 'some' : 'any';
}
