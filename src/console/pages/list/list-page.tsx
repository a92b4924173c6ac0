import { useMemo, type ReactNode } from 'react';
import { NotServed } from '../../api/errors.js';
import { useModel, useModels, type ModelRef } from '../../api/models.js';
import { useMayDo } from '../../api/platform/rights.js';
import { humanize } from '../../lib/naming.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { Notice, Pending } from '../../parts/notice.js';
import { formatRoute } from '../../routes/route.js';
import { navigate, replaceRoute } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { SelectionBar } from './bulk/selection-bar.js';
import { getShown } from './columns/choice.js';
import { getColumns, needsObjects } from './columns/columns.js';
import { useColumnChoice } from './columns/use-columns.js';
import { EmptyList } from './empty-list.js';
import { FilterBar } from './filters/filter-bar.js';
import { ListFooter } from './list-footer.js';
import { ListHead } from './list-head.js';
import { ListTools } from './list-tools.js';
import {
  fieldOfError,
  getConditions,
  isSameRequest,
  isSameSearch,
  isShown,
  OPEN,
  SAVED,
  withOpen,
} from './parameters.js';
import { RecordOverList } from './record-over-list.js';
import { useSelection } from './selection.js';
import { ListTable } from './table/list-table.js';
import { useCurrentRow } from './use-current-row.js';
import { useList } from './use-list.js';
import { useSavedViews } from './views/saved-views.js';
import { ViewTabs } from './views/view-tabs.js';
import { useListKeys } from './use-list-keys.js';

const ExplainPanel = lazyPart(() => import('./explain/explain-panel.js'));
const FacetPanel = lazyPart(() => import('./facets/facet-panel.js'));

const NO_COLUMNS: readonly never[] = [];

interface ListPageProps {
  readonly modelRef: ModelRef;
  /** Of the URL: the conditions, the order, the page, and what is open. */
  readonly parameters: URLSearchParams;
}

/** The objects of a model: a page that is updated with changes. */
export function ListPage({ modelRef, parameters }: ListPageProps): ReactNode {
  const model = useModel(modelRef);
  const { data: models } = useModels();
  const mayDo = useMayDo();
  const views = useSavedViews(modelRef);
  const view = views.find(({ name }) => name === parameters.get(SAVED));
  const { choice, setChoice } = useColumnChoice(modelRef, view?.columns);
  const isWhole = needsObjects(model, choice.shown ?? NO_COLUMNS);
  const { shown: listed, isOld, error, retry } = useList(modelRef, parameters, isWhole);
  // Of a failed request only rows remain: an empty table would say that nothing matches.
  const table = isOld && error !== null && listed?.table.rows.length === 0 ? undefined : listed?.table;
  const names = useMemo(() => table?.rows.map(({ object }) => object.metadata.name) ?? [], [table]);
  // Each response has a new array of the same columns.
  const defined = JSON.stringify(table?.columnDefinitions ?? NO_COLUMNS);
  const columns = useMemo(
    () => getColumns(model, table?.columnDefinitions ?? NO_COLUMNS, choice.shown ?? NO_COLUMNS),
    [model, defined, choice],
  );
  const shown = useMemo(() => getShown(columns, choice), [columns, choice]);
  // Actions are on the list that is displayed, also while another one is loading.
  const parametersOfRows = listed?.parameters ?? parameters;
  const selection = useSelection(getConditions(parametersOfRows).toString(), names);
  const change = (changed: URLSearchParams): void => {
    // The back button leads to other rows: opening a panel and further typing are not steps in the history.
    const isStep = !isSameRequest(parameters, changed) && !isSameSearch(parameters, changed);
    const go = isStep ? navigate : replaceRoute;
    go({ page: 'list', model: modelRef, parameters: changed });
  };
  const open = parameters.get(OPEN) ?? undefined;
  const show = (name: string | undefined, isEdited = false): void => {
    const route = {
      page: 'list',
      model: modelRef,
      parameters: withOpen(parameters, name, isEdited ? 'form' : undefined),
    } as const;
    // Closing, and other objects over the same list, are no steps in the history.
    if (open === undefined && name !== undefined) navigate(route);
    else replaceRoute(route);
  };
  const row = useCurrentRow({ names, open, selection, show });
  useListKeys({
    ...row.keys,
    create: mayDo('create', modelRef)
      ? () => navigate({ page: 'create', model: modelRef, way: 'form' })
      : undefined,
    close: open === undefined ? undefined : () => show(undefined),
  });
  const fault = fieldOfError(error, parameters);
  const isAway =
    error instanceof NotServed || (table === undefined && models !== undefined && model === undefined);
  const common = { modelRef, model, parameters, onChange: change };
  const header = { ...common, shown, choice, setChoice };
  return (
    <div className="list-page">
      <ListHead
        modelRef={modelRef}
        model={model}
        total={isAway ? undefined : table?.total}
        parameters={parametersOfRows}
      />
      <ViewTabs
        modelRef={modelRef}
        views={views}
        parameters={parameters}
        columns={choice.shown}
        onChange={change}
      />
      <FilterBar {...common} fault={fault}>
        <ListTools {...header} columns={columns} />
      </FilterBar>
      {isAway ? (
        <Notice tone="attention">{t`The model “${modelRef.plural}” is not available. Its plugin may be stopped, or you may lack permission. The page updates when the model appears.`}</Notice>
      ) : (
        <>
          <div className="list-page-notes">
            {error === null && table === undefined && <Pending error={null} />}
            {error !== null && fault === undefined && <Pending error={error} onRetry={retry} />}
            {/* Rows that were read before a failure remain. */}
            {table !== undefined && isOld && error !== null && (
              <p className="faint">{t`These rows are from before the last change.`}</p>
            )}
            {fault === undefined && isShown(parameters, 'explain') && (
              <ExplainPanel modelRef={modelRef} parameters={parameters} />
            )}
            {fault === undefined && isShown(parameters, 'facets') && <FacetPanel {...common} />}
          </div>
          {table !== undefined && table.total === 0 && <EmptyList {...common} />}
          {table !== undefined && table.total > 0 && (
            <ListTable
              modelRef={modelRef}
              label={humanize(modelRef.plural)}
              table={table}
              columns={columns}
              header={header}
              selection={selection}
              current={row.current}
              open={open}
              rowActions={row.actions}
              isOld={isOld}
              isLoading={isOld && error === null}
            />
          )}
          {table !== undefined && fault === undefined && (
            <ListFooter table={table} parameters={parameters} onChange={change} />
          )}
          <SelectionBar
            modelRef={modelRef}
            model={model}
            total={table?.total ?? 0}
            parameters={parametersOfRows}
            selection={selection}
          />
        </>
      )}
      {open !== undefined && (
        <RecordOverList
          modelRef={modelRef}
          name={open}
          parameters={parameters}
          names={names}
          getRoute={(changed) => formatRoute({ page: 'list', model: modelRef, parameters: changed })}
        />
      )}
    </div>
  );
}
