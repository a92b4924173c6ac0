import { formatExcerpt, getMessage } from '../../errors.js';
import { CutOff, Failure } from '../../cel/failure.js';
import { characterAt, ExpressionFault } from '../../cel/text/fault.js';
import { compileExpression, type Allowance, type Program } from '../../cel/program.js';
import * as types from '../../cel/types.js';
import type { Type } from '../../cel/types.js';
import type { Value } from '../../cel/values.js';
import type { Path } from '../../lib/json/json-difference.js';
import { getSteps, type RuleDeclaration } from './declaration.js';
import { names, getReads } from './reads.js';
import type { Shape } from './shapes.js';

/** Steps that one evaluation of a rule may take: 10 ms, or 50 when it is the first. */
export const RULE_STEPS_MAX = 200_000;

/** A rule of a place of the schema, ready to be asked. */
export interface Rule {
  readonly declaration: RuleDeclaration;
  readonly program: Program;
  readonly message: Program | undefined;
  /** From the place of the rule to the field that is wrong. */
  readonly fieldPath: Path;
  /** What of `self` decides it, as ways from the place of the rule. */
  readonly reads: readonly Path[];
  readonly readsOld: boolean;
}

/** What a rule says of a value: it holds, or why it does not. `isUnjudged` when it cannot be asked. */
export type Verdict = undefined | { readonly message: string; readonly isUnjudged: boolean };

/** What rules of a place are compiled with. */
export interface RulePlace {
  readonly shape: Shape;
  readonly self: Type;
  /** Whether the earlier value of this place can be told. */
  readonly hasOld: boolean;
}

/** @throws Error that names the rule, and says what is wrong and where */
export function compileRule(declaration: RuleDeclaration, place: RulePlace): Rule {
  const { rule, messageExpression: text, fieldPath, optionalOldSelf = false } = declaration;
  const { self, shape, hasOld } = place;
  const withOld = { self, oldSelf: optionalOldSelf ? types.optionalType(self) : self };
  try {
    const program = compiled(rule, withOld, types.BOOL);
    const readsOld = names(program.expression, 'oldSelf');
    if (readsOld && !hasOld) throw new Error(NO_OLD);
    return {
      declaration,
      program,
      message: text === undefined ? undefined : messageProgram(text, readsOld ? withOld : { self }),
      fieldPath: fieldPath === undefined ? [] : getSteps(fieldPath, shape),
      reads: getReads(program.expression, self),
      readsOld,
    };
  } catch (error) {
    throw new Error(`the rule ${JSON.stringify(formatExcerpt(rule))} is invalid: ${getMessage(error)}`, {
      cause: error,
    });
  }
}

const NO_OLD =
  'oldSelf is not available for items of a list, unless the list has x-kubernetes-list-type "map" and ' +
  'x-kubernetes-list-map-keys';

type Variables = Readonly<Record<string, Type>>;

function compiled(text: string, variables: Variables, gives: Type): Program {
  try {
    return compileExpression(text, variables, gives);
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    throw new Error(`${error.reason}, at character ${characterAt(text, error.at)}`, { cause: error });
  }
}

function messageProgram(text: string, variables: Variables): Program {
  try {
    return compiled(text, variables, types.STRING);
  } catch (error) {
    throw new Error(`messageExpression: ${getMessage(error)}`, { cause: error });
  }
}

/** Asks a rule. @param values those of `self` and, where the rule reads it, `oldSelf` */
export function judge(rule: Rule, values: () => readonly Value[], allowance: Allowance): Verdict {
  const own: Allowance = { steps: Math.min(RULE_STEPS_MAX, allowance.steps) };
  const given = own.steps;
  try {
    const args = values();
    if (rule.program.evaluate(args, own) === true) return undefined;
    return { message: messageFor(rule, args, own), isUnjudged: false };
  } catch (error) {
    const about = `the rule ${JSON.stringify(formatExcerpt(rule.declaration.rule))}`;
    if (error instanceof CutOff)
      return { message: `${about} takes too long for this value`, isUnjudged: false };
    if (!(error instanceof Failure)) throw error;
    return { message: `${about} cannot be evaluated: ${error.message}`, isUnjudged: true };
  } finally {
    // An evaluation is no step of the expression, but takes time as well.
    allowance.steps = Math.max(0, allowance.steps - (given - own.steps) - EVALUATION_STEPS);
  }
}

const EVALUATION_STEPS = 5;
const MESSAGE_LENGTH_MAX = 2_000;

function messageFor({ declaration, message }: Rule, values: readonly Value[], allowance: Allowance): string {
  const { rule, message: fixed = `breaks the rule ${formatExcerpt(rule.trim())}` } = declaration;
  if (message === undefined) return fixed;
  try {
    const text = message.evaluate(values, allowance);
    const isTold = typeof text === 'string' && text.trim() !== '' && !/[\r\n]/.test(text);
    return isTold ? formatExcerpt(text, MESSAGE_LENGTH_MAX) : fixed;
  } catch (error) {
    if (error instanceof CutOff || error instanceof Failure) return fixed;
    throw error;
  }
}
