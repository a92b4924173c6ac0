import { badRequest, excerpt } from '../errors.js';
import { encodeValue, normalizeValue, parseValue } from '../model/key-type.js';
import type { Resource } from '../model/resource.js';
import type { BoundCondition, BoundLimit } from './bound.js';
import type { Condition, Limit, Scalar } from './condition.js';
import { CONDITION_DEPTH_MAX, getField, LABELS, type Field } from './fields.js';
import { conjunction, disjunction, negation } from './normal-form.js';

type TextCondition = Extract<Condition, { readonly ignoreCase: boolean }>;

/**
 * Resolves a condition against a model: fields become positions in `resource.indexes`, values are read by the
 * index's key type and encoded. The result is in normal form and means exactly the same.
 * @throws ServiceError `BadRequest` for a field without an index (the message lists those there are), a value
 * the key type cannot read, a text comparison on an index that is not of strings, or absurd nesting.
 */
export function bind(condition: Condition, resource: Resource, depth = 0): BoundCondition {
  if (depth > CONDITION_DEPTH_MAX) throw badRequest(`the query nests deeper than ${CONDITION_DEPTH_MAX}`);
  switch (condition.op) {
    case 'all':
      return condition;
    case 'and':
      return conjunction(condition.of.map((part) => bind(part, resource, depth + 1)));
    case 'or':
      return disjunction(condition.of.map((part) => bind(part, resource, depth + 1)));
    case 'not':
      return negation(bind(condition.of, resource, depth + 1));
    case 'in':
      return bindIn(getField(resource, condition.field), condition.values);
    case 'range':
      return bindRange(getField(resource, condition.field), condition.from, condition.to);
    case 'isNull':
      return { op: 'isNull', index: getField(resource, condition.field).index };
    case 'startsWith':
    case 'endsWith':
    case 'contains':
      return bindText(getField(resource, condition.field), condition);
    case 'labelIn':
      return bindIn(
        getField(resource, LABELS),
        condition.values.map((value) => `${condition.key}=${value}`),
      );
    case 'labelExists':
      return {
        op: 'prefix',
        index: getField(resource, LABELS).index,
        prefix: encodeValue('string', `${condition.key}=`),
      };
  }
}

function bindIn(field: Field, scalars: readonly Scalar[]): BoundCondition {
  const sorted = scalars.map((scalar) => encode(field, scalar)).sort((a, b) => Buffer.compare(a, b));
  const values = sorted.filter((value, at) => at === 0 || sorted[at - 1]?.equals(value) !== true);
  return values.length === 0 ? { op: 'none' } : { op: 'in', index: field.index, values };
}

function bindRange(field: Field, from: Limit | undefined, to: Limit | undefined): BoundCondition {
  const { index } = field;
  const low = from && bindLimit(field, from);
  const high = to && bindLimit(field, to);
  if (low === undefined && high === undefined) return negation({ op: 'isNull', index });
  if (low !== undefined && high !== undefined) {
    const order = Buffer.compare(low.value, high.value);
    if (order > 0 || (order === 0 && !(low.inclusive && high.inclusive))) return { op: 'none' };
  }
  return { op: 'range', index, ...(low && { from: low }), ...(high && { to: high }) };
}

function bindLimit(field: Field, limit: Limit): BoundLimit {
  return { value: encode(field, limit.value), inclusive: limit.inclusive };
}

function bindText(field: Field, { op, text, ignoreCase }: TextCondition): BoundCondition {
  const { index, declaration } = field;
  if (declaration.keyType !== 'string') {
    throw badRequest(
      `${op} needs an index of strings, "${declaration.name}" is one of type ${declaration.keyType}`,
    );
  }
  if (/\p{Surrogate}/u.test(text)) throw badRequest(`${op}: the text has half of a surrogate pair`);
  if (op === 'startsWith' && !ignoreCase) return { op: 'prefix', index, prefix: encode(field, text) };
  return { op: 'text', kind: op, index, text: ignoreCase ? text.toLowerCase() : text, ignoreCase };
}

/** Texts are read like those of a selector; other values must already be of the type. */
function encode({ declaration: { name, keyType } }: Field, scalar: Scalar): Buffer {
  const value = typeof scalar === 'string' ? parseValue(keyType, scalar) : normalizeValue(keyType, scalar);
  if (value !== undefined) return encodeValue(keyType, value);
  throw badRequest(`"${show(scalar)}" is not a value of type ${keyType}, which field "${name}" holds`);
}

function show(scalar: Scalar): string {
  const text = scalar instanceof Date && Number.isNaN(scalar.getTime()) ? 'Invalid Date' : String(scalar);
  return excerpt(text);
}
