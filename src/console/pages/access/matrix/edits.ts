import { allows, allowsPath, type Rule } from '../../../api/platform/rules.js';
import { addTo, rowOf, type Cells } from './cells.js';

/** Cells that differ from the stored role, by {@link cellOf}: true for a right that is added. */
export type Edits = ReadonlyMap<string, boolean>;

export const NO_EDITS: Edits = new Map();

export function cellOf(key: string, verb: string): string {
  return `${verb} ${key}`;
}

function partsOf(cell: string): readonly [key: string, verb: string] {
  const at = cell.indexOf(' ');
  return [cell.slice(at + 1), cell.slice(0, at)];
}

/** The cells of a role with the edits. Edits are kept when the stored role changes. */
export function withEdits(cells: Cells, edits: Edits): Cells {
  const result = new Map([...cells].map(([key, verbs]) => [key, new Set(verbs)]));
  for (const [cell, isAdded] of edits) {
    const [key, verb] = partsOf(cell);
    if (isAdded) addTo(result, key, verb);
    else result.get(key)?.delete(verb);
  }
  return result;
}

/** The edits after a click on a cell; a second click takes the first one back. */
export function toggled(cells: Cells, edits: Edits, key: string, verb: string): Edits {
  const isStored = cells.get(key)?.has(verb) === true;
  const cell = cellOf(key, verb);
  const next = new Map(edits);
  const isOn = next.get(cell) ?? isStored;
  if (isOn === isStored) next.set(cell, !isOn);
  else next.delete(cell);
  return next;
}

/** Edits that the stored role does not have yet. */
export function getOpen(cells: Cells, edits: Edits): Edits {
  const isStored = (cell: string): boolean => {
    const [key, verb] = partsOf(cell);
    return cells.get(key)?.has(verb) === true;
  };
  return new Map([...edits].filter(([cell, isAdded]) => isStored(cell) !== isAdded));
}

/** The added rights that the user does not have, and may therefore not give to others. */
export function getRefused(edits: Edits, mine: readonly Rule[] = []): ReadonlySet<string> {
  const refused = [...edits].filter(([cell, isAdded]) => isAdded && !isMine(cell, mine));
  return new Set(refused.map(([cell]) => cell));
}

function isMine(cell: string, mine: readonly Rule[]): boolean {
  const [key, verb] = partsOf(cell);
  const row = rowOf(key);
  if ('path' in row) return mine.some((rule) => allowsPath(rule, verb, row.path));
  const { group, resource, names } = row;
  const objects = names.length === 0 ? [undefined] : names;
  return objects.every((name) => mine.some((rule) => allows(rule, { verb, group, resource, name })));
}
