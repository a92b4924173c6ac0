import { valueOfData } from '../../../cel/data.js';
import { fail } from '../../../cel/failure.js';
import { compileExpression, type Program } from '../../../cel/program.js';
import { BOOL, DYN, STRING, type FieldType, type Type } from '../../../cel/types.js';
import { MapValue, type Value } from '../../../cel/values.js';
import type { Allowance } from '../../../lib/work/allowance.js';
import type { ReviewedObject } from '../../../service/write/review/reviewers.js';
import {
  compileConditions,
  reasonOf,
  valuesOf,
  WRITE_TYPES,
  type Conditions,
  type WriteVariables,
} from '../conditions.js';
import type { PolicySpec, PolicyValidation } from './policy.js';

/** The values that expressions of a policy can name. */
export interface PolicyVariables extends WriteVariables {
  /** Null without parameters. */
  readonly params: ReviewedObject | null;
  /** Null for objects that are in no namespace. */
  readonly namespaceObject: ReviewedObject | null;
}

/** A broken validation, or one without a value. */
export interface PolicyFailure {
  readonly message: string;
  /** Of the validation; undefined when it has no value. */
  readonly reason?: string | undefined;
}

const MESSAGE_LENGTH_MAX = 5 * 1024;

interface NamedProgram {
  readonly name: string;
  readonly program: Program;
}

interface CompiledValidation extends PolicyValidation {
  readonly program: Program;
  readonly told: Program | undefined;
}

/** The expressions of a policy, compiled. */
export class PolicyProgram {
  readonly #conditions: Conditions;
  readonly #variables: readonly NamedProgram[];
  readonly #validations: readonly CompiledValidation[];

  /** @throws ExpressionFault */
  constructor(private readonly spec: PolicySpec) {
    const { matchConditions = [], validations = [] } = spec;
    this.#conditions = compileConditions(matchConditions, conditionTypes(spec));
    const { programs, types } = compileVariables(spec);
    this.#variables = programs;
    this.#validations = validations.map((validation) => ({
      ...validation,
      program: compileExpression(validation.expression ?? '', types, BOOL),
      told: isGiven(validation.messageExpression)
        ? compileExpression(validation.messageExpression, types, STRING)
        : undefined,
    }));
  }

  /**
   * The validations that a write does not keep.
   * @throws Error when a condition has no value
   */
  evaluate(given: PolicyVariables, allowance: Allowance): readonly PolicyFailure[] {
    const before = valuesOf(given);
    const params = this.spec.paramKind === undefined ? [] : [valueOfData(given.params, DYN)];
    if (!this.#conditions([...before, ...params], allowance)) return [];
    const values = [...before, ...params, valueOfData(given.namespaceObject, DYN)];
    const all = [...values, new ComputedVariables(this.#variables, values, allowance)];
    return this.#validations.flatMap((validation) => evaluateOne(validation, all, allowance));
  }
}

export function conditionTypes({ paramKind }: PolicySpec): Readonly<Record<string, Type>> {
  return { ...WRITE_TYPES, ...(paramKind !== undefined && { params: DYN }) };
}

/**
 * Compiles variables: each can name those before it.
 * @returns with the types that validations can name
 * @throws ExpressionFault
 */
export function compileVariables(
  spec: PolicySpec,
  compile: (text: string, types: Readonly<Record<string, Type>>, at: number) => Program | undefined = (
    text,
    known,
  ) => compileExpression(text, known),
): { readonly programs: readonly NamedProgram[]; readonly types: Readonly<Record<string, Type>> } {
  const fields = new Map<string, FieldType>();
  const types = {
    ...conditionTypes(spec),
    namespaceObject: DYN,
    variables: { kind: 'object', fields, others: undefined },
  } as const;
  const programs: NamedProgram[] = [];
  for (const [i, { name = '', expression = '' }] of (spec.variables ?? []).entries()) {
    const program = compile(expression, types, i);
    fields.set(name, { name, type: () => program?.type ?? DYN });
    if (program !== undefined) programs.push({ name, program });
  }
  return { programs, types };
}

/** Variables that are computed when an expression reads them. */
class ComputedVariables extends MapValue {
  readonly #known = new Map<string, Value>();

  constructor(
    private readonly programs: readonly NamedProgram[],
    private readonly values: readonly Value[],
    private readonly allowance: Allowance,
  ) {
    super();
  }

  keys(): readonly Value[] {
    return this.programs.map(({ name }) => name);
  }

  get(key: Value): Value | undefined {
    const found = this.programs.find(({ name }) => name === key);
    if (found === undefined) return undefined;
    const known = this.#known.get(found.name);
    if (known !== undefined) return known;
    const value = found.program.evaluate([...this.values, this], {
      allowance: this.allowance,
      kind: 'policies',
    });
    this.#known.set(found.name, value);
    return value;
  }

  override has(key: Value): boolean {
    return this.programs.some(({ name }) => name === key);
  }
}

function evaluateOne(
  validation: CompiledValidation,
  values: readonly Value[],
  allowance: Allowance,
): readonly PolicyFailure[] {
  const { program, expression = '', reason = 'Invalid' } = validation;
  try {
    const holds = program.evaluate(values, { allowance, kind: 'policies' });
    if (typeof holds !== 'boolean') fail('it is not true or false');
    return holds ? [] : [{ message: messageOf(validation, values, allowance), reason }];
  } catch (error) {
    return [{ message: `expression '${expression}' resulted in error: ${reasonOf(error)}` }];
  }
}

function messageOf(
  { told, message = '', expression = '' }: CompiledValidation,
  values: readonly Value[],
  allowance: Allowance,
): string {
  const computed = told === undefined ? '' : textOf(told, values, allowance);
  if (computed !== '') return computed;
  return message.trim() === '' ? `failed expression: ${expression.trim()}` : message.trim();
}

/** Empty when it cannot be used as a message. */
function textOf(told: Program, values: readonly Value[], allowance: Allowance): string {
  try {
    const text = told.evaluate(values, { allowance, kind: 'policies' });
    const isUsable = typeof text === 'string' && text.length <= MESSAGE_LENGTH_MAX && !/[\r\n]/.test(text);
    return isUsable ? text.trim() : '';
  } catch (error) {
    reasonOf(error);
    return '';
  }
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
