import { useState, type ReactNode } from 'react';
import type { Model, ModelRef } from '../../../api/models.js';
import { useMayDo } from '../../../api/platform/rights.js';
import { Icon } from '../../../parts/icon.js';
import { lazyPart } from '../../../parts/lazy-part.js';
import { t } from '../../../texts.js';
import { ExportMenu } from '../export/export-menu.js';
import { getWholeList } from '../parameters.js';
import type { Selection } from '../selection.js';
import type { Target } from './bulk-dialog.js';
import type { ManyProps } from './delete-many.js';
import { iterateNames, iterateParts } from './names.js';

const DeleteMany = lazyPart(() => import('./delete-many.js'));
const EditMany = lazyPart(() => import('./edit-many.js'));
const LabelMany = lazyPart(() => import('./label-many.js'));

interface SelectionBarProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly total: number;
  readonly parameters: URLSearchParams;
  readonly selection: Selection;
}

/** An open dialog, and its subject. */
interface Asked {
  readonly Dialog: (props: ManyProps) => ReactNode;
  readonly target: Target;
}

/** The actions on the selected objects; nothing is displayed without any. */
export function SelectionBar(props: SelectionBarProps): ReactNode {
  const { modelRef, model, total, parameters, selection } = props;
  const mayDo = useMayDo();
  const [asked, setAsked] = useState<Asked>();
  const { names, isAll } = selection;
  const count = isAll ? total : names.length;
  // The subject of the dialog is fixed, also when the list changes meanwhile.
  const ask = (Dialog: Asked['Dialog']): void => {
    const list = getWholeList(parameters);
    const parts = (): ReturnType<Target['parts']> =>
      isAll ? iterateNames(modelRef, list) : iterateParts(names);
    setAsked({ Dialog, target: { count, names, parts } });
  };
  const close = (): void => setAsked(undefined);
  const mayPatch = model !== undefined && mayDo('patch', modelRef);
  return (
    <>
      {count > 0 && (
        <div className="selection-bar" role="region" aria-label={t`Selection`}>
          <span className="selection-bar-count" role="status">
            {t`${count} selected`}
          </span>
          {count < total && (
            <button type="button" onClick={selection.chooseAll}>
              {t`Select all ${total}`}
            </button>
          )}
          {mayPatch && (
            <>
              <button type="button" onClick={() => ask(EditMany)}>
                {t`Edit fields`}
              </button>
              <button type="button" onClick={() => ask(LabelMany)}>
                {t`Labels`}
              </button>
            </>
          )}
          <ExportMenu
            modelRef={modelRef}
            parameters={parameters}
            label={t`Export selected`}
            {...(!isAll && { names })}
          />
          {model !== undefined && mayDo('delete', modelRef) && (
            <button type="button" className="selection-bar-delete" onClick={() => ask(DeleteMany)}>
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
