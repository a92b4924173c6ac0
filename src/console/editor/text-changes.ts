import type { ChangeSpec } from '@codemirror/state';
import { diffLines } from 'diff';

/** The limit of a comparison, which is slow when nearly all lines differ. */
const LINES_MAX = 1_000;

/** The changes from one text to another. Common lines are unchanged: the cursor in them does not move. */
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
