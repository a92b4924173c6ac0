import { useMemo, useState } from 'react';
import { getPath, type ModelRef } from '../../../api/models.js';
import { KeptText } from '../../../lib/storage.js';
import { NO_CHOICE, parseChoice, type ColumnChoice } from './choice.js';

/** The columns that a user chose for a model; the browser keeps them. @param ofView those of the displayed saved view */
export function useColumnChoice(model: ModelRef, ofView: readonly string[] | undefined) {
  const path = getPath(model);
  const kept = useMemo(() => new KeptText('localStorage', `xsvc-columns ${path}`), [path]);
  const [text, setText] = useState(() => kept.get());
  const [{ view, shown }, setShown] = useState({ view: ofView, shown: ofView });
  if (view?.join() !== ofView?.join()) setShown({ view: ofView, shown: ofView });
  const choice = useMemo((): ColumnChoice => {
    const own = parseChoice(text);
    return shown === undefined ? own : { ...own, shown };
  }, [text, shown]);
  return {
    choice,
    setChoice: (changed: ColumnChoice): void => {
      // The columns of a view are changed on the page only, until the view is saved.
      if (ofView !== undefined) setShown({ view: ofView, shown: changed.shown ?? ofView });
      const own = ofView === undefined ? changed : { ...changed, shown: parseChoice(text).shown };
      const written = changed === NO_CHOICE ? undefined : JSON.stringify(own);
      kept.set(written);
      setText(written);
    },
  };
}
