import { getMessage } from '../../errors.js';
import { valueOfData } from '../../cel/data.js';
import { CutOff, Failure } from '../../cel/failure.js';
import { compileExpression, type Program } from '../../cel/program.js';
import { BOOL, DYN, type Type } from '../../cel/types.js';
import type { Value } from '../../cel/values.js';
import { withoutAllowance, type Allowance } from '../../lib/work/allowance.js';
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

/** The names and types of {@link WriteVariables}. */
export const WRITE_TYPES = { object: DYN, oldObject: DYN, request: DYN };

/** The values of {@link WRITE_TYPES}, in their order. */
export function valuesOf({ object, oldObject, request }: WriteVariables): readonly Value[] {
  return [object, oldObject, request].map((one) => valueOfData(one, DYN));
}

/** @throws ExpressionFault */
export function compileCondition(
  expression: string,
  types: Readonly<Record<string, Type>> = WRITE_TYPES,
): Program {
  return compileExpression(expression, types, BOOL);
}

/**
 * True when all conditions hold.
 * @param values of the types, in their order
 * @throws Error when one has no value and none is false
 */
export type Conditions = (values: readonly Value[], allowance: Allowance) => boolean;

/** Stored conditions compile, unless an earlier program has stored them. */
export function compileConditions(
  conditions: readonly MatchCondition[],
  types: Readonly<Record<string, Type>> = WRITE_TYPES,
): Conditions {
  if (conditions.length === 0) return () => true;
  const compile = () => conditions.map(({ expression = '' }) => compileCondition(expression, types));
  let programs: readonly Program[] | undefined;
  return (values, allowance) => {
    programs ??= withoutAllowance(compile);
    const faults: string[] = [];
    for (const [i, program] of programs.entries()) {
      try {
        if (program.evaluate(values, { allowance, kind: 'match conditions' }) !== true) return false;
      } catch (error) {
        faults.push(`matchConditions[${i}] "${conditions[i]?.name ?? ''}": ${reasonOf(error)}`);
      }
    }
    if (faults.length > 0) throw new Error(faults.join('; '));
    return true;
  };
}

/** The reason why an expression has no value. @throws any other error */
export function reasonOf(error: unknown): string {
  if (error instanceof CutOff)
    return 'it takes too many steps; use a simpler expression, or bound the lists and texts that it reads';
  if (error instanceof Failure) return getMessage(error);
  throw error;
}
