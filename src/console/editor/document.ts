import { LineCounter, parseDocument } from 'yaml';
import { placeAt, type Mark } from './places.js';

/** Integers keep all of their digits, and long lines stay what they are. */
export const PARSE = { intAsBigInt: true, keepSourceTokens: false } as const;
export const WRITE = { lineWidth: 0 } as const;

/** What the service sets of an object's metadata: nobody edits it. */
const OF_SERVICE = [
  'uid',
  'generation',
  'resourceVersion',
  'version',
  'creationTimestamp',
  'deletionTimestamp',
];

/** An object's text without what only the service and controllers write. */
export function editableText(text: string): string {
  const document = parseDocument(text, PARSE);
  document.delete('status');
  for (const name of OF_SERVICE) document.deleteIn(['metadata', name]);
  return document.toString(WRITE);
}

/** What is wrong with a text as YAML. */
export function syntaxMarks(text: string): readonly Mark[] {
  const lines = new LineCounter();
  const { errors, contents } = parseDocument(text, { ...PARSE, lineCounter: lines, prettyErrors: false });
  if (errors.length === 0 && contents === null)
    return [{ line: 1, column: 1, message: 'There is no object.' }];
  return errors.map(({ pos: [start], message }) => ({ ...placeAt(lines, start), message }));
}
