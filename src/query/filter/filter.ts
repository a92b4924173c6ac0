import { formatExcerpt, getMessage, type ServiceError } from '../../errors.js';
import type { Expression, ExpressionOf } from '../../cel/text/syntax.js';
import { ALL, type Condition } from '../condition.js';
import { not } from '../condition-builders.js';
import { LABELS } from '../fields.js';
import { parsed } from './fault.js';
import { compareField, compareLabel, FLIPPED, isTextFunction, NONE, textOfLabel } from './leaves.js';
import type { LeafOrder, TextFunction, TextLeaf } from './leaves.js';
import { Operands, findPath } from './operands.js';
import type { FieldOperand, FilterSource, Operand, Variable } from './operands.js';
import { isRef, splitRef, type Referring, type TargetModel } from './references.js';
import { findPosition, mismatch, type FilterValue } from './values.js';

/** Most conditions of a filter that read all values of an index. */
const SCANS_MAX = 50;
/** Most references that one condition follows. */
const REFERENCES_MAX = 2;

/**
 * Reads a filter, a CEL expression over a model's index fields and labels. An empty text matches every object. The
 * values of the condition are checked against the key types of the indexes.
 * @throws ServiceError `BadRequest` with the position, for an invalid expression, a field without an index, a value
 * of another type, and every part of CEL that the indexes cannot answer
 */
export function parseFilter(source: FilterSource): Condition {
  return source.text.trim() === '' ? ALL : new FilterReader(source).condition(parsed(source.text));
}

type ValueOperand = Operand & { readonly kind: 'value' };
/** The side of a comparison that is not a value. */
type Subject = Exclude<Operand, ValueOperand>;

class FilterReader {
  readonly #operands: Operands;

  /**
   * @param scans the conditions so far that read all values of an index
   * @param references the number of references that lead to the model
   */
  constructor(
    private readonly source: FilterSource,
    private readonly scans = { count: 0 },
    private readonly references = 0,
  ) {
    this.#operands = new Operands(source);
  }

  /** @param variable the name of one value, inside `exists` */
  condition(expression: Expression, variable?: Variable): Condition {
    const referring = variable === undefined ? splitLeaf(expression) : undefined;
    if (referring !== undefined) return this.#referring(expression, referring);
    switch (expression.kind) {
      case 'and':
      case 'or':
        return { op: expression.kind, of: expression.of.map((part) => this.condition(part, variable)) };
      case 'not':
        return not(this.condition(expression.of, variable));
      case 'literal':
        if (typeof expression.value !== 'boolean') break;
        return expression.value ? ALL : NONE;
      case 'name':
      case 'member':
        return this.#isTrue(expression, variable);
      case 'comparison':
        return expression.operator === 'in'
          ? this.#membership(expression, variable)
          : this.#comparison(expression, variable);
      case 'call':
        return this.#call(expression, variable);
      case 'conditional':
      case 'arithmetic': {
        const sign = expression.kind === 'conditional' ? '?' : expression.operator;
        throw this.#fault(expression.at, `filters do not support "${sign}" between conditions`);
      }
    }
    throw this.#fault(expression.at, 'expected a condition, such as spec.age > 30, found a value');
  }

  /** An object differs from a value when none of its targets has it. */
  #referring(expression: Expression, { call, rest }: Referring): Condition {
    if (expression.kind === 'comparison' && expression.operator !== 'in') this.#checkOneRef(expression);
    if (expression.kind === 'comparison' && expression.operator === '!=')
      return not(this.condition({ ...expression, operator: '==' }));
    const [argument, ...more] = call.args;
    const field = argument && more.length === 0 ? findPath(argument)?.join('.') : undefined;
    if (field === undefined)
      throw this.#fault(call.at, 'ref takes one reference, as in ref(spec.service).spec.tier');
    if (this.references === REFERENCES_MAX)
      throw this.#fault(call.at, `a condition may follow at most ${REFERENCES_MAX} references`);
    const source = { ...this.source, ...this.#target(field, call.at) };
    const target = new FilterReader(source, this.scans, this.references + 1);
    return { op: 'ref', field, of: target.condition(rest) };
  }

