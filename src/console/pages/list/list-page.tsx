import { useMemo, type ReactNode } from 'react';
import { NotServed } from '../../api/errors.js';
import { useModel, useModels, type ModelRef } from '../../api/models.js';
import { Notice, Pending } from '../../parts/notice.js';
import { navigate, replaceRoute } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { Chips } from './conditions/chips.js';
import { Conditions } from './conditions/conditions.js';
import { ExplainPanel } from './explain/explain-panel.js';
import { FacetPanel, usualFacets } from './facets/facet-panel.js';
import { ListHead } from './list-head.js';
import { ListTable } from './list-table.js';
import { getConditions, fieldOfError, isSameRequest, isSameSearch, isShown, withPart } from './parameters.js';
import { Pager } from './pager.js';
import { useSelection } from './selection.js';
import { useList } from './use-list.js';

interface ListPageProps {
  readonly modelRef: ModelRef;
  /** Of the URL: the conditions, the order, and the page. */
  readonly parameters: URLSearchParams;
}

/** The objects of a model: a page that is updated with changes. */
export function ListPage({ modelRef, parameters }: ListPageProps): ReactNode {
  const model = useModel(modelRef);
  const { data: models } = useModels();
  const { shown, isOld, error, retry } = useList(modelRef, parameters);
  // Of a failed request only rows remain: an empty table would say that nothing matches.
  const table = isOld && error !== null && shown?.table.rows.length === 0 ? undefined : shown?.table;
  const names = useMemo(() => table?.rows.map(({ object }) => object.metadata.name) ?? [], [table]);
  // Actions are on the list that is displayed, also while another one is loading.
  const listed = shown?.parameters ?? parameters;
  const selection = useSelection(getConditions(listed).toString(), names);
  const change = (changed: URLSearchParams): void => {
    // The back button leads to other rows: opening a panel and further typing are not steps in the history.
    const isStep = !isSameRequest(parameters, changed) && !isSameSearch(parameters, changed);
    const go = isStep ? navigate : replaceRoute;
    go({ page: 'list', model: modelRef, parameters: changed });
  };
  const fault = fieldOfError(error, parameters);
  const isAway =
    error instanceof NotServed || (table === undefined && models !== undefined && model === undefined);
  const common = { modelRef, model, parameters, onChange: change };
  return (
    <>
      <ListHead
        modelRef={modelRef}
        model={model}
        total={isAway ? undefined : table?.total}
        parameters={listed}
        selection={selection}
      />
      <Conditions {...common} fault={fault}>
        <Parts model={model} parameters={parameters} onChange={change} />
      </Conditions>
      <Chips parameters={parameters} onChange={change} />
      {isAway ? (
        <Notice tone="attention">{t`The model “${modelRef.plural}” is not available. Its plugin may be stopped, or you may lack permission. The page updates when the model appears.`}</Notice>
      ) : (
        <>
          {error === null && table === undefined && <Pending error={null} />}
          {error !== null && fault === undefined && <Pending error={error} onRetry={retry} />}
          {fault === undefined && isShown(parameters, 'explain') && (
            <ExplainPanel modelRef={modelRef} parameters={parameters} />
          )}
          {fault === undefined && isShown(parameters, 'facets') && <FacetPanel {...common} />}
          {/* Rows that were read before a failure remain. */}
          {table !== undefined && isOld && error !== null && (
            <p className="faint below">{t`These rows are from before the last change.`}</p>
          )}
          {table !== undefined && (
            <>
              <ListTable
                {...common}
                table={table}
                selection={selection}
                isOld={isOld}
                isLoading={isOld && error === null}
              />
              {fault === undefined && table.total > 0 && (
                <Pager table={table} parameters={parameters} onChange={change} />
              )}
            </>
          )}
        </>
      )}
    </>
  );
}

type PartsProps = Pick<Parameters<typeof FacetPanel>[0], 'model' | 'parameters' | 'onChange'>;

/** Opens and closes the panels with details of the list. */
function Parts({ model, parameters, onChange }: PartsProps): ReactNode {
  const toggle = (part: 'facets' | 'explain', value: string): void =>
    onChange(withPart(parameters, part, isShown(parameters, part) ? undefined : value));
  return (
    <div className="actions end">
      <button
        type="button"
        className="toggle"
        aria-expanded={isShown(parameters, 'facets')}
        onClick={() => toggle('facets', usualFacets(model))}
      >
        {t`Values`}
      </button>
      <button
        type="button"
        className="toggle"
        aria-expanded={isShown(parameters, 'explain')}
        onClick={() => toggle('explain', 'true')}
      >
        {t`Explain`}
      </button>
    </div>
  );
}
