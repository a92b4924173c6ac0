import { CONDITIONS, withParameter, type Condition } from '../parameters.js';

/** One of several conditions that must all match. */
export interface Requirement {
  readonly of: Condition;
  readonly text: string;
}

/** The characters that enclose a separator. Selectors have commas as separators. */
const SELECTOR = { quotes: '', open: '(', close: ')' };
const CEL = { quotes: `"'`, open: '([{', close: ')]}' };

/** The parts of a text between separators outside parentheses and quotes. */
function split(text: string, separator: string): readonly string[] {
  const { quotes, open, close } = separator === ',' ? SELECTOR : CEL;
  const parts: string[] = [];
  let start = 0;
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
      parts.push(text.slice(start, i));
      start = i + separator.length;
      i = start - 1;
    }
  }
  const isIncomplete = depth !== 0 || quote !== '';
  const all = isIncomplete ? [text] : [...parts, text.slice(start)];
  return all.map((part) => part.trim()).filter((part) => part !== '');
}

/** True when it is not a conjunction, so that it needs parentheses within one. */
function isAlternative(filter: string): boolean {
  return ['||', '?'].some((separator) => split(filter, separator).length > 1);
}

function getParts(parameters: URLSearchParams, of: Condition): readonly string[] {
  return parameters.getAll(of).flatMap((value) => {
    if (of !== 'filter') return split(value, ',');
    return isAlternative(value) ? [value] : split(value, '&&');
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
  return CONDITIONS.reduce((changed, of) => {
    const textsIn = (all: readonly Requirement[]): readonly string[] =>
      all.filter((one) => one.of === of).map(({ text }) => text);
    const [without, more] = [textsIn(removed), textsIn(added)];
    if (without.length + more.length === 0) return changed;
    const rest = getParts(parameters, of).filter((part) => !without.includes(part));
    return withParameter(changed, of, joined(of, [...new Set([...rest, ...more])]));
  }, parameters);
}
