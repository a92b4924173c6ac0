import { formatExcerpt, getMessage } from '../../errors.js';
import { CutOff, Failure } from '../../cel/failure.js';
import { characterAt, ExpressionFault } from '../../cel/text/fault.js';
import { compileExpression, type EvaluationLimits, type Program } from '../../cel/program.js';
import * as types from '../../cel/types.js';
import type { Type } from '../../cel/types.js';
import type { Value } from '../../cel/values.js';
import type { Path } from '../../lib/json/json-difference.js';
import { TooExpensive, type Allowance } from '../../lib/work/allowance.js';
import { getSteps, type RuleDeclaration } from './declaration.js';
import { names, getReads } from './reads.js';
import type { RuleShape } from './shapes.js';

/** Limit for the steps of one evaluation of a rule: 10 ms, or 50 ms for the first evaluation. */
export const RULE_STEPS_MAX = 200_000;

/** A compiled rule of a place of the schema. */
export interface Rule {
  readonly declaration: RuleDeclaration;
  readonly program: Program;
  readonly message: Program | undefined;
  /** The path from the place of the rule to the field in error. */
  readonly fieldPath: Path;
  /** The parts of `self` that determine the result, as paths from the place of the rule. */
  readonly reads: readonly Path[];
  readonly readsOld: boolean;
}

/**
 * The result of a rule for a value: undefined, or the reason of the violation. `isUnjudged` when it could not be
 * evaluated.
 */
export type RuleVerdict = undefined | { readonly message: string; readonly isUnjudged: boolean };

/** The context for compiling rules of a place. */
export interface RulePlace {
  readonly shape: RuleShape;
  readonly self: Type;
  /** True when the earlier value of this place can be found. */
  readonly hasOld: boolean;
}

/** @throws Error with the rule, the error and its place; TooExpensive */
export function compileRule(declaration: RuleDeclaration, place: RulePlace): Rule {
  const { rule, messageExpression: text, fieldPath, optionalOldSelf = false } = declaration;
  const { self, shape, hasOld } = place;
  const withOld = { self, oldSelf: optionalOldSelf ? types.optionalType(self) : self };
  try {
    const program = compiled(rule, withOld, types.BOOL);
    const readsOld = names(program.expression, 'oldSelf');
    if (readsOld && !hasOld) throw new Error(NO_OLD);
    const scope = readsOld ? withOld : { self };
    return {
      declaration,
      program,
      message: text === undefined ? undefined : compiled(text, scope, types.STRING, 'messageExpression: '),
      fieldPath: fieldPath === undefined ? [] : getSteps(fieldPath, shape),
      reads: getReads(program.expression, self),
      readsOld,
    };
  } catch (error) {
    if (error instanceof TooExpensive) throw error;
    throw new Error(`the rule ${JSON.stringify(formatExcerpt(rule))} is invalid: ${getMessage(error)}`, {
      cause: error,
    });
  }
}

const NO_OLD =
  'oldSelf is not available for items of a list, unless the list has x-kubernetes-list-type "map" and ' +
  'x-kubernetes-list-map-keys';

function compiled(text: string, variables: Readonly<Record<string, Type>>, gives: Type, about = ''): Program {
  try {
    return compileExpression(text, variables, gives);
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    throw new Error(`${about}${error.reason}, at character ${characterAt(text, error.at)}`, { cause: error });
  }
}

/** Evaluates a rule. @param values values of `self` and, where the rule reads it, `oldSelf` */
export function judge(rule: Rule, values: () => readonly Value[], allowance: Allowance): RuleVerdict {
  const limits = { allowance, kind: 'rules', stepsMax: RULE_STEPS_MAX } as const;
  try {
    const args = values();
    if (rule.program.evaluate(args, limits) === true) return undefined;
    return { message: messageFor(rule, args, limits), isUnjudged: false };
  } catch (error) {
    const about = `the rule ${JSON.stringify(formatExcerpt(rule.declaration.rule))}`;
    if (error instanceof CutOff)
      return { message: `${about} takes too long for this value`, isUnjudged: false };
    if (!(error instanceof Failure)) throw error;
    return { message: unjudged(rule, `${about} cannot be evaluated: ${error.message}`), isUnjudged: true };
  }
}

/** The message of the rule says what its author wants, as in Kubernetes; the cause says why that is not known. */
function unjudged({ declaration: { message } }: Rule, cause: string): string {
  return message === undefined ? cause : `${message} (${cause})`;
}

const MESSAGE_LENGTH_MAX = 2_000;

function messageFor(
  { declaration, message }: Rule,
  values: readonly Value[],
  limits: EvaluationLimits,
): string {
  const { rule, message: fixed = `breaks the rule ${formatExcerpt(rule.trim())}` } = declaration;
  if (message === undefined) return fixed;
  try {
    const text = message.evaluate(values, limits);
    const isUsable = typeof text === 'string' && text.trim() !== '' && !/[\r\n]/.test(text);
    return isUsable ? formatExcerpt(text, MESSAGE_LENGTH_MAX) : fixed;
  } catch (error) {
    if (error instanceof CutOff || error instanceof Failure) return fixed;
    throw error;
  }
}
