import { RE2JS } from 're2js';
import { getMessage } from '../errors.js';
import { spend } from './work/allowance.js';

/** A regular expression that takes linear time for any text. */
export interface LinearRegExp {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Compiles a pattern that takes linear time for any text. The pattern has the syntax of ECMAScript, or else of RE2,
 * which allows flags such as `(?i)` inside the pattern.
 * @param flags flags of an ECMAScript expression; only `i`, `m` and `s` change what matches
 * @throws SyntaxError with the reason: wrong syntax, or a part that takes more than linear time or space
 * (look-around, back-references, repeat counts whose product is above 1,000)
 */
export function linearRegExp(pattern: string, flags = ''): LinearRegExp {
  const fault = ecmaFault(pattern);
  const options =
    (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.includes('m') ? RE2JS.MULTILINE : 0) |
    (flags.includes('s') ? RE2JS.DOTALL : 0);
  try {
    const compiled = RE2JS.compile(fault === undefined ? RE2JS.translateRegExp(pattern) : pattern, options);
    const size = compiled.programSize();
    // The validator shares compiled patterns by this text.
    return {
      test(text) {
        spend(searchCost(size, text.length), 'patterns');
        return compiled.test(text);
      },
      toString: () => pattern,
    };
  } catch (error) {
    if (fault !== undefined) throw fault;
    const reason = getMessage(error).replace('error parsing regexp: ', '');
    throw new SyntaxError(`cannot be matched in linear time: ${reason}`, { cause: error });
  }
}

/** True when tools for ECMAScript's regular expressions can read a pattern. */
export function isEcmaPattern(pattern: string): boolean {
  return ecmaFault(pattern) === undefined;
}

function ecmaFault(pattern: string): Error | undefined {
  try {
    new RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new SyntaxError(String(error));
  }
}

/** A regular expression that takes linear time and returns its matches. */
export interface FindingRegExp {
  /** The number of compiled instructions. */
  readonly size: number;
  /** The steps of a search in so many characters, at most. */
  costOf(characters: number): number;
  /** True when it matches anywhere in the text. */
  test(text: string): boolean;
  /**
   * All matches from left to right, without overlaps.
   * @param onSearch called before each search, with the number of characters that it may read
   */
  findAll(text: string, limit: number, onSearch: (characters: number) => void): string[];
}

/** Steps to compile an instruction, a character, and a class of Unicode. */
const INSTRUCTION_STEPS = 10;
const CHARACTER_STEPS = 20;
const CLASS_STEPS = 1_500;
/** Steps to compile a range whose characters are all looked up in the other case. */
const FOLDED_RANGE_STEPS = 35_000;
const FOLDED = /\(\?[a-zA-Z]*i/;
const BEYOND_ASCII = /[\u0080-\uffff]|\\[x0-7]/;

/** The steps to compile a pattern in the syntax of RE2, without its instructions. */
export function compileCost(pattern: string): number {
  const classes = pattern.split(/\\[pP]/).length - 1;
  const ranges = FOLDED.test(pattern) && BEYOND_ASCII.test(pattern) ? pattern.split('-').length - 1 : 0;
  return pattern.length * CHARACTER_STEPS + classes * CLASS_STEPS + ranges * FOLDED_RANGE_STEPS;
}

/** The reason why a pattern is not in the syntax of RE2. Spends the steps of compiling it. @throws TooExpensive */
export function faultOfRe2(pattern: string): string | undefined {
  spend(compileCost(pattern), 'patterns');
  let size: number;
  try {
    ({ size } = re2RegExp(pattern));
  } catch (error) {
    return getMessage(error);
  }
  spend(size * INSTRUCTION_STEPS, 'patterns');
  return undefined;
}

/** Compiles a pattern in the syntax of RE2. @throws Error with the reason */
export function re2RegExp(pattern: string): FindingRegExp {
  const compiled = RE2JS.compile(pattern);
  const size = compiled.programSize();
  return {
    size,
    costOf: (characters) => searchCost(size, characters),
    test: (text) => compiled.test(text),
    findAll(text, limit, onSearch) {
      const matcher = compiled.matcher(text);
      const found: string[] = [];
      for (let from = 0; found.length < limit; from = matcher.end()) {
        onSearch(text.length - from);
        if (!matcher.find()) break;
        found.push(matcher.group() ?? '');
      }
      return found;
    },
  };
}

const CALL_STEPS = 10;

/**
 * The steps of a search, at most. It usually takes some 10 ns a character. When there are too many states to remember, it
 * takes some 2 ns for each character and each instruction of the pattern.
 */
function searchCost(size: number, characters: number): number {
  return CALL_STEPS + Math.ceil((characters * (size + 8)) / 50);
}
