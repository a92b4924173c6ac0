import { labelField } from '../../../api/selectors.js';
import type { Requirement } from './requirements.js';

/** How a field is compared with values. */
export type FilterOperator =
  | 'is'
  | 'is not'
  | 'one of'
  | 'none of'
  | 'more'
  | 'at least'
  | 'less'
  | 'at most'
  | 'between'
  | 'contains'
  | 'begins'
  | 'ends'
  | 'set'
  | 'unset';

/** A condition that people understand: a field, an operator, and values. */
export interface FieldFilter {
  /** An index, or `metadata.labels["key"]`. */
  readonly field: string;
  readonly operator: FilterOperator;
  readonly values: readonly string[];
}

/** A condition of a list, and the requirements that state it. */
interface FilterChip {
  /** Undefined when it is not simple: then only its text is known. */
  readonly filter: FieldFilter | undefined;
  readonly requirements: readonly Requirement[];
}

/** The words of operators: signs in selectors, and functions in filters. In filters, equality is `==`. */
type Words = ReadonlyMap<FilterOperator, string>;

export const SIGNS: Words = new Map([
  ['is', '='],
  ['is not', '!='],
  ['more', '>'],
  ['at least', '>='],
  ['less', '<'],
  ['at most', '<='],
]);
export const CALLS: Words = new Map([
  ['contains', 'contains'],
  ['begins', 'startsWith'],
  ['ends', 'endsWith'],
]);

function findOperator(words: Words, wanted: string): FilterOperator | undefined {
  return [...words].find(([, word]) => word === (wanted === '==' ? '=' : wanted))?.[0];
}

/** The conditions of a list, in the order of the URL. */
export function getChips(requirements: readonly Requirement[]): readonly FilterChip[] {
  const chips: FilterChip[] = [];
  for (const requirement of requirements) {
    const filter = parseRequirement(requirement);
    const before = chips.at(-1);
    const range = filter && before?.filter && getRange(before.filter, filter);
    if (range === undefined || before === undefined) chips.push({ filter, requirements: [requirement] });
    else chips.splice(-1, 1, { filter: range, requirements: [...before.requirements, requirement] });
  }
  return chips;
}

function getRange(low: FieldFilter, high: FieldFilter): FieldFilter | undefined {
  const isRange = low.field === high.field && low.operator === 'at least' && high.operator === 'at most';
  return isRange
    ? { field: low.field, operator: 'between', values: [...low.values, ...high.values] }
    : undefined;
}

/** Undefined for a requirement that is not simple. */
export function parseRequirement({ of, text }: Requirement): FieldFilter | undefined {
  if (of === 'filter') return parseFilter(text);
  const parsed = parseSelector(text, of === 'fieldSelector');
  if (parsed === undefined || of === 'fieldSelector') return parsed;
  return { ...parsed, field: labelField(parsed.field) };
}

const SUBJECT = String.raw`([^\s=!<>,()]+)`;
const PRESENT = new RegExp(String.raw`^(!?)\s*${SUBJECT}$`);
const SET = new RegExp(String.raw`^${SUBJECT}\s*(?:\s(in|notin)\s*|==?\s*)\((.*)\)$`, 's');
const COMPARED = new RegExp(String.raw`^${SUBJECT}\s*(==|!=|>=|<=|=|>|<)\s*(.*)$`, 's');

function parseSelector(text: string, hasEscapes: boolean): FieldFilter | undefined {
  const read = (value: string): string => (hasEscapes ? value.replace(/\\(.)/gs, '$1') : value).trim();
  const [, absent, present] = PRESENT.exec(text) ?? [];
  if (present !== undefined)
    return { field: present, operator: absent === '!' ? 'unset' : 'set', values: [] };
  const [, member, word, list] = SET.exec(text) ?? [];
  if (member !== undefined && list !== undefined) {
    const values = hasEscapes ? (list.match(/(?:\\.|[^\\,])+/gs) ?? []) : list.split(',');
    return { field: member, operator: word === 'notin' ? 'none of' : 'one of', values: values.map(read) };
  }
  const [, field, sign = '', value = ''] = COMPARED.exec(text) ?? [];
  const operator = findOperator(SIGNS, sign);
  return field && operator ? { field, operator, values: [read(value)] } : undefined;
}

const FIELD = String.raw`(?<field>[A-Za-z_][\w.]*|metadata\.labels\["[^"\\]*"\])`;
const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
const VALUE = String.raw`(?:timestamp\((?<time>${TEXT})\)|(?<text>${TEXT})|(?<other>-?\d+(?:\.\d+)?|true|false))`;
const CALL = String.raw`\.(?<call>contains|startsWith|endsWith)\((?<text>${TEXT})\)`;
/** The expressions that the page itself writes, and simple comparisons. */
const EXPRESSIONS = [
  String.raw`lower\(${FIELD}\)${CALL}`,
  String.raw`${FIELD}${CALL}`,
  String.raw`${FIELD}\.exists\(x, (?:lower\(x\)|x)${CALL}\)`,
  String.raw`(?<not>!?)has\(${FIELD}\)`,
  String.raw`${FIELD} ?(?<sign>==|!=|>=|<=|>|<) ?${VALUE}`,
  // A label's key in `metadata.labels` means its presence.
  String.raw`${VALUE} in (?!metadata\.labels$)${FIELD}`,
].map((expression) => new RegExp(`^${expression}$`));

function parseFilter(filter: string): FieldFilter | undefined {
  const groups = EXPRESSIONS.map((one) => one.exec(filter)?.groups).find((found) => found !== undefined);
  if (groups === undefined) return undefined;
  const { field = '', call, not, sign = '=', time, text = time, other = '' } = groups;
  if (not !== undefined) return { field, operator: not === '!' ? 'unset' : 'set', values: [] };
  const operator = call === undefined ? findOperator(SIGNS, sign) : findOperator(CALLS, call);
  return operator && { field, operator, values: [text === undefined ? other : readText(text)] };
}

function readText(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}
