import { addTo, type Cells } from './cells.js';

/** Cells that differ from the stored role, by {@link cellOf}: true for a right that is added. */
export type Edits = ReadonlyMap<string, boolean>;

export function cellOf(key: string, verb: string): string {
  return `${verb} ${key}`;
}

/** The cells of a role with the edits. Edits are kept when the stored role changes. */
export function withEdits(cells: Cells, edits: Edits): Cells {
  const result = new Map([...cells].map(([key, verbs]) => [key, new Set(verbs)]));
  for (const [cell, isAdded] of edits) {
    const at = cell.indexOf(' ');
    const [verb, key] = [cell.slice(0, at), cell.slice(at + 1)];
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
  return new Map(
    [...edits].filter(([cell, isAdded]) => {
      const at = cell.indexOf(' ');
      return (cells.get(cell.slice(at + 1))?.has(cell.slice(0, at)) === true) !== isAdded;
    }),
  );
}

export const NO_EDITS: Edits = new Map();
