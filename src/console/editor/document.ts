import { LineCounter, parseDocument } from 'yaml';
import { placeAt, type Mark } from './places.js';

/** Integers keep all digits, and long lines are not wrapped. */
export const PARSE = { intAsBigInt: true, keepSourceTokens: false } as const;
export const WRITE = { lineWidth: 0 } as const;

/** The fields of an object's metadata that the service sets: users do not edit them. */
const OF_SERVICE = [
  'uid',
  'generation',
  'resourceVersion',
  'version',
  'creationTimestamp',
  'updateTimestamp',
  'deletionTimestamp',
];

/** The text of an object without the members that only the service and controllers write. */
export function editableText(text: string): string {
  const document = parseDocument(text, PARSE);
  document.delete('status');
  for (const name of OF_SERVICE) document.deleteIn(['metadata', name]);
  return document.toString(WRITE);
}

export function syntaxMarks(text: string): readonly Mark[] {
  const lines = new LineCounter();
  const { errors, contents } = parseDocument(text, { ...PARSE, lineCounter: lines, prettyErrors: false });
  if (errors.length === 0 && contents === null)
    return [{ line: 1, column: 1, message: 'There is no object.' }];
  return errors.map(({ pos: [start], message }) => ({ ...placeAt(lines, start), message }));
}
