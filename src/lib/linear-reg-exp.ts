import { RE2JS } from 're2js';
import { getMessage } from '../errors.js';

/** A regular expression that takes linear time, whatever the text. */
export interface LinearRegExp {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Compiles a pattern so that no text can make it slow: one of ECMAScript, or else of RE2, which has flags such as
 * `(?i)` inside of the pattern.
 * @param flags of an ECMAScript expression; only `i`, `m` and `s` change what matches
 * @throws SyntaxError with the reason: wrong syntax, or something that takes more than linear time or space
 *   (look-around, back-references, repeat counts that multiply to over 1,000)
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

/** Whether tools that know ECMAScript's regular expressions understand a pattern. */
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

/** A regular expression that takes linear time and tells what it finds. */
export interface FindingRegExp {
  /** How many instructions it was compiled to; a character of a text takes at most so many. */
  readonly size: number;
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean;
  /** What it matches, from left to right, without overlaps. */
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
