import { getMessage } from '../../errors.js';
import { valueOfData } from '../../cel/data.js';
import { CutOff, Failure } from '../../cel/failure.js';
import { compileExpression, type Allowance, type Program } from '../../cel/program.js';
import { BOOL, DYN } from '../../cel/types.js';
import type { ReviewedObject } from '../../service/write/review/reviewers.js';

/** A condition for asking about a write. */
export interface MatchCondition {
  readonly name?: string;
  readonly expression?: string;
}

/** The values that expressions about a write can name. */
export interface WriteVariables {
  readonly object: ReviewedObject | null;
  readonly oldObject: ReviewedObject | null;
  readonly request: ReviewedObject;
}

/** Steps of all conditions for one write: some 100 ms. */
const STEPS_MAX = 1_000_000;

const VARIABLES = { object: DYN, oldObject: DYN, request: DYN };

/** @throws ExpressionFault */
export function compileCondition(expression: string): Program {
  return compileExpression(expression, VARIABLES, BOOL);
}

/**
 * True when all conditions hold.
 * @throws Error when one has no value and none is false
 */
export type Conditions = (variables: WriteVariables) => boolean;

/** Stored conditions compile, unless an earlier program has stored them. */
export function compileConditions(conditions: readonly MatchCondition[]): Conditions {
  if (conditions.length === 0) return () => true;
  let programs: readonly Program[] | undefined;
  return ({ object, oldObject, request }) => {
    programs ??= conditions.map(({ expression = '' }) => compileCondition(expression));
    const values = [object, oldObject, request].map((one) => valueOfData(one, DYN));
    const allowance: Allowance = { steps: STEPS_MAX };
    const faults: string[] = [];
    for (const [i, program] of programs.entries()) {
      try {
        if (program.evaluate(values, allowance) !== true) return false;
      } catch (error) {
        if (!(error instanceof Failure || error instanceof CutOff)) throw error;
        faults.push(`matchConditions[${i}] "${conditions[i]?.name ?? ''}": ${getMessage(error)}`);
      }
    }
    if (faults.length > 0) throw new Error(faults.join('; '));
    return true;
  };
}
