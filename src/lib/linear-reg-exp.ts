import { RE2JS } from 're2js';
import { getMessage } from '../errors.js';

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
    // The validator shares compiled patterns by this text.
    return { test: (text) => compiled.test(text), toString: () => pattern };
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
  /** The number of compiled instructions: the limit for the steps per character of a text. */
  readonly size: number;
  /** True when it matches anywhere in the text. */
  test(text: string): boolean;
  /** All matches from left to right, without overlaps. */
  findAll(text: string, limit: number): string[];
}

/** Compiles a pattern in the syntax of RE2. @throws Error with the reason */
export function re2RegExp(pattern: string): FindingRegExp {
  const compiled = RE2JS.compile(pattern);
  return {
    size: compiled.programSize(),
    test: (text) => compiled.test(text),
    findAll(text, limit) {
      const matcher = compiled.matcher(text);
      const found: string[] = [];
      while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
      return found;
    },
  };
}
