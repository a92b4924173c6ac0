import type { OnChangeFn, RowSelectionState } from '@tanstack/react-table';
import { useMemo, useState } from 'react';

/** The selected rows, by name: they remain selected on other pages of the list, while it has the same conditions. */
export interface Selection {
  readonly names: readonly string[];
  /** True when all listed objects on all pages are selected. */
  readonly isAll: boolean;
  readonly state: RowSelectionState;
  readonly set: OnChangeFn<RowSelectionState>;
  readonly chooseAll: () => void;
  readonly clear: () => void;
}

interface Chosen {
  /** The conditions of the list. */
  readonly list: string;
  readonly rows: RowSelectionState;
  readonly isAll: boolean;
}

/**
 * @param list identifies the listed objects
 * @param shown the names of this page
 */
export function useSelection(list: string, shown: readonly string[]): Selection {
  const [chosen, setChosen] = useState<Chosen>({ list, rows: {}, isAll: false });
  if (chosen.list !== list) setChosen({ list, rows: {}, isAll: false });
  return useMemo(() => {
    const { isAll } = chosen;
    const state = isAll ? Object.fromEntries(shown.map((name) => [name, true as const])) : chosen.rows;
    return {
      names: Object.keys(state),
      isAll,
      state,
      // Deselecting one row of all selects the other rows of the page.
      set: (change) =>
        setChosen({ list, rows: typeof change === 'function' ? change(state) : change, isAll: false }),
      chooseAll: () => setChosen({ list, rows: {}, isAll: true }),
      clear: () => setChosen({ list, rows: {}, isAll: false }),
    };
  }, [list, chosen.rows, chosen.isAll, shown]);
}
