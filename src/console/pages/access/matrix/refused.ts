import { allows, allowsPath, type Rule } from '../../../api/platform/rights.js';
import { rowOf } from './cells.js';
import type { Edits } from './edits.js';

/** The added rights that the user does not have, and may therefore not give to others. */
export function getRefused(edits: Edits, mine: readonly Rule[] = []): ReadonlySet<string> {
  const refused = [...edits].filter(([cell, isAdded]) => isAdded && !isMine(cell, mine));
  return new Set(refused.map(([cell]) => cell));
}

function isMine(cell: string, mine: readonly Rule[]): boolean {
  const at = cell.indexOf(' ');
  const [verb, row] = [cell.slice(0, at), rowOf(cell.slice(at + 1))];
  if ('path' in row) return mine.some((rule) => allowsPath(rule, verb, row.path));
  const { group, resource, names } = row;
  const objects = names.length === 0 ? [undefined] : names;
  return objects.every((name) => mine.some((rule) => allows(rule, { verb, group, resource, name })));
}
