import { spend } from './work/allowance.js';

const LENGTH_MAX = 100;
/** Pairs of characters, one of each text, that are compared in a step. */
const COMPARED_PER_STEP = 5;

/**
 * The candidate nearest to an unknown name, for "did you mean". Case does not count. Undefined when none is near:
 * more than one edit for every three characters. Of equally near candidates, the first.
 */
export function suggest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > LENGTH_MAX) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    spend(1 + (name.length * candidate.length) / COMPARED_PER_STEP, 'suggestions');
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance >= bestDistance || distance >= candidate.length) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** `, did you mean "x"?` or the empty text. */
export function didYouMean(name: string | undefined): string {
  return name === undefined ? '' : `, did you mean "${name}"?`;
}

/** The number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(
        Math.min(replaced, at(row, j) + 1, at(next, j - 1) + 1, swaps ? at(before, j - 2) + 1 : Infinity),
      );
    }
    before = row;
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
