import { useMemo, useRef, useState } from 'react';

/** The selected rows, by name: they remain selected on other pages of the list, while it has the same conditions. */
export interface Selection {
  readonly names: readonly string[];
  /** True when all listed objects on all pages are selected. */
  readonly isAll: boolean;
  readonly has: (name: string) => boolean;
  /** @param isRange true to change all rows from the one that was changed before */
  readonly set: (name: string, isOn: boolean, isRange?: boolean) => void;
  /** Selects or deselects all rows of the page. */
  readonly setPage: (isOn: boolean) => void;
  readonly chooseAll: () => void;
  readonly clear: () => void;
}

interface Chosen {
  readonly rows: ReadonlySet<string>;
  readonly isAll: boolean;
}

const NOTHING: Chosen = { rows: new Set(), isAll: false };

/**
 * @param list identifies the listed objects, by their conditions
 * @param shown the names of this page
 */
export function useSelection(list: string, shown: readonly string[]): Selection {
  const [{ rows: chosen, isAll }, setChosen] = useState(NOTHING);
  const [known, setKnown] = useState(list);
  if (known !== list) {
    setKnown(list);
    setChosen(NOTHING);
  }
  const last = useRef<string>(undefined);
  return useMemo(() => {
    const rows = isAll ? new Set(shown) : chosen;
    const change = (names: readonly string[], isOn: boolean): void => {
      const others = [...rows].filter((name) => !names.includes(name));
      // Deselecting one row of all selects the other rows of the page.
      setChosen({ rows: new Set(isOn ? [...others, ...names] : others), isAll: false });
    };
    return {
      names: [...rows],
      isAll,
      has: (name) => rows.has(name),
      set: (name, isOn, isRange = false) => {
        change(isRange ? rangeOf(shown, last.current, name) : [name], isOn);
        last.current = name;
      },
      setPage: (isOn) => change(shown, isOn),
      chooseAll: () => setChosen({ ...NOTHING, isAll: true }),
      clear: () => setChosen(NOTHING),
    };
  }, [chosen, isAll, shown]);
}

function rangeOf(shown: readonly string[], from: string | undefined, to: string): readonly string[] {
  const ends = [from === undefined ? -1 : shown.indexOf(from), shown.indexOf(to)];
  const [low = 0, high = 0] = ends.sort((a, b) => a - b);
  return low === -1 ? [to] : shown.slice(low, high + 1);
}
