import { isMap, isSeq, parseDocument, type Document } from 'yaml';
import { isObject } from '../lib/json.js';
import { readForm } from '../form/form-text.js';
import { PARSE, WRITE } from './document.js';

type Path = readonly string[];
export type Side = 'mine' | 'theirs';

/** A field that one side, or both, changed. Undefined for a missing field. */
export interface ChangedField {
  readonly path: Path;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** The only side that changed it; undefined when both did, with different values. */
  readonly by: Side | undefined;
}

interface Three {
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/**
 * The changes of two texts from a third one, field by field. An array is one field, because its items cannot be matched. Undefined
 * when a text cannot be compared in this way.
 */
export function changedFields(
  texts: Readonly<Record<keyof Three, string>>,
): readonly ChangedField[] | undefined {
  const [base, mine, theirs] = [texts.base, texts.mine, texts.theirs].map(readForm);
  if (base === undefined || mine === undefined || theirs === undefined) return undefined;
  if ('obstacle' in base || 'obstacle' in mine || 'obstacle' in theirs) return undefined;
  return changesBelow({ base: base.values, mine: mine.values, theirs: theirs.values }, []);
}

/** My text with the selected fields of theirs. Comments are mine. */
export function mergedText(
  mine: string,
  fields: readonly ChangedField[],
  getSide: (field: ChangedField) => Side,
): string {
  const document = parseDocument(mine, PARSE);
  for (const field of fields) if (getSide(field) === 'theirs') write(document, field.path, field.theirs);
  return document.toString(WRITE);
}

function changesBelow(given: Three, path: Path): readonly ChangedField[] {
  const { base, mine, theirs } = given;
  if (isObject(mine) && isObject(theirs) && (isObject(base) || base === undefined)) {
    const members = isObject(base) ? base : {};
    const names = new Set([members, mine, theirs].flatMap(Object.keys));
    return [...names].flatMap((name) =>
      changesBelow({ base: own(members, name), mine: own(mine, name), theirs: own(theirs, name) }, [
        ...path,
        name,
      ]),
    );
  }
  const isMine = !isSame(base, mine);
  const isTheirs = !isSame(base, theirs);
  if ((!isMine && !isTheirs) || isSame(mine, theirs)) return [];
  return [{ path, base, mine, theirs, by: isMine && isTheirs ? undefined : isMine ? 'mine' : 'theirs' }];
}

function own(members: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, i) => isSame(one, (b as readonly unknown[])[i]));
  if (!isObject(a) || !isObject(b)) return Object.is(a, b);
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}

function write(document: Document, path: Path, value: unknown): void {
  if (value === undefined) {
    if (document.hasIn(path)) document.deleteIn(path);
    return;
  }
  // An ancestor that is not an object has no members to keep.
  for (let depth = 1; depth < path.length; depth++) {
    const above: unknown = document.getIn(path.slice(0, depth), true);
    if (isMap(above)) {
      // An empty one is written as `{}`; its new members get separate lines.
      if (above.items.length === 0) above.flow = false;
    } else if (!isSeq(above)) document.setIn(path.slice(0, depth), document.createNode({}, { flow: false }));
  }
  document.setIn(path, document.createNode(value));
}
