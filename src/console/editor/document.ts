import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Mark, Place } from './places.js';

/** Integers keep all digits, and long lines are not wrapped. */
export const PARSE = { intAsBigInt: true, keepSourceTokens: false } as const;
export const WRITE = { lineWidth: 0 } as const;

/** The place of an offset, which starts from 0. */
function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** The fields of an object's metadata that the service sets: users do not edit them. */
const OF_SERVICE = [
  'uid',
  'generation',
  'resourceVersion',
  'version',
  'creationTimestamp',
  'updateTimestamp',
  'deletionTimestamp',
  'managedFields',
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

/** Finds the name of a field, or of its nearest parent; the beginning of the text without one. */
export function fieldPlaces(text: string): (field: string) => Place {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { ...PARSE, lineCounter: lines });
  return (field) => placeAt(lines, getStart(contents, field));
}

/** A member of a text, and the rest of the path through it. */
interface Step {
  readonly start: number;
  readonly node: unknown;
  readonly rest: string;
}

function getStart(contents: unknown, field: string): number {
  let at: Step = { start: 0, node: contents, rest: field };
  for (let next: Step | undefined = at; next !== undefined; next = stepInto(next)) at = next;
  return at.start;
}

/** Undefined without such a member. */
function stepInto({ node, rest }: Step): Step | undefined {
  if (isSeq(node)) {
    const [all = '', index] = /^\.?\[(\d+)\]/.exec(rest) ?? [];
    const item = index === undefined ? undefined : node.items[Number(index)];
    return isNode(item)
      ? { start: item.range?.[0] ?? 0, node: item, rest: rest.slice(all.length) }
      : undefined;
  }
  if (!isMap(node)) return undefined;
  const path = rest.replace(/^\./, '');
  // Keys may contain dots: the longest matching one is used.
  const [found] = node.items
    .flatMap(({ key, value }) =>
      isScalar(key) && leadsTo(String(key.value), path) ? [{ key, value, name: String(key.value) }] : [],
    )
    .sort((a, b) => b.name.length - a.name.length);
  if (found === undefined) return undefined;
  const { key, value, name } = found;
  return { start: key.range?.[0] ?? 0, node: value, rest: path.slice(name.length) };
}

/** True when a dotted path equals a member's, or continues it. */
export function leadsTo(member: string, path: string): boolean {
  return member !== '' && path.startsWith(member) && /^(?:$|[.[])/.test(path.slice(member.length));
}
