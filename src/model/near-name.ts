/**
 * The candidate that `name` was probably meant to be: the one with the fewest edits (insert, delete, replace,
 * swap of neighbours; case does not count), at most 1 for names up to 4 characters and 2 for longer ones.
 * `undefined` when none is near. Of equally near ones the first.
 */
export function nearName(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let limit = name.length <= 4 ? 1 : 2;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    // A near name must share something with the given one: "ab" is not a slip for "x".
    if (distance > limit || distance >= Math.max(candidate.length, name.length)) continue;
    best = candidate;
    limit = distance - 1;
    if (limit < 0) break;
  }
  return best;
}

/** `, did you mean "x"?` or the empty text. */
export function didYouMean(name: string | undefined): string {
  return name === undefined ? '' : `, did you mean "${name}"?`;
}

function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, at(before, j - 2) + 1);
      }
      row.push(edits);
    }
    before = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
