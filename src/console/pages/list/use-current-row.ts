import { useMemo, useState } from 'react';
import { useLatest } from '../../lib/use-latest.js';
import type { Selection } from './selection.js';
import { getRowId, type RowActions } from './table/list-row.js';
import type { ListKeyActions } from './use-list-keys.js';

interface CurrentRowOptions {
  readonly names: readonly string[];
  /** The object in the drawer. */
  readonly open: string | undefined;
  readonly selection: Selection;
  /** Opens an object; undefined closes the drawer. */
  readonly show: (name: string | undefined, isEdited?: boolean) => void;
}

export interface CurrentRow {
  /** The row with the tab stop; undefined without rows. */
  readonly current: string | undefined;
  /** They never change, so that rows are drawn again only for their own changes. */
  readonly actions: RowActions;
  readonly keys: Pick<ListKeyActions, 'move' | 'open' | 'edit' | 'select'>;
}

/** The row that the keys are about: the one in the drawer, or the one that had the focus. */
export function useCurrentRow({ names, open, selection, show }: CurrentRowOptions): CurrentRow {
  const [entered, setEntered] = useState<string>();
  const known = [open, entered].find((name) => name !== undefined && names.includes(name));
  const current = known ?? names[0];
  const openRow = useLatest((name: string) => show(name));
  const select = useLatest(selection.set);
  const actions = useMemo(() => ({ open: openRow, select, enter: setEntered }), [openRow, select]);
  const move = (step: 1 | -1): void => {
    const next = known === undefined ? names[0] : names[names.indexOf(known) + step];
    if (next === undefined) return;
    setEntered(next);
    if (open !== undefined) show(next);
    const element = document.getElementById(getRowId(next));
    // The focus stays in the open object.
    if (open === undefined || document.activeElement?.closest('.list-row') !== null) element?.focus();
    element?.scrollIntoView({ block: 'nearest' });
  };
  return {
    current,
    actions,
    keys: {
      move,
      open: () => current !== undefined && show(current),
      edit: () => current !== undefined && show(current, true),
      select: () => current !== undefined && selection.set(current, !selection.has(current)),
    },
  };
}