  #checkOneRef({ operator, left, right, at }: ExpressionOf<'comparison'>): void {
    if (splitRef(left) === undefined || splitRef(right) === undefined) return;
    throw this.#fault(at, `${operator} compares a field with a value, not two fields`);
  }

  #target(field: string, at: number): TargetModel {
    if (this.source.target === undefined) throw this.#fault(at, 'only lists can have conditions with ref');
    try {
      return this.source.target(field);
    } catch (error) {
      throw this.#fault(at, getMessage(error));
    }
  }

  #isTrue(expression: Expression, variable: Variable | undefined): Condition {
    const field = this.#operands.field(expression, variable);
    if (field.index.keyType === 'boolean') {
      this.#checkSingle(field);
      return { op: 'in', field: field.index.name, values: [true] };
    }
    const name = formatExcerpt(field.index.name);
    throw this.#fault(field.at, `${name} is not a boolean; compare it, or write has(${name})`);
  }

  #comparison(
    { operator, left, right, at }: ExpressionOf<'comparison'>,
    variable: Variable | undefined,
  ): Condition {
    if (left.kind === 'comparison' || right.kind === 'comparison')
      throw this.#fault(at, 'comparisons cannot be chained; join them with &&');
    const one = this.#operands.read(left, variable);
    const other = this.#operands.read(right, variable);
    const order: LeafOrder = operator === '!=' || operator === 'in' ? '==' : operator;
    let found: Condition;
    if (other.kind === 'value' && one.kind !== 'value') found = this.#compare(one, order, other);
    else if (one.kind === 'value' && other.kind !== 'value')
      found = this.#compare(other, FLIPPED[order], one);
    else {
      const reason = one.kind === 'value' ? 'two values' : 'two fields';
      throw this.#fault(at, `${operator} compares a field with a value, not ${reason}`);
    }
    return operator === '!=' ? not(found) : found;
  }

  #compare(subject: Subject, order: LeafOrder, value: ValueOperand): Condition {
    if (subject.kind === 'field') this.#checkSingle(subject);
    if (subject.isLower) return this.#compareLower(subject, order, value);
    if (subject.kind === 'field') return this.#compareValues(subject, order, value);
    return compareLabel(subject.key, order, this.#labelValue(subject.key, value));
  }

  #compareLower(subject: Subject, order: LeafOrder, value: ValueOperand): Condition {
    if (order !== '==')
      throw this.#fault(
        value.at,
        'lower(f) is compared only with ==, != and in; an index with ignoreCase also has an order',
      );
    const name = subject.kind === 'label' ? `${LABELS}["${subject.key}"]` : subject.index.name;
    return this.#textLeaf(
      subject,
      { op: 'equals', text: this.#textValue(name, value), ignoreCase: true },
      value.at,
    );
  }

  /** A field with several values meets the comparison when one of its values does. */
  #compareValues({ index, shift }: FieldOperand, order: LeafOrder, { value, at }: ValueOperand): Condition {
    const compared: FilterValue =
      value.type === 'time' ? { type: 'time', value: value.value - shift } : value;
    const position = findPosition(index.keyType, compared);
    if (position !== undefined) return compareField(index.name, order, position);
    throw this.#fault(at, mismatch(formatExcerpt(index.name), index.keyType, value));
  }

  #membership({ left, right, at }: ExpressionOf<'comparison'>, variable: Variable | undefined): Condition {
    const list = this.#operands.findList(right);
    if (list !== undefined) return this.#amongNamed(left, list, right.at);
    if (right.kind === 'list') return this.#among(this.#operands.read(left, variable), right, at);
    if (findPath(right)?.join('.') === LABELS) return { op: 'labelExists', key: this.#operands.key(left) };
    const field = this.#operands.field(right, variable);
    if (!field.index.multi || field.isOneValue) {
      const name = formatExcerpt(field.index.name);
      throw this.#fault(right.at, `${name} has one value; write ${name} == ... instead of in`);
    }
    const value = this.#operands.read(left, variable);
    if (value.kind !== 'value') throw this.#fault(left.at, 'expected a value before in');
    return this.#compareValues(field, '==', value);
  }

  /** A list that a name stands for. */
  #amongNamed(left: Expression, list: readonly string[], at: number): Condition {
    const subject = this.#operands.read(left);
    if (subject.kind !== 'value') {
      const items = list.map((value) => ({ kind: 'literal', value, at }) as const);
      return this.#among(subject, { items }, at);
    }
    if (subject.value.type !== 'string') throw this.#fault(subject.at, 'the list has strings only');
    return list.includes(subject.value.value) ? ALL : NONE;
  }

  #among(subject: Operand, { items }: Pick<ExpressionOf<'list'>, 'items'>, at: number): Condition {
    if (subject.kind === 'value') throw this.#fault(at, 'in needs a field before a list, not a value');
    if (subject.kind === 'field') this.#checkSingle(subject);
    const values = items.map((item): ValueOperand => {
      const value = this.#operands.read(item);
      if (value.kind === 'value') return value;
      throw this.#fault(item.at, 'expected a value in the list');
    });
    if (subject.isLower)
      return { op: 'or', of: values.map((value) => this.#compareLower(subject, '==', value)) };
    if (subject.kind === 'label') {
      const { key } = subject;
      return { op: 'labelIn', key, values: values.map((value) => this.#labelValue(key, value)) };
    }
    const found = values.map((value) => this.#compareValues(subject, '==', value));
    const wanted = found.flatMap((condition) => (condition.op === 'in' ? condition.values : []));
    return { op: 'in', field: subject.index.name, values: wanted };
  }

  #call(call: ExpressionOf<'call'>, variable: Variable | undefined): Condition {
    const { on, name, args, at } = call;
    const [argument, ...more] = args;
    if (isRef(call))
      throw this.#fault(at, 'ref needs a field of the targets, as in ref(spec.service).spec.tier');
    if (on === undefined && name === 'has' && argument !== undefined && more.length === 0) {
      return this.#has(argument, variable);
    }
    if (on !== undefined && isTextFunction(name) && argument !== undefined && more.length === 0) {
      return this.#textCondition(
        this.#operands.read(on, variable),
        name,
        this.#operands.text(argument, `the argument of ${name}`),
        at,
      );
    }
    if (on !== undefined && name === 'exists' && variable === undefined) return this.#exists(on, call);
    throw this.#fault(
      at,
      `unknown call of "${formatExcerpt(name)}"; known are has(f), f.startsWith(s), f.endsWith(s), ` +
        'f.contains(s), f.exists(x, ...) and lower(f) == s',
    );
  }

  #has(argument: Expression, variable: Variable | undefined): Condition {
    if (argument.kind === 'item')
      throw this.#fault(argument.at, `has takes a field; write "key" in ${LABELS} for a label`);
    const { index, isOneValue, at } = this.#operands.field(argument, variable);
    if (isOneValue) throw this.#fault(at, `has takes a field; inside of exists the value is always present`);
    return not({ op: 'isNull', field: index.name });
  }

  #textCondition(subject: Operand, name: TextFunction, text: string, at: number): Condition {
    if (subject.kind === 'value') throw this.#fault(subject.at, `${name} needs a field, not a value`);
    const leaf: TextLeaf = { op: name, text, ignoreCase: subject.isLower };
    if (subject.kind === 'label') return this.#textLeaf(subject, leaf, at);
    this.#checkSingle(subject);
    const { index } = subject;
    if (index.keyType === 'string') return this.#textLeaf(subject, leaf, at);
    throw this.#fault(
      at,
      `${name} needs a string field, ${formatExcerpt(index.name)} is of type ${index.keyType}`,
    );
  }

  #textLeaf(subject: Subject, leaf: TextLeaf, at: number): Condition {
    if (leaf.op !== 'startsWith' || leaf.ignoreCase) this.#noteScan(at);
    return subject.kind === 'label' ? textOfLabel(subject.key, leaf) : { ...leaf, field: subject.index.name };
  }

  #exists(on: Expression, { args, at }: ExpressionOf<'call'>): Condition {
    const [variable, body, ...more] = args;
    if (variable?.kind !== 'name' || body === undefined || more.length > 0)
      throw this.#fault(at, 'exists takes a name and a condition, as in f.exists(x, x > 3)');
    const { index } = this.#operands.field(on);
    if (!index.multi || index.name === LABELS) {
      throw this.#fault(
        on.at,
        `exists needs a field with several values, which ${formatExcerpt(index.name)} is not`,
      );
    }
    this.#noteScan(at);
    return { op: 'any', field: index.name, of: this.condition(body, { name: variable.name, index }) };
  }

  #checkSingle({ index, isOneValue, at }: FieldOperand): void {
    if (!index.multi || isOneValue) return;
    const name = formatExcerpt(index.name);
    const hint =
      index.name === LABELS
        ? `${LABELS} has a value for each key; write ${LABELS}["key"]`
        : `${name} has several values; write value in ${name}, or ${name}.exists(x, ...)`;
    throw this.#fault(at, hint);
  }

  #labelValue(key: string, value: ValueOperand): string {
    return this.#textValue(`${LABELS}["${key}"]`, value);
  }

  #textValue(name: string, { value, at }: ValueOperand): string {
    if (value.type === 'string' && value.value.isWellFormed()) return value.value;
    throw this.#fault(at, mismatch(formatExcerpt(name), 'string', value));
  }

  #noteScan(at: number): void {
    if (++this.scans.count <= SCANS_MAX) return;
    throw this.#fault(at, `a filter may have at most ${SCANS_MAX} endsWith, contains, exists and lower`);
  }

  #fault(at: number, reason: string): ServiceError {
    return this.#operands.fault(at, reason);
  }
}

/** Only a condition on one field is split: each `ref` in it is about the targets that meet it. */
function splitLeaf(expression: Expression): Referring | undefined {
  const isLeaf =
    expression.kind === 'comparison' || expression.kind === 'call' || expression.kind === 'member';
  return isLeaf ? splitRef(expression) : undefined;
}
