import { useState, type ReactNode } from 'react';
import { getPath } from '../../../api/models.js';
import { useMayDo } from '../../../api/platform/rights.js';
import { iterateNames } from '../../../api/tables.js';
import { Icon } from '../../../parts/icon.js';
import { lazyPart } from '../../../parts/lazy-part.js';
import { t } from '../../../texts.js';
import { ExportMenu } from '../export/export-menu.js';
import { useListState } from '../list-context.js';
import { getWholeList } from '../parameters.js';
import type { Selection } from '../selection.js';
import type { ManyProps, Target } from './bulk-dialog.js';
import { iterateParts, PART } from './run.js';

const DeleteMany = lazyPart(() => import('./delete-many.js'));
const EditMany = lazyPart(() => import('./edit-many.js'));
const LabelMany = lazyPart(() => import('./label-many.js'));

interface SelectionBarProps {
  readonly total: number;
  readonly selection: Selection;
}

/** An open dialog, and its subject. */
interface Asked {
  readonly Dialog: (props: ManyProps) => ReactNode;
  readonly target: Target;
}

/** The actions on the selected objects; nothing is displayed without any. */
export function SelectionBar({ total, selection }: SelectionBarProps): ReactNode {
  const { modelRef, model, rowParameters } = useListState();
  const mayDo = useMayDo();
  const [asked, setAsked] = useState<Asked>();
  const { names, isAll } = selection;
  const count = isAll ? total : names.length;
  // The subject of the dialog is fixed, also when the list changes meanwhile.
  const ask = (Dialog: Asked['Dialog']) => () => {
    const list = getWholeList(rowParameters);
    const parts = (): ReturnType<Target['parts']> =>
      isAll ? iterateNames(getPath(modelRef), list, PART) : iterateParts(names);
    setAsked({ Dialog, target: { count, names, parts } });
  };
  const close = (): void => setAsked(undefined);
  const mayPatch = model !== undefined && mayDo('patch', modelRef);
  return (
    <>
      {count > 0 && (
        <div className="row selection-bar" role="region" aria-label={t`Selection`}>
          <strong role="status">{t`${count} selected`}</strong>
          {count < total && (
            <button type="button" onClick={selection.chooseAll}>
              {t`Select all ${total}`}
            </button>
          )}
          {mayPatch && (
            <>
              <button type="button" onClick={ask(EditMany)}>
                {t`Edit fields`}
              </button>
              <button type="button" onClick={ask(LabelMany)}>
                {t`Labels`}
              </button>
            </>
          )}
          <ExportMenu label={t`Export selected`} {...(!isAll && { names })} />
          {model !== undefined && mayDo('delete', modelRef) && (
            <button type="button" className="selection-bar-delete" onClick={ask(DeleteMany)}>
              {t`Delete`}
            </button>
          )}
          <button type="button" aria-label={t`Deselect`} onClick={selection.clear}>
            <Icon name="close" />
          </button>
        </div>
      )}
      {asked !== undefined && model !== undefined && (
        <asked.Dialog
          model={model}
          target={asked.target}
          onDone={() => {
            selection.clear();
            close();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
