import type { OnChangeFn, RowSelectionState } from '@tanstack/react-table';
import { useMemo, useState } from 'react';

/** The rows that somebody chose, by name: they stay chosen on other pages of the list, as long as it has the same objects. */
export interface Selection {
  readonly names: readonly string[];
  /** Whether it is everything that is listed, on all pages. */
  readonly isAll: boolean;
  readonly state: RowSelectionState;
  readonly set: OnChangeFn<RowSelectionState>;
  readonly chooseAll: () => void;
  readonly clear: () => void;
}

interface Chosen {
  /** Which objects are listed. */
  readonly list: string;
  readonly rows: RowSelectionState;
  readonly isAll: boolean;
}

/**
 * @param list says which objects are listed
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
      // Who takes a row away from everything has chosen the others of the page.
      set: (change) =>
        setChosen({ list, rows: typeof change === 'function' ? change(state) : change, isAll: false }),
      chooseAll: () => setChosen({ list, rows: {}, isAll: true }),
      clear: () => setChosen({ list, rows: {}, isAll: false }),
    };
  }, [list, chosen.rows, chosen.isAll, shown]);
}
