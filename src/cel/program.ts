import { Compiler } from './compile.js';
import { ExpressionFault } from './text/fault.js';
import { Frame } from './frame.js';
import { parse } from './text/parse.js';
import { CompileScope } from './scope.js';
import type { Expression } from './text/syntax.js';
import { CutOff } from './failure.js';
import { accepts, nameOfType, type Type } from './types.js';
import { spend, type Allowance, type WorkKind } from '../lib/work/allowance.js';
import type { Value } from './values.js';

/** An expression of CEL, ready to be evaluated. */
export interface Program {
  readonly expression: Expression;
  readonly type: Type;
  /**
   * An evaluation that another one causes also takes its steps from that one.
   * @param values values of the variables, in their order
   * @throws Failure when the expression has no value; CutOff when it takes more than `stepsMax`, TooExpensive when it takes
   * more than the allowance has
   */
  evaluate(values: readonly Value[], limits: EvaluationLimits): Value;
}

export interface EvaluationLimits {
  readonly allowance: Allowance;
  /** The kind of work that the steps are counted as. */
  readonly kind: WorkKind;
  /** Default: those of the allowance. */
  readonly stepsMax?: number;
}

/** Steps of a call, beside those of its expression. */
const CALL_STEPS = 10;
/** Steps to compile a character. */
const COMPILE_STEPS = 8;

/** Fewer than for filters: each level of a chain uses a part of the stack. */
const NODES_MAX = 2_000;

/**
 * Compiles an expression, and spends the steps that this takes.
 * @param variables the types of the variables, by name
 * @param gives the required type of the result; any when undefined
 * @throws ExpressionFault for wrong syntax, unknown names, and types that do not fit; TooExpensive
 */
export function compileExpression(
  text: string,
  variables: Readonly<Record<string, Type>>,
  gives?: Type,
): Program {
  spend(text.length * COMPILE_STEPS, 'expressions');
  const expression = parse(text, NODES_MAX);
  const compiler = new Compiler();
  const { type, run } = compiler.compile(expression, CompileScope.of(variables));
  if (gives !== undefined && (type.kind === 'null' || !accepts(gives, type)))
    throw new ExpressionFault(`it must be a ${nameOfType(gives)}, not a ${nameOfType(type)}`, 0);
  return {
    expression,
    type,
    evaluate(values, limits) {
      return evaluate(new Frame([...values], stepsFor(limits), compiler.patterns), run, limits);
    },
  };
}

/** The evaluation that runs. Those that it causes, by reading a computed variable, take their steps from it. */
let running: Frame | undefined;

function stepsFor({ allowance, stepsMax = Infinity }: EvaluationLimits): number {
  return Math.min(stepsMax, running?.rest ?? allowance.steps);
}

function evaluate(frame: Frame, run: (frame: Frame) => Value, limits: EvaluationLimits): Value {
  const { allowance, kind } = limits;
  const steps = frame.rest;
  const outer = running;
  running = frame;
  try {
    frame.spend(CALL_STEPS);
    return run(frame);
  } catch (error) {
    // The last step of the allowance: nothing can be evaluated after it.
    if (error instanceof CutOff && outer === undefined && steps === allowance.steps)
      allowance.spend(steps + 1, kind);
    throw error;
  } finally {
    running = outer;
    const spent = steps - frame.rest;
    if (outer === undefined) allowance.spend(Math.min(spent, allowance.steps), kind);
    else outer.spend(spent);
  }
}
