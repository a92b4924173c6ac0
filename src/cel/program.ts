import { Compiler } from './compile.js';
import { ExpressionFault } from './text/fault.js';
import { Frame } from './frame.js';
import { parse } from './text/parse.js';
import { Scope } from './scope.js';
import type { Expression } from './text/syntax.js';
import { accepts, nameOfType, type Type } from './types.js';
import type { Value } from './values.js';

/** An expression of CEL, ready to be evaluated. */
export interface Program {
  readonly expression: Expression;
  readonly type: Type;
  /**
   * @param values of the variables, in their order
   * @param allowance the steps that the evaluation takes are taken from it
   * @throws Failure when it has no value; CutOff when it takes more steps than are left
   */
  evaluate(values: readonly Value[], allowance: Allowance): Value;
}

/** Steps that may still be taken. Each is at most about a tenth of a microsecond. */
export interface Allowance {
  steps: number;
}

/** Fewer than filters may have: each level of a chain takes a part of the stack. */
const NODES_MAX = 2_000;

/**
 * Compiles an expression.
 * @param variables their types by name
 * @param gives what it must be; anything when it is undefined
 * @throws ExpressionFault for wrong syntax, unknown names, and types that do not fit
 */
export function compileExpression(
  text: string,
  variables: Readonly<Record<string, Type>>,
  gives?: Type,
): Program {
  const expression = parse(text, NODES_MAX);
  const compiler = new Compiler();
  const { type, run } = compiler.compile(expression, Scope.of(variables));
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
