import type { ChangeSpec } from '@codemirror/state';
import { diffLines } from 'diff';

/** Comparing takes long where nearly everything differs. */
const LINES_MAX = 1_000;

/** What makes one text of another. Lines that both have are not touched: the cursor in them stays where it is. */
export function changesBetween(before: string, after: string): readonly ChangeSpec[] {
  const parts = diffLines(before, after, { maxEditLength: LINES_MAX });
  if (parts === undefined) return [{ from: 0, to: before.length, insert: after }];
  let from = 0;
  return parts.flatMap(({ value, added, removed }): readonly ChangeSpec[] => {
    if (added) return [{ from, insert: value }];
    const to = from + value.length;
    const gone = removed ? [{ from, to }] : [];
    from = to;
    return gone;
  });
}
