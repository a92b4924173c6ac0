import type { ComparisonOperator } from '../../cel/text/syntax.js';
import type { Condition, Limit } from '../condition.js';
import { LABELS } from '../fields.js';
import type { FilterPosition } from './values.js';

/** A comparison operator that is based on the order of values. */
export type LeafOrder = Exclude<ComparisonOperator, 'in' | '!='>;

export type TextFunction = 'startsWith' | 'endsWith' | 'contains';

export function isTextFunction(name: string): name is TextFunction {
  return name === 'startsWith' || name === 'endsWith' || name === 'contains';
}

/** Matches no object. */
export const NONE: Condition = { op: 'or', of: [] };

/** The comparison with the sides exchanged. */
export const FLIPPED: Readonly<Record<LeafOrder, LeafOrder>> = {
  '==': '==',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

export function compareField(field: string, order: LeafOrder, position: FilterPosition): Condition {
  if (position.kind === 'at') {
    const { value } = position;
    if (order === '==') return { op: 'in', field, values: [value] };
    const limit: Limit = { value, inclusive: order.endsWith('=') };
    return order.startsWith('<') ? { op: 'range', field, to: limit } : { op: 'range', field, from: limit };
  }
  const { below, above } = position;
  if (order.startsWith('<')) return below === undefined ? NONE : { op: 'range', field, to: below };
  if (order.startsWith('>')) return above === undefined ? NONE : { op: 'range', field, from: above };
  return NONE;
}

/** Label entries have the form `key=value`; `>` is the character that follows `=`. */
export function compareLabel(key: string, order: LeafOrder, value: string): Condition {
  if (order === '==') return { op: 'labelIn', key, values: [value] };
  const limit: Limit = { value: `${key}=${value}`, inclusive: order.endsWith('=') };
  return order.startsWith('<')
    ? { op: 'range', field: LABELS, from: { value: `${key}=`, inclusive: true }, to: limit }
    : { op: 'range', field: LABELS, from: limit, to: { value: `${key}>`, inclusive: false } };
}

/** A comparison of text. `equals` is for subjects in lower case. */
export interface TextLeaf {
  readonly op: TextFunction | 'equals';
  readonly text: string;
  readonly ignoreCase: boolean;
}

export function textOfLabel(key: string, leaf: TextLeaf): Condition {
  return leaf.op === 'startsWith' && !leaf.ignoreCase
    ? { ...leaf, field: LABELS, text: `${key}=${leaf.text}` }
    : { ...leaf, field: LABELS, after: `${key}=` };
}
