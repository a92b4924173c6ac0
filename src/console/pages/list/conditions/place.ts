import { startOfLast } from './requirements.js';

/** The incomplete end of a text, and the kind of text that may follow. */
export interface Place {
  /** Its offset. */
  readonly from: number;
  readonly typed: string;
  readonly wants: 'subject' | 'operator' | 'value' | 'end of set' | 'joint' | 'nothing';
  /** For an operator or a value: the field, or the key of the label. */
  readonly subject: string;
  /** The complete requirements before it. */
  readonly before: string;
}

const REQUIREMENT = /^\s*(?:!\s*)?([^\s=!<>,()]*)(\s*)(.*)$/s;
const OPERATOR = /^(?:==|!=|>=|<=|[=<>]|(?:not)?in(?=\s*\())\s*(\(?)/;

/** The place in a label or field selector. */
export function placeInSelector(text: string): Place {
  const start = startOfLast(text);
  const before = text.slice(0, start).replace(/,\s*$/, '');
  const [, subject = '', gap = '', rest = ''] = REQUIREMENT.exec(text.slice(start)) ?? [];
  const at = (typed: string, wants: Place['wants']): Place => ({
    from: text.length - typed.length,
    typed,
    wants,
    subject,
    before,
  });
  if (gap === '' && rest === '') return at(subject, 'subject');
  const operator = OPERATOR.exec(rest);
  if (operator === null) return at(rest, 'operator');
  const value = rest.slice(operator[0].length);
  if (operator[1] !== '(') return at(value, 'value');
  if (value.includes(')')) return at('', 'nothing');
  const typed = value.slice(value.lastIndexOf(',') + 1);
  return typed.trim() !== '' && typed.endsWith(' ') ? at('', 'end of set') : at(typed.trimStart(), 'value');
}

const TOKEN =
  /\s+|metadata\.labels\[(?:"[^"]*"?|'[^']*'?)?\]?|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[A-Za-z_][\w.]*|-?\d[\w.]*|&&|\|\||[=!<>]=|./gs;
const WORD = /^[\w"'-]/;
const COMPARISON = /^(?:[=!<>]=|[<>])$/;
const CALL = /^(.+)\.(?:startsWith|endsWith|contains)$/;

/** The place in a filter. @param isSubject returns true when a word is a field or a label */
export function placeInFilter(text: string, isSubject: (word: string) => boolean): Place {
  const tokens = text.match(TOKEN) ?? [];
  const typed = [tokens.at(-1) ?? ''].find((token) => WORD.test(token)) ?? '';
  const earlier = (typed === '' ? tokens : tokens.slice(0, -1)).filter((token) => token.trim() !== '');
  const at = (wants: Place['wants'], subject = ''): Place => ({
    from: text.length - typed.length,
    typed,
    wants,
    subject,
    before: '',
  });
  const [end = '', beforeEnd = ''] = earlier.slice(-2).reverse();
  if (COMPARISON.test(end)) return at('value', beforeEnd);
  if (end === '(') {
    const subject = CALL.exec(beforeEnd)?.[1];
    return subject === undefined ? at('subject') : at('value', subject);
  }
  if (end === '[' || end === ',') {
    const open = earlier.lastIndexOf('[');
    return earlier[open - 1] === 'in' ? at('value', earlier[open - 2]) : at('nothing');
  }
  if (['', '&&', '||', '!'].includes(end)) return at('subject');
  if (isSubject(end)) return at('operator', end);
  const isValue = end === ')' || end === ']' || (WORD.test(end) && end !== 'in');
  return at(isValue && typed === '' ? 'joint' : 'nothing');
}
