import { formatExcerpt } from '../errors.js';
import { decodeValue } from '../model/key-type.js';
import { isNamespaced, namespacePrefix } from '../model/full-name.js';
import type { Resource } from '../model/resource.js';
import type { BoundCondition, BoundLimit } from './bound-condition.js';
import { LABELS, NAME, NAME_INDEX } from './fields.js';

const SHOWN_VALUES_MAX = 10;

/** A readable form of a condition, for explanations; long lists and texts are shortened. */
export function describe(bound: BoundCondition, resource: Resource): string {
  switch (bound.op) {
    case 'all':
      return 'every object';
    case 'none':
      return 'no object';
    case 'and':
    case 'or':
      return `(${bound.of.map((part) => describe(part, resource)).join(` ${bound.op} `)})`;
    case 'not':
      return `not ${describe(bound.of, resource)}`;
    case 'in': {
      if (bound.targets !== undefined) return bound.targets.shown;
      const values = bound.values
        .slice(0, SHOWN_VALUES_MAX)
        .map((value) => show(value, bound.index, resource));
      const more = bound.values.length - values.length;
      if (bound.values.length === 1) return `${fieldName(bound.index, resource)} = ${values.join()}`;
      return `${fieldName(bound.index, resource)} in (${values.join(', ')}${more > 0 ? `, ${more} more` : ''})`;
    }
    case 'isNull':
      return `${fieldName(bound.index, resource)} is absent`;
    case 'prefix':
      if (bound.index === NAME && isNamespaced(resource))
        return `metadata.namespace = ${namespaceIn(bound.prefix)}`;
      return `${fieldName(bound.index, resource)} starts with ${show(bound.prefix, bound.index, resource)}`;
    case 'text':
      return `${textSubject(bound, resource)} ${bound.kind === 'equals' ? '=' : bound.kind} ${JSON.stringify(formatExcerpt(bound.text))}`;
    case 'any':
      return `one value: ${describe(bound.of, resource)}`;
    case 'range':
      return describeRange(bound, resource);
  }
}

function namespaceIn(prefix: Buffer): string {
  return JSON.stringify(formatExcerpt(prefix.toString().slice(0, -namespacePrefix('').length)));
}

function textSubject(
  { index, after, ignoreCase }: Extract<BoundCondition, { readonly op: 'text' }>,
  resource: Resource,
): string {
  const name = fieldName(index, resource);
  const field = ignoreCase ? `lower(${name})` : name;
  return after === undefined ? field : `${field} after ${show(after, index, resource)}`;
}

function describeRange(
  { index, from, to }: Extract<BoundCondition, { readonly op: 'range' }>,
  resource: Resource,
): string {
  const limit = (end: BoundLimit | undefined, sign: string): string[] =>
    end === undefined ? [] : [`${sign}${end.inclusive ? '=' : ''} ${show(end.value, index, resource)}`];
  const field = fieldName(index, resource);
  return [...limit(from, '>'), ...limit(to, '<')].map((part) => `${field} ${part}`).join(' and ');
}

export function fieldName(index: number, resource: Resource): string {
  return index === NAME ? NAME_INDEX.name : (resource.indexes[index]?.name ?? LABELS);
}

function show(value: Buffer, index: number, resource: Resource): string {
  const type = index === NAME ? 'string' : (resource.indexes[index]?.keyType ?? 'string');
  const decoded = decodeValue(type, value);
  return typeof decoded === 'string' && type === 'string'
    ? JSON.stringify(formatExcerpt(decoded))
    : String(decoded);
}
