import type { CSSProperties } from 'react';
import type { ColumnChoice } from '../columns/choice.js';
import { NAME, type ListColumn } from '../columns/columns.js';

/** How the cells of a column look. */
export interface ColumnStyle {
  readonly className: string;
  readonly style: CSSProperties | undefined;
}

export const NO_STYLE: ColumnStyle = { className: '', style: undefined };

/** The width of the column of checkboxes, in pixels. */
const CHOICE_WIDTH = 40;

/** Pinned columns stay beside each other at the edge; the first one does when others do. */
export function getStyles(
  shown: readonly ListColumn[],
  { pinned, widths }: ColumnChoice,
): ReadonlyMap<string, ColumnStyle> {
  const isPinned = (id: string): boolean => pinned.includes(id) && widths[id] !== undefined;
  const hasPins = widths[NAME] !== undefined && shown.some(({ id }) => isPinned(id));
  let inset = CHOICE_WIDTH;
  return new Map(
    shown.map(({ id, kind, at }) => {
      const width = widths[id];
      const isFixed = hasPins && (id === NAME || isPinned(id));
      const classes = [
        kind === 'number' && 'list-cell-number',
        id === NAME && at === 0 && 'list-cell-name',
        isFixed && 'list-cell-pinned',
      ];
      const fixed = { minWidth: width, maxWidth: width, width, ...(isFixed && { insetInlineStart: inset }) };
      if (isFixed) inset += width ?? 0;
      return [
        id,
        { className: classes.filter(Boolean).join(' '), style: width === undefined ? undefined : fixed },
      ];
    }),
  );
}
