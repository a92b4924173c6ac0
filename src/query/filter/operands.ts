import { formatExcerpt, getMessage, type ServiceError } from '../../errors.js';
import type { Expression, ExpressionOf, Literal } from '../../cel/text/syntax.js';
import { readDuration, readTime } from '../../cel/time.js';
import { keyFaults } from '../../model/names-and-labels.js';
import type { IndexDeclaration, Resource } from '../../model/resource.js';
import { getField, LABELS } from '../fields.js';
import { faultIn } from './fault.js';
import type { FindTarget } from './references.js';
import type { FilterValue } from './values.js';

/** One side of a comparison. */
export type Operand =
  | { readonly kind: 'value'; readonly value: FilterValue; readonly at: number }
  | { readonly kind: 'label'; readonly key: string; readonly isLower: boolean; readonly at: number }
  | {
      readonly kind: 'field';
      readonly index: IndexDeclaration;
      /** True for the variable of `exists`, which is one value of the field. */
      readonly isOneValue: boolean;
      /** True inside of `lower`, unless the index contains lower case only. */
      readonly isLower: boolean;
      /** Added to the field before the comparison, in nanoseconds. */
      readonly shift: bigint;
      readonly at: number;
    };

export type FieldOperand = Operand & { readonly kind: 'field' };

/** The name of one value of a field inside `exists`. */
export interface Variable {
  readonly name: string;
  readonly index: IndexDeclaration;
}

/** A filter and the model that it is read for. */
export interface FilterSource {
  readonly text: string;
  readonly resource: Resource;
  /** The value of `now`, in milliseconds since 1970; undefined where the matches must not depend on the time. */
  readonly nowMs: number | undefined;
  /** Values that names stand for, before the fields of the model. Default: none. */
  readonly values?: ReadonlyMap<string, string | readonly string[]>;
  /** Absent: `ref` is refused. */
  readonly target?: FindTarget | undefined;
}

/** Resolves the names and values of a filter. */
export class Operands {
  constructor(private readonly source: FilterSource) {}

  fault(at: number, reason: string): ServiceError {
    return faultIn(this.source.text, at, reason);
  }

  /**
   * @throws ServiceError `BadRequest` with the position, when the expression is neither a field, a label nor a value
   */
  read(expression: Expression, variable?: Variable): Operand {
    const { at } = expression;
    switch (expression.kind) {
      case 'literal':
        return { kind: 'value', value: this.#literal(expression.value, at), at };
      case 'arithmetic':
        return this.#sum(expression, variable);
      case 'negative':
        throw this.fault(at, '"-" is allowed only before numbers');
      case 'call':
        return expression.on === undefined && expression.name === 'lower'
          ? this.#lower(expression, variable)
          : { kind: 'value', value: this.#called(expression), at };
      case 'item':
        return { kind: 'label', key: this.#labelKey(expression), isLower: false, at };
      case 'name':
      case 'member':
        return this.#named(expression, variable);
      default:
        throw this.fault(at, 'expected a field or a value');
    }
  }

  /** Resolves an expression to a field; `metadata.labels` is one too. */
  field(expression: Expression, variable?: Variable): FieldOperand {
    const operand =
      expression.kind === 'name' || expression.kind === 'member'
        ? this.#named(expression, variable)
        : undefined;
    if (operand?.kind === 'field') return operand;
    throw this.fault(expression.at, 'expected a field');
  }

  text(expression: Expression, what: string): string {
    const operand = this.read(expression);
    if (operand.kind === 'value' && operand.value.type === 'string') {
      if (operand.value.value.isWellFormed()) return operand.value.value;
      throw this.fault(expression.at, 'the string has half of a surrogate pair');
    }
    throw this.fault(expression.at, `${what} must be a string`);
  }

  /**
   * Evaluates an expression that must be a label key.
   * @throws ServiceError `BadRequest` when it is not a valid label key
   */
  key(expression: Expression): string {
    const key = this.text(expression, 'a label key');
    const [problem] = keyFaults(key);
    if (problem === undefined) return key;
    throw this.fault(expression.at, `"${formatExcerpt(key)}" is not a label key (${problem.message})`);
  }

  #literal(value: Literal, at: number): FilterValue {
    switch (typeof value) {
      case 'string':
        return { type: 'string', value };
      case 'boolean':
        return { type: 'boolean', value };
      case 'bigint':
        return { type: 'integer', value };
      case 'number':
        return { type: 'number', value };
    }
    if (value === null) throw this.fault(at, 'null is not allowed here; write has(field) or !has(field)');
    const what = value instanceof Uint8Array ? 'bytes are' : 'a number with "u" is';
    throw this.fault(at, `${what} not allowed here`);
  }

  #labelKey({ of, key, isOptional, at }: ExpressionOf<'item'>): string {
    if (!isOptional && findPath(of)?.join('.') === LABELS) return this.key(key);
    throw this.fault(at, `only labels have keys, as in ${LABELS}["app"]`);
  }

  /** The list that a name stands for; undefined for any other expression. */
  findList(expression: Expression): readonly string[] | undefined {
    const value = expression.kind === 'name' ? this.source.values?.get(expression.name) : undefined;
    return typeof value === 'string' ? undefined : value;
  }

  #named(expression: ExpressionOf<'name' | 'member'>, variable: Variable | undefined): Operand {
    const { at } = expression;
    const path = findPath(expression);
    const [first] = path ?? [];
    if (path === undefined || first === undefined) throw this.fault(at, 'expected a field');
    const value = path.length === 1 ? this.source.values?.get(first) : undefined;
    if (typeof value === 'string') return { kind: 'value', value: { type: 'string', value }, at };
    if (value !== undefined) throw this.fault(at, `${first} is a list; write field in ${first}`);
    if (variable !== undefined) {
      if (path.length === 1 && first === variable.name)
        return { ...this.#fieldOf(variable.index, at), isOneValue: true };
      if (!(path.length === 1 && first === 'now'))
        throw this.fault(at, `inside of exists only ${variable.name} can be compared, with values`);
    }
    if (path.length === 1 && first === 'now') return this.#now(at);
    return this.#fieldOf(this.#index(path.join('.'), at), at);
  }

  #now(at: number): Operand {
    const { nowMs } = this.source;
    if (nowMs === undefined)
      throw this.fault(at, 'now is not possible here: the objects must not change with the time');
    return { kind: 'value', value: { type: 'time', value: BigInt(nowMs) * 1_000_000n }, at };
  }

