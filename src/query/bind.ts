import { badRequest, formatExcerpt } from '../errors.js';
import { lowerCase } from '../lib/lower-case.js';
import { encodeValue, inCaseOf, normalizeValue, parseValue } from '../model/key-type.js';
import { isNamespaced, namespacePrefix } from '../model/full-name.js';
import type { Resource } from '../model/resource.js';
import type { BoundCondition, BoundLimit } from './bound-condition.js';
import type { Condition, Limit, RefCondition, Scalar } from './condition.js';
import { CONDITION_DEPTH_MAX, getField, LABELS, NAME, type QueryField } from './fields.js';
import { conjunction, disjunction, negation, orNone, type IsSingle } from './normal-form.js';

/** Binds a condition on the targets of a reference, which are found before. */
export type BindRef = (condition: RefCondition) => BoundCondition;

const refuseRef: BindRef = ({ field }) => {
  throw badRequest(`only lists can have a condition on the targets of ${formatExcerpt(field)}`);
};

type TextCondition = Extract<Condition, { readonly ignoreCase: boolean }>;

/**
 * Binds a condition to a model: fields become positions in `resource.indexes`, values are parsed by the index's key
 * type and encoded. The result is in normal form and has exactly the same meaning.
 * @throws ServiceError `BadRequest` for a field without an index (the message lists the indexed fields), a value that
 * the key type cannot parse, a text comparison on an index that is not of strings, or a nesting deeper than
 * `CONDITION_DEPTH_MAX`.
 * @param bindRef default: conditions on the targets of references are refused
 */
export function bind(
  condition: Condition,
  resource: Resource,
  bindRef: BindRef = refuseRef,
  depth = 0,
): BoundCondition {
  if (depth > CONDITION_DEPTH_MAX) throw badRequest(`the query nests deeper than ${CONDITION_DEPTH_MAX}`);
  switch (condition.op) {
    case 'all':
      return condition;
    case 'and':
      return conjunction(
        condition.of.map((part) => bind(part, resource, bindRef, depth + 1)),
        isSingleIn(resource),
      );
    case 'or':
      return disjunction(condition.of.map((part) => bind(part, resource, bindRef, depth + 1)));
    case 'not':
      return negation(bind(condition.of, resource, bindRef, depth + 1), isSingleIn(resource));
    case 'in':
      return bindIn(getField(resource, condition.field), condition.values);
    case 'range':
      return bindRange(getField(resource, condition.field), condition.from, condition.to);
    case 'isNull':
      return { op: 'isNull', index: getField(resource, condition.field).index };
    case 'startsWith':
    case 'endsWith':
    case 'contains':
    case 'equals':
      return bindText(getField(resource, condition.field), condition);
    case 'any':
      return bindAny(getField(resource, condition.field), bind(condition.of, resource, bindRef, depth + 1));
    case 'ref':
      return bindRef(condition);
    case 'namespace':
      return bindNamespace(resource, condition.namespace);
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

function bindNamespace(resource: Resource, namespace: string): BoundCondition {
  if (!isNamespaced(resource)) throw badRequest(`${resource.kind} is cluster-scoped: it has no namespaces`);
  return { op: 'prefix', index: NAME, prefix: encodeValue('string', namespacePrefix(namespace)) };
}

export function isSingleIn(resource: Resource): IsSingle {
  return (index) => resource.indexes[index]?.multi !== true;
}

/** Binds a condition on one value: it holds for an object when it holds for some value of the object. */
function bindAny({ index, declaration }: QueryField, of: BoundCondition): BoundCondition {
  if (indexesIn(of).some((other) => other !== index)) {
    throw badRequest(`a condition on one value of ${declaration.name} must not use another field`);
  }
  return anyOf(index, of);
}

function hasValue(index: number): BoundCondition {
  return { op: 'not', of: { op: 'isNull', index } };
}

function indexesIn(bound: BoundCondition): number[] {
  switch (bound.op) {
    case 'all':
    case 'none':
      return [];
    case 'and':
    case 'or':
      return bound.of.flatMap(indexesIn);
    case 'not':
      return indexesIn(bound.of);
    default:
      return [bound.index];
  }
}

/** "Some value meets" distributes over `or`, but not over `and` and `not`. */
function anyOf(index: number, of: BoundCondition): BoundCondition {
  switch (of.op) {
    case 'none':
      return of;
    case 'all':
      return hasValue(index);
    case 'or':
      return disjunction(of.of.map((part) => anyOf(index, part)));
    case 'in':
    case 'range':
    case 'prefix':
    case 'text':
    case 'any':
      return of;
    case 'and': {
      const joined = conjunction(of.of, () => true);
      return joined.op === 'and' ? { op: 'any', index, of: joined } : anyOf(index, joined);
    }
    case 'isNull':
    case 'not':
      return { op: 'any', index, of };
  }
}

function bindIn(field: QueryField, scalars: readonly Scalar[]): BoundCondition {
  const sorted = scalars.map((scalar) => encode(field, scalar)).sort((a, b) => Buffer.compare(a, b));
  const values = sorted.filter((value, at) => at === 0 || sorted[at - 1]?.equals(value) !== true);
  return values.length === 0 ? { op: 'none' } : { op: 'in', index: field.index, values };
}

function bindRange(field: QueryField, from: Limit | undefined, to: Limit | undefined): BoundCondition {
  const { index } = field;
  const low = from && bindLimit(field, from);
  const high = to && bindLimit(field, to);
  if (low === undefined && high === undefined) return hasValue(index);
  return orNone({ op: 'range', index, ...(low && { from: low }), ...(high && { to: high }) });
}

function bindLimit(field: QueryField, limit: Limit): BoundLimit {
  return { value: encode(field, limit.value), inclusive: limit.inclusive };
}

function bindText(field: QueryField, { op, text, ignoreCase, after }: TextCondition): BoundCondition {
  const { index, declaration } = field;
  if (declaration.keyType !== 'string') {
    throw badRequest(
      `${op} needs a string index, but "${declaration.name}" has the type ${declaration.keyType}`,
    );
  }
  if (/\p{Surrogate}/u.test(text)) throw badRequest(`${op}: the text has half of a surrogate pair`);
  const isLower = declaration.ignoreCase === true;
  if ((!ignoreCase || isLower) && after === undefined) {
    if (op === 'startsWith') return { op: 'prefix', index, prefix: encode(field, text) };
    if (op === 'equals') return bindIn(field, [text]);
  }
  const bound = {
    op: 'text',
    kind: op,
    index,
    text: ignoreCase || isLower ? lowerCase(text) : text,
    ignoreCase: ignoreCase && !isLower,
  } as const;
  return after === undefined ? bound : { ...bound, after: encode(field, after) };
}

/** Texts are parsed like the values of a selector; other values must already be of the key type. */
function encode({ declaration }: QueryField, scalar: Scalar): Buffer {
  const { name, keyType } = declaration;
  const given = inCaseOf(declaration, scalar);
  const value = typeof given === 'string' ? parseValue(keyType, given) : normalizeValue(keyType, given);
  if (value !== undefined) return encodeValue(keyType, value);
  throw badRequest(`"${show(scalar)}" is not a value of type ${keyType}, the type of field "${name}"`);
}

function show(scalar: Scalar): string {
  const text = scalar instanceof Date && Number.isNaN(scalar.getTime()) ? 'Invalid Date' : String(scalar);
  return formatExcerpt(text);
}
