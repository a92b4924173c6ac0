import { useEffect, useMemo, useRef, useState } from 'react';
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

interface UsedCurrentRow {
  /** The row with the tab stop; undefined without rows. */
  readonly current: string | undefined;
  readonly actions: RowActions;
  readonly keys: Pick<ListKeyActions, 'move' | 'open' | 'edit' | 'select'>;
}

/** The row that the keys are about: the one in the drawer, or the one that had the focus. */
export function useCurrentRow(options: CurrentRowOptions): UsedCurrentRow {
  const { names, open, selection, show } = options;
  const [entered, setEntered] = useState<string>();
  const find = (name: string | undefined): string | undefined =>
    name !== undefined && names.includes(name) ? name : undefined;
  const current = find(open) ?? find(entered) ?? names[0];
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  // Rows are drawn again only for their own changes.
  const actions = useMemo(
    (): RowActions => ({
      open: (name) => latest.current.show(name),
      select: (name, isOn, isRange) => latest.current.selection.set(name, isOn, isRange),
      enter: setEntered,
    }),
    [],
  );
  const move = (step: 1 | -1): void => {
    const isEntered = current !== undefined && (find(open) ?? find(entered)) !== undefined;
    const next = isEntered ? names[names.indexOf(current) + step] : names[0];
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