  #fieldOf(index: IndexDeclaration, at: number): FieldOperand {
    return { kind: 'field', index, isOneValue: false, isLower: false, shift: 0n, at };
  }

  #lower({ args, at }: ExpressionOf<'call'>, variable: Variable | undefined): Operand {
    const [argument, ...more] = args;
    const operand = argument !== undefined && more.length === 0 ? this.read(argument, variable) : undefined;
    if (operand?.kind === 'label') return { ...operand, isLower: true, at };
    if (operand?.kind !== 'field')
      throw this.fault(at, 'lower takes one field or label, as in lower(f) == "a"');
    const { name, keyType, ignoreCase } = operand.index;
    if (keyType === 'string') return { ...operand, isLower: ignoreCase !== true, at };
    throw this.fault(at, `lower needs a string field, ${formatExcerpt(name)} is of type ${keyType}`);
  }

  #index(name: string, at: number): IndexDeclaration {
    try {
      return getField(this.source.resource, name).declaration;
    } catch (error) {
      const hint = name.startsWith(`${LABELS}.`)
        ? `write ${LABELS}[${JSON.stringify(formatExcerpt(name.slice(LABELS.length + 1)))}]`
        : getMessage(error);
      throw this.fault(at, hint);
    }
  }

  #called({ on, name, args, at }: ExpressionOf<'call'>): FilterValue {
    const [argument, ...more] = args;
    if (on === undefined && (name === 'timestamp' || name === 'duration')) {
      if (argument === undefined || more.length > 0) throw this.fault(at, `${name} takes one string`);
      const text = this.text(argument, `the argument of ${name}`);
      const value = name === 'timestamp' ? readTime(text) : readDuration(text);
      if (value !== undefined) return { type: name === 'timestamp' ? 'time' : 'duration', value };
      const example = name === 'timestamp' ? '2026-01-31T08:00:00Z' : '90s, 1h30m';
      throw this.fault(argument.at, `"${formatExcerpt(text)}" is not a ${name} (write it like ${example})`);
    }
    const reason =
      on === undefined && name === 'now'
        ? 'now is not a function; write now'
        : `"${formatExcerpt(name)}" is not a value`;
    throw this.fault(at, reason);
  }

  #sum({ operator, left, right, at }: ExpressionOf<'arithmetic'>, variable: Variable | undefined): Operand {
    if (operator !== '+' && operator !== '-')
      throw this.fault(at, `filters do not support the operator "${operator}"`);
    const one = this.read(left, variable);
    const other = this.read(right, variable);
    if (isDuration(other))
      return this.#shifted(one, operator === '+' ? other.value.value : -other.value.value, at);
    if (operator === '+' && isDuration(one)) return this.#shifted(other, one.value.value, at);
    throw this.fault(at, `"${operator}" needs a time and a duration, as in now - duration("1h")`);
  }

  #shifted(operand: Operand, nanos: bigint, at: number): Operand {
    if (operand.kind === 'value' && operand.value.type === 'time')
      return { ...operand, value: { type: 'time', value: operand.value.value + nanos } };
    if (operand.kind === 'field' && operand.index.keyType === 'instant')
      return { ...operand, shift: operand.shift + nanos };
    throw this.fault(at, 'a duration can be added only to a time');
  }
}

/** The words of `a.b.c`; undefined for any other expression. */
export function findPath(expression: Expression): readonly string[] | undefined {
  const words: string[] = [];
  let of = expression;
  for (; of.kind === 'member' && !of.isOptional; of = of.of) words.unshift(of.name);
  return of.kind === 'name' ? [of.name, ...words] : undefined;
}

function isDuration(
  operand: Operand,
): operand is Operand & { readonly kind: 'value'; readonly value: { readonly type: 'duration' } } {
  return operand.kind === 'value' && operand.value.type === 'duration';
}
