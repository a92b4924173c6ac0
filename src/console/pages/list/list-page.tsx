import { useMemo, type ReactNode } from 'react';
import { NotServed } from '../../api/errors.js';
import { useModel, useModels, type ModelRef } from '../../api/models.js';
import { useMayDo } from '../../api/platform/rights.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { Notice, Pending } from '../../parts/notice.js';
import { navigate, replaceRoute } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { SelectionBar } from './bulk/selection-bar.js';
import { getShown } from './columns/choice.js';
import { getColumns, needsObjects } from './columns/columns.js';
import { useColumnChoice } from './columns/use-columns.js';
import { EmptyList } from './empty-list.js';
import { FilterBar } from './filters/filter-bar.js';
import { ListContext } from './list-context.js';
import { ListFooter } from './list-footer.js';
import { ListHead } from './list-head.js';
import {
  fieldOfError,
  getConditions,
  isSameRequest,
  isSameSearch,
  OPEN,
  SAVED,
  withOpen,
} from './parameters.js';
import { RecordOverList } from './record-over-list.js';
import { useSelection } from './selection.js';
import { ListTable } from './table/list-table.js';
import { useCurrentRow } from './use-current-row.js';
import { useList } from './use-list.js';
import { useListKeys } from './use-list-keys.js';
import { useSavedViews } from './views/saved-views.js';
import { ViewTabs } from './views/view-tabs.js';

const ExplainPanel = lazyPart(() => import('./explain/explain-panel.js'));
const FacetPanel = lazyPart(() => import('./facets/facet-panel.js'));

const NONE: readonly never[] = [];

interface ListPageProps {
  readonly modelRef: ModelRef;
  /** Of the URL. */
  readonly parameters: URLSearchParams;
}

/** The objects of a model: a page that is updated with changes. */
export function ListPage({ modelRef, parameters }: ListPageProps): ReactNode {
  const model = useModel(modelRef);
  const { data: models } = useModels();
  const mayCreate = useMayDo()('create', modelRef);
  const views = useSavedViews(modelRef);
  const view = views.find(({ name }) => name === parameters.get(SAVED));
  const { choice, setChoice } = useColumnChoice(modelRef, view?.columns);
  const isWhole = needsObjects(model, choice.shown ?? NONE);
  const { shown: listed, isOld, error, retry } = useList(modelRef, parameters, isWhole);
  // Of a failed request only rows remain: an empty table would say that nothing matches.
  const table = isOld && error !== null && listed?.table.rows.length === 0 ? undefined : listed?.table;
  const names = useMemo(() => table?.rows.map(({ object }) => object.metadata.name) ?? [], [table]);
  // Each response has a new array of the same columns.
  const defined = JSON.stringify(table?.columnDefinitions ?? NONE);
  const columns = useMemo(
    () => getColumns(model, table?.columnDefinitions ?? NONE, choice.shown ?? NONE),
    [model, defined, choice],
  );
  const shown = useMemo(() => getShown(columns, choice), [columns, choice]);
  const rowParameters = listed?.parameters ?? parameters;
  const selection = useSelection(getConditions(rowParameters).toString(), names);
  const onChange = (changed: URLSearchParams): void => {
    // The back button leads to other rows: opening a panel and further typing are not steps in the history.
    const isStep = !isSameRequest(parameters, changed) && !isSameSearch(parameters, changed);
    const go = isStep ? navigate : replaceRoute;
    go({ page: 'list', model: modelRef, parameters: changed });
  };
  const open = parameters.get(OPEN) ?? undefined;
  const show = (name: string | undefined, isEdited = false): void => {
    const changed = withOpen(parameters, name, isEdited ? 'form' : undefined);
    // Closing, and other objects over the same list, are no steps in the history.
    const go = open === undefined && name !== undefined ? navigate : replaceRoute;
    go({ page: 'list', model: modelRef, parameters: changed });
  };
  const row = useCurrentRow({ names, open, selection, show });
  useListKeys({
    ...row.keys,
    create: mayCreate ? () => navigate({ page: 'create', model: modelRef, way: 'form' }) : undefined,
    close: open === undefined ? undefined : () => show(undefined),
  });
  const fault = fieldOfError(error, parameters);
  const isAway =
    error instanceof NotServed || (table === undefined && models !== undefined && model === undefined);
  const state = { modelRef, model, parameters, rowParameters, onChange, columns, shown, choice, setChoice };
  return (
    <ListContext value={state}>
      <div className="fill list-page">
        <ListHead total={isAway ? undefined : table?.total} />
        <ViewTabs views={views} />
        <FilterBar fault={fault} />
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
              {fault === undefined && parameters.has('explain') && <ExplainPanel />}
              {fault === undefined && parameters.has('facets') && <FacetPanel />}
            </div>
            {table?.total === 0 && <EmptyList />}
            {table !== undefined && table.total > 0 && (
              <ListTable {...{ table, selection, row, isOld }} isLoading={isOld && error === null} />
            )}
            {table !== undefined && fault === undefined && <ListFooter table={table} />}
            <SelectionBar total={table?.total ?? 0} selection={selection} />
          </>
        )}
        {open !== undefined && <RecordOverList name={open} names={names} />}
      </div>
    </ListContext>
  );
}
