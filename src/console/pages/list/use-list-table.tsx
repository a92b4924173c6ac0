import {
  columnVisibilityFeature,
  createColumnHelper,
  rowSelectionFeature,
  tableFeatures,
  useTable,
  type ReactTable,
} from '@tanstack/react-table';
import { useId, useMemo, useState } from 'react';
import type { Model, ModelRef } from '../../api/models.js';
import { useReferenceTargets } from '../../api/reference-targets.js';
import type { Table, TableColumn, TableRow } from '../../api/tables.js';
import { formatValue } from '../../lib/format.js';
import { useIsUnsaved } from '../../editor/drafts.js';
import { Age } from '../../parts/age.js';
import { Unsaved } from '../../parts/dialogs/unsaved.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { getFieldPath } from './parameters.js';
import type { Selection } from './selection.js';
import { TextCell } from './text-cell.js';

const features = tableFeatures({ rowSelectionFeature, columnVisibilityFeature });
const helper = createColumnHelper<typeof features, TableRow>();

export type ListTableModel = ReactTable<typeof features, TableRow>;

interface ListTableOptions {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly table: Table;
  readonly selection: Selection;
}

interface UsedListTable {
  readonly rows: ListTableModel;
  /** True when some columns are displayed only on request. */
  readonly hasMore: boolean;
  readonly isWide: boolean;
  readonly setIsWide: (isWide: boolean) => void;
}

/** A page of a list as selectable rows and columns; the less important columns are optional. */
export function useListTable({ modelRef, model, table, selection }: ListTableOptions): UsedListTable {
  const [isWide, setIsWide] = useState(false);
  const { columnDefinitions } = table;
  const targets = useColumnTargets(model);
  // Each response has a new array of the same columns.
  const described = JSON.stringify(columnDefinitions);
  const columns = useMemo(
    () => getColumns(modelRef, JSON.parse(described) as readonly TableColumn[], targets),
    [modelRef, described, targets],
  );
  const columnVisibility = useMemo(
    () => Object.fromEntries(columnDefinitions.map(({ name, priority }) => [name, isWide || priority === 0])),
    [described, isWide],
  );
  const rows = useTable({
    features,
    columns,
    data: table.rows,
    getRowId: ({ object }) => object.metadata.name,
    state: { rowSelection: selection.state, columnVisibility },
    onRowSelectionChange: selection.set,
  });
  return { rows, hasMore: columnDefinitions.some(({ priority }) => priority > 0), isWide, setIsWide };
}

/** The models whose objects the cells of columns name, by the name of the column. */
function useColumnTargets(model: Model | undefined): ReadonlyMap<string, Model> {
  const targets = useReferenceTargets(model);
  return useMemo(
    () =>
      new Map(
        (model?.columns ?? []).flatMap((column) => {
          const target = targets.get(getFieldPath(column));
          return target === undefined ? [] : [[column.name, target] as const];
        }),
      ),
    [model, targets],
  );
}

function getColumns(
  model: ModelRef,
  columns: readonly TableColumn[],
  targets: ReadonlyMap<string, ModelRef>,
) {
  return helper.columns(
    columns.map(({ name, type }, i) =>
      helper.accessor(({ cells }) => cells[i], {
        id: name,
        header: name,
        cell: ({ row }) => {
          const { cells } = row.original;
          if (i === 0) return <ObjectLink model={model} row={row.original} />;
          const cell = cells[i];
          if (type === 'date') return <Age time={typeof cell === 'string' ? cell : undefined} />;
          if (type === 'integer' || type === 'number')
            return <span className="number">{formatValue(cell)}</span>;
          const target = typeof cell === 'string' ? targets.get(name) : undefined;
          return <TextCell value={formatValue(cell)} target={target} />;
        },
      }),
    ),
  );
}

function ObjectLink({ model, row }: { readonly model: ModelRef; readonly row: TableRow }) {
  const id = useId();
  const { name, deletionTimestamp } = row.object.metadata;
  const isUnsaved = useIsUnsaved(model, name);
  return (
    <>
      <a href={getObject(model, name)} aria-describedby={isUnsaved ? id : undefined}>
        {name}
        {isUnsaved && <Unsaved id={id} />}
      </a>
      {deletionTimestamp !== undefined && <span className="badge badge-attention">{t`being deleted`}</span>}
    </>
  );
}
