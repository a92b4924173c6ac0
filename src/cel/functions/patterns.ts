import { getMessage } from '../../errors.js';
import { compileCost, re2RegExp, type FindingRegExp } from '../../lib/linear-reg-exp.js';
import { fail } from '../failure.js';
import type { Frame } from '../frame.js';
import { fn, INT, method, STRING, type Overload } from '../overload.js';
import * as types from '../types.js';
import { ComputedList } from '../values.js';

/** The most recently used patterns. Most are the same in every evaluation. */
const compiled = new Map<string, FindingRegExp>();
const COMPILED_MAX = 256;
/** Longer patterns are not realistic. */
const PATTERN_LENGTH_MAX = 2000;
/** Steps of an evaluation that pay for one step of compiling. */
const COMPILE_STEPS = 2.5;
/** Steps to compile repeats, which may expand to a thousand times the repeated part. */
const REPEAT_STEPS = 50_000;

/** Functions whose second argument is a pattern. */
export const PATTERN_FUNCTIONS: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

function getPattern(pattern: string, frame: Frame): FindingRegExp {
  if (pattern.length > PATTERN_LENGTH_MAX)
    return fail(`a pattern has at most ${PATTERN_LENGTH_MAX} characters`);
  // The cache of compiled patterns must not decide whether an evaluation is cut off.
  if (frame.isFirstUse(pattern))
    frame.spend(compileCost(pattern) * COMPILE_STEPS + (pattern.includes('{') ? REPEAT_STEPS : 0));
  const known = compiled.get(pattern) ?? compiledPattern(pattern);
  compiled.set(pattern, known);
  return known;
}

function compiledPattern(pattern: string): FindingRegExp {
  for (const oldest of compiled.keys()) if (compiled.size >= COMPILED_MAX) compiled.delete(oldest);
  try {
    return re2RegExp(pattern);
  } catch (error) {
    return fail(`the pattern is invalid: ${getMessage(error)}`);
  }
}

function matches(text: string, pattern: string, frame: Frame): boolean {
  const expression = getPattern(pattern, frame);
  frame.spendOnText(text.length * (4 + expression.size));
  return expression.test(text);
}

/** Each search may read the rest of the text. */
function findAll(text: string, pattern: string, frame: Frame, limit = Infinity): readonly string[] {
  const expression = getPattern(pattern, frame);
  frame.spendOnText(text.length * (4 + expression.size));
  return expression.findAll(text, limit, (characters) => frame.spend(expression.costOf(characters)));
}

/** Functions of regular expressions, in the syntax of RE2. */
export const PATTERNS: readonly Overload[] = [
  ...[fn, method].map((declare) =>
    declare('matches', [STRING, STRING], types.BOOL, ([text, pattern], frame) =>
      matches(text, pattern, frame),
    ),
  ),
  method(
    'find',
    [STRING, STRING],
    types.STRING,
    ([text, pattern], frame) => findAll(text, pattern, frame, 1)[0] ?? '',
  ),
  method(
    'findAll',
    [STRING, STRING],
    types.listType(types.STRING),
    ([text, pattern], frame) => new ComputedList(findAll(text, pattern, frame)),
  ),
  method(
    'findAll',
    [STRING, STRING, INT],
    types.listType(types.STRING),
    ([text, pattern, limit], frame) =>
      new ComputedList(findAll(text, pattern, frame, limit < 0n ? Infinity : Number(limit))),
  ),
];
