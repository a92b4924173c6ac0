import { useState, type ReactNode } from 'react';
import { getApiVersion, type Model, type ModelRef } from '../../api/models.js';
import { useMayDo } from '../../api/platform/rights.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import type { Target } from './bulk/bulk-dialog.js';
import { DeleteMany, type ManyProps } from './bulk/delete-many.js';
import { LabelMany } from './bulk/label-many.js';
import { iterateNames, iterateParts } from './bulk/names.js';
import { ExportMenu } from './export/export-menu.js';
import { getConditions, getWholeList } from './parameters.js';
import type { Selection } from './selection.js';

interface ListHeadProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  /** Undefined while it is unknown. */
  readonly total: number | undefined;
  readonly parameters: URLSearchParams;
  readonly selection: Selection;
}

/** The name of the list, the number of objects, and the actions on them. */
export function ListHead({ modelRef, model, total, parameters, selection }: ListHeadProps): ReactNode {
  const isPart = getConditions(parameters).size > 0;
  const mayDo = useMayDo();
  return (
    <div className="row below">
      <div>
        <h1>{modelRef.plural}</h1>
        <p className="faint">{getApiVersion(modelRef)}</p>
      </div>
      {total !== undefined && (
        <output className="total">{isPart ? t`${total} matching` : t`${total} total`}</output>
      )}
      <div className="actions end">
        <Bulk
          modelRef={modelRef}
          model={model}
          total={total ?? 0}
          parameters={parameters}
          selection={selection}
          mayLabel={mayDo('patch', modelRef)}
          mayDelete={mayDo('delete', modelRef)}
        />
        <ExportMenu modelRef={modelRef} parameters={parameters} total={total} selection={selection} />
        {mayDo('create', modelRef) && (
          <button
            type="button"
            className="primary"
            onClick={() => navigate({ page: 'create', model: modelRef, way: 'yaml' })}
          >
            {t`Create`}
          </button>
        )}
      </div>
    </div>
  );
}

interface BulkProps extends Omit<ListHeadProps, 'total'> {
  readonly total: number;
  readonly mayLabel: boolean;
  readonly mayDelete: boolean;
}

/** An open dialog, and its subject. */
interface Asked {
  readonly Dialog: (props: ManyProps) => ReactNode;
  readonly target: Target;
}

/** The actions on the selected objects. */
function Bulk(props: BulkProps): ReactNode {
  const { modelRef, model, total, parameters, selection, mayLabel, mayDelete } = props;
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
  return (
    <>
      {count > 0 && <Chosen count={count} total={total} selection={selection} />}
      {mayLabel && (
        <button type="button" disabled={count === 0 || model === undefined} onClick={() => ask(LabelMany)}>
          {t`Set labels`}
        </button>
      )}
      {mayDelete && (
        <button type="button" disabled={count === 0 || model === undefined} onClick={() => ask(DeleteMany)}>
          {t`Delete`}
        </button>
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

interface ChosenProps {
  readonly count: number;
  readonly total: number;
  readonly selection: Selection;
}

function Chosen({ count, total, selection }: ChosenProps): ReactNode {
  return (
    <span>
      {t`${count} selected`}{' '}
      {count < total && (
        <button type="button" className="quiet" onClick={selection.chooseAll}>
          {t`Select all ${total}`}
        </button>
      )}
      <button type="button" className="quiet" onClick={selection.clear}>
        {t`Deselect`}
      </button>
    </span>
  );
}
