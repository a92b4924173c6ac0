import { CONDITIONS, withParameter, type Condition } from '../parameters.js';

/** One of several conditions that must all match. */
export interface Requirement {
  readonly of: Condition;
  readonly text: string;
}

/** The separator, and the characters that enclose a separator. */
interface Syntax {
  readonly separator: string;
  readonly quotes: string;
  readonly open: string;
  readonly close: string;
}

const SELECTOR: Syntax = { separator: ',', quotes: '', open: '(', close: ')' };
const CEL = { quotes: `"'`, open: '([{', close: ')]}' };

interface Scanned {
  /** The offsets of separators outside parentheses and quotes. */
  readonly separators: readonly number[];
  /** True when a parenthesis or a quote is not closed. */
  readonly isOpen: boolean;
}

function scan(text: string, { separator, quotes, open, close }: Syntax): Scanned {
  const separators: number[] = [];
  let depth = 0;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '\\') i++;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (quotes.includes(char)) quote = char;
    else if (open.includes(char)) depth++;
    else if (close.includes(char)) depth--;
    else if (depth === 0 && text.startsWith(separator, i)) {
      separators.push(i);
      i += separator.length - 1;
    }
  }
  return { separators, isOpen: depth !== 0 || quote !== '' };
}

/** The parts of a text; an incomplete text is one part. */
function split(text: string, syntax: Syntax): readonly string[] {
  const { separators, isOpen } = scan(text, syntax);
  const { length } = syntax.separator;
  const starts = isOpen ? [0] : [0, ...separators.map((at) => at + length)];
  return starts
    .map((start, i) => text.slice(start, (starts[i + 1] ?? text.length + length) - length).trim())
    .filter((part) => part !== '');
}

/** True when it is not a conjunction, so that it needs parentheses within one. */
function isAlternative(filter: string): boolean {
  return ['||', '?'].some((separator) => split(filter, { ...CEL, separator }).length > 1);
}

function getParts(parameters: URLSearchParams, of: Condition): readonly string[] {
  return parameters.getAll(of).flatMap((value) => {
    if (of !== 'filter') return split(value, SELECTOR);
    return isAlternative(value) ? [value] : split(value, { ...CEL, separator: '&&' });
  });
}

function joined(of: Condition, parts: readonly string[]): string {
  if (of !== 'filter') return parts.join(',');
  if (parts.length === 1) return parts.join('');
  return parts.map((part) => (isAlternative(part) ? `(${part})` : part)).join(' && ');
}

/** All requirements of a condition, as one text. */
export function formatText(parameters: URLSearchParams, of: Condition): string {
  const [only = '', ...more] = parameters.getAll(of);
  return more.length === 0 ? only : joined(of, getParts(parameters, of));
}

export function getRequirements(parameters: URLSearchParams): readonly Requirement[] {
  return CONDITIONS.flatMap((of) => getParts(parameters, of).map((text) => ({ of, text })));
}

export function hasRequirement(parameters: URLSearchParams, { of, text }: Requirement): boolean {
  return getParts(parameters, of).includes(text);
}

/** The parameters without some requirements, and with others. */
export function withRequirements(
  parameters: URLSearchParams,
  removed: readonly Requirement[],
  added: readonly Requirement[],
): URLSearchParams {
  const changed = (
    before: URLSearchParams,
    { of, text }: Requirement,
    last: readonly string[],
  ): URLSearchParams => {
    const others = getParts(before, of).filter((part) => part !== text);
    return withParameter(before, of, joined(of, [...others, ...last]));
  };
  const rest = removed.reduce((before, one) => changed(before, one, []), parameters);
  return added.reduce(
    (before, one) => (hasRequirement(before, one) ? before : changed(before, one, [one.text])),
    rest,
  );
}
