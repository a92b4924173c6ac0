import { parseDocument, type Document } from 'yaml';
import { getMember, isObject } from '../lib/json.js';
import { makeWay, readForm } from '../form/form-text.js';
import { isSame } from '../form/values-at.js';
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

/**
 * The changes of two texts from a third one, field by field. An array is one field, because its items cannot be matched. Undefined
 * when a text cannot be compared in this way.
 */
export function changedFields(
  base: string,
  mine: string,
  theirs: string,
): readonly ChangedField[] | undefined {
  const [one, two, three] = [readForm(base), readForm(mine), readForm(theirs)] as const;
  if ('obstacle' in one || 'obstacle' in two || 'obstacle' in three) return undefined;
  return changesBelow(one.values, two.values, three.values, []);
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

function changesBelow(base: unknown, mine: unknown, theirs: unknown, path: Path): readonly ChangedField[] {
  if (isObject(mine) && isObject(theirs) && (isObject(base) || base === undefined)) {
    const names = new Set([base ?? {}, mine, theirs].flatMap(Object.keys));
    return [...names].flatMap((name) =>
      changesBelow(getMember(base, name), getMember(mine, name), getMember(theirs, name), [...path, name]),
    );
  }
  const isMine = !isSame(base, mine);
  const isTheirs = !isSame(base, theirs);
  if ((!isMine && !isTheirs) || isSame(mine, theirs)) return [];
  return [{ path, base, mine, theirs, by: isMine && isTheirs ? undefined : isMine ? 'mine' : 'theirs' }];
}

function write(document: Document, path: Path, value: unknown): void {
  if (value === undefined) {
    if (document.hasIn(path)) document.deleteIn(path);
    return;
  }
  if (makeWay(document, path)) document.setIn(path, document.createNode(value));
}
