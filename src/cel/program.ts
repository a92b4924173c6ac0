import { Compiler } from './compile.js';
import { ExpressionFault } from './text/fault.js';
import { Frame } from './frame.js';
import { parse } from './text/parse.js';
import { CompileScope } from './scope.js';
import type { Expression } from './text/syntax.js';
import { accepts, nameOfType, type Type } from './types.js';
import type { Value } from './values.js';

/** An expression of CEL, ready to be evaluated. */
export interface Program {
  readonly expression: Expression;
  readonly type: Type;
  /**
   * @param values values of the variables, in their order
   * @param allowance is reduced by the steps of the evaluation
   * @throws Failure when the expression has no value; CutOff when it takes more steps than are left
   */
  evaluate(values: readonly Value[], allowance: Allowance): Value;
}

/** The remaining steps. Each takes at most about a tenth of a microsecond. */
export interface Allowance {
  steps: number;
}

/** Fewer than for filters: each level of a chain uses a part of the stack. */
const NODES_MAX = 2_000;

/**
 * Compiles an expression.
 * @param variables the types of the variables, by name
 * @param gives the required type of the result; any when undefined
 * @throws ExpressionFault for wrong syntax, unknown names, and types that do not fit
 */
export function compileExpression(
  text: string,
  variables: Readonly<Record<string, Type>>,
  gives?: Type,
): Program {
  const expression = parse(text, NODES_MAX);
  const compiler = new Compiler();
  const { type, run } = compiler.compile(expression, CompileScope.of(variables));
  if (gives !== undefined && (type.kind === 'null' || !accepts(gives, type)))
    throw new ExpressionFault(`it must be a ${nameOfType(gives)}, not a ${nameOfType(type)}`, 0);
  return {
    expression,
    type,
    evaluate(values, allowance) {
      const frame = new Frame([...values], allowance.steps, compiler.patterns);
      try {
        return run(frame);
      } finally {
        allowance.steps = frame.rest;
      }
    },
  };
}
