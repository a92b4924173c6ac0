import { findLabelKey, labelField } from '../../../api/selectors.js';
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
export interface FilterChip {
  /** Undefined when it is not simple: then only its text is known. */
  readonly filter: FieldFilter | undefined;
  readonly requirements: readonly Requirement[];
}

const SIGNS: Readonly<Record<string, FilterOperator>> = {
  '=': 'is',
  '==': 'is',
  '!=': 'is not',
  '>': 'more',
  '>=': 'at least',
  '<': 'less',
  '<=': 'at most',
};

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
  const operator = SIGNS[sign];
  return field === undefined || operator === undefined
    ? undefined
    : { field, operator, values: [read(value)] };
}

const FIELD = String.raw`([A-Za-z_][\w.]*|metadata\.labels\["[^"\\]*"\])`;
const TEXT = String.raw`("(?:[^"\\]|\\.)*")`;
const VALUE = String.raw`(?:timestamp\(${TEXT}\)|${TEXT}|(-?\d+(?:\.\d+)?|true|false))`;
const CALLS: Readonly<Record<string, FilterOperator>> = {
  contains: 'contains',
  startsWith: 'begins',
  endsWith: 'ends',
};
const CALL = new RegExp(
  String.raw`^(?:lower\(${FIELD}\)|${FIELD})\.(contains|startsWith|endsWith)\(${TEXT}\)$`,
);
const CALL_OF_ONE = new RegExp(
  String.raw`^${FIELD}\.exists\(x, (?:lower\(x\)|x)\.(contains|startsWith|endsWith)\(${TEXT}\)\)$`,
);
const HAS = new RegExp(String.raw`^(!?)has\(${FIELD}\)$`);
const COMPARISON = new RegExp(String.raw`^${FIELD} ?(==|!=|>=|<=|>|<) ?${VALUE}$`);
const MEMBER = new RegExp(String.raw`^${VALUE} in ${FIELD}$`);

/** Parses the expressions that the page itself writes, and simple comparisons. */
function parseFilter(text: string): FieldFilter | undefined {
  const [, lowered, plain, call = '', part] = CALL.exec(text) ?? [];
  if (part !== undefined) return called(lowered ?? plain, call, part);
  const [, several, callOfOne = '', partOfOne] = CALL_OF_ONE.exec(text) ?? [];
  if (partOfOne !== undefined) return called(several, callOfOne, partOfOne);
  const [, not, present] = HAS.exec(text) ?? [];
  if (present !== undefined) return { field: present, operator: not === '!' ? 'unset' : 'set', values: [] };
  const [, field, sign = '', ...compared] = COMPARISON.exec(text) ?? [];
  const operator = SIGNS[sign];
  if (field !== undefined && operator !== undefined)
    return { field, operator, values: [readValue(compared)] };
  const found = MEMBER.exec(text);
  const list = found?.[4];
  // A label's key in `metadata.labels` means its presence.
  if (found === null || list === undefined || list === 'metadata.labels') return undefined;
  return { field: list, operator: 'is', values: [readValue(found.slice(1, 4))] };
}

function called(field: string | undefined, call: string, text: string): FieldFilter | undefined {
  const operator = CALLS[call];
  return field === undefined || operator === undefined
    ? undefined
    : { field, operator, values: [readText(text)] };
}

/** @param groups of a match: a time, a text, or another literal */
function readValue([time, text, other]: readonly (string | undefined)[]): string {
  const quoted = time ?? text;
  return quoted === undefined ? (other ?? '') : readText(quoted);
}

function readText(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

/** True for a label. */
export function isLabel(field: string): boolean {
  return findLabelKey(field) !== undefined;
}
