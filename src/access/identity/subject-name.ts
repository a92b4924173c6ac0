import { RULES } from '../../model/rules/declaration.js';

/** Longest name of a user or a group, in characters. */
const LENGTH_MAX = 253;
/** Control characters, line separators, marks of the direction of text, and characters without a width; blanks at an end. */
const FORBIDDEN =
  '[\\p{Cc}\\p{Zl}\\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|^\\p{Zs}|\\p{Zs}$';
const forbidden = new RegExp(FORBIDDEN, 'u');

/** The rule of names of users and groups, which completes "NAME ..". */
export const SUBJECT_NAME_RULE = `must have at most ${LENGTH_MAX} characters, no control characters, no marks of text direction, and no blank at its ends`;

/** The schema of a name of a user or a group, wherever objects have one. */
export const SUBJECT_NAME = {
  type: 'string',
  minLength: 1,
  maxLength: LENGTH_MAX,
  [RULES]: [{ rule: `!self.matches(${JSON.stringify(FORBIDDEN)})`, message: SUBJECT_NAME_RULE }],
};

/** True for a text that may be the name of a user or a group. */
export function isSubjectName(name: string): boolean {
  return name !== '' && name.length <= LENGTH_MAX && name.isWellFormed() && !forbidden.test(name);
}
