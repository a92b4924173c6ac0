import { FlexRender } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import type { Model, ModelRef } from '../../api/models.js';
import type { Table } from '../../api/tables.js';
import { Choice } from '../../parts/field.js';
import { getList } from '../../routes/route.js';
import { t } from '../../texts.js';
import {
  findField,
  getConditions,
  getSort,
  SEARCH,
  sortableFields,
  withParameter,
  withSort,
} from './parameters.js';
import type { Selection } from './selection.js';
import { useFresh } from './use-fresh.js';
import { useListTable, type ListTableModel } from './use-list-table.js';

interface ListTableProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly table: Table;
  readonly parameters: URLSearchParams;
  readonly selection: Selection;
  /** True when it is not the requested page. */
  readonly isOld: boolean;
  /** True while the requested page is loading. */
  readonly isLoading: boolean;
  readonly onChange: (parameters: URLSearchParams) => void;
}

/** The rows of a page. Headers of columns with an index sort by it. */
export function ListTable(props: ListTableProps): ReactNode {
  const { modelRef, model, table, parameters, selection, isOld, isLoading, onChange } = props;
  const { rows, hasMore, isWide, setIsWide } = useListTable({ modelRef, model, table, selection });
  if (table.total === 0)
    return getConditions(parameters).size === 0 ? (
      <p className="empty">{t`No objects yet.`}</p>
    ) : (
      <p className="empty">
        {t`No matches.`} <a href={getList(modelRef)}>{t`Clear filters`}</a>
      </p>
    );
  return (
    <>
      <div className="row below">
        <SortBy model={model} parameters={parameters} onChange={onChange} />
        {hasMore && (
          <label className="line">
            <input type="checkbox" checked={isWide} onChange={({ target }) => setIsWide(target.checked)} />
            {t`All columns`}
          </label>
        )}
      </div>
      <div className="scroll card" role="region" aria-label={modelRef.plural} tabIndex={0}>
        <table aria-busy={isLoading} data-old={isOld}>
          <thead>
            <tr>
              <td className="choice">
                <input
                  type="checkbox"
                  aria-label={t`Select all rows of this page`}
                  checked={rows.getIsAllPageRowsSelected()}
                  onChange={({ target }) => rows.toggleAllPageRowsSelected(target.checked)}
                />
              </td>
              {rows.getVisibleLeafColumns().map(({ id }) => (
                <Header key={id} name={id} model={model} parameters={parameters} onChange={onChange} />
              ))}
            </tr>
          </thead>
          <Rows rows={rows} />
        </table>
      </div>
    </>
  );
}

function Rows({ rows }: { readonly rows: ListTableModel }): ReactNode {
  const all = rows.getRowModel().rows;
  const fresh = useFresh(all.map(({ original }) => original.object.metadata));
  return (
    <tbody>
      {all.map((row) => (
        <tr
          key={row.id}
          className={fresh.findClass(row.id)}
          onAnimationEnd={() => fresh.settle(row.id)}
          data-selected={row.getIsSelected()}
        >
          <td className="choice">
            <input
              type="checkbox"
              aria-label={t`Select ${row.id}`}
              checked={row.getIsSelected()}
              onChange={row.getToggleSelectedHandler()}
            />
          </td>
          {row.getVisibleCells().map((cell) => (
            <td key={cell.id}>
              <FlexRender cell={cell} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

/** Values of WAI-ARIA. */
const ARIA_SORT = { asc: 'ascending', desc: 'descending' } as const;

const ARROWS = { asc: '↑', desc: '↓', none: '↕' } as const;

interface SortProps {
  readonly model: Model | undefined;
  readonly parameters: URLSearchParams;
  readonly onChange: (parameters: URLSearchParams) => void;
}

function Header({ name, model, parameters, onChange }: SortProps & { readonly name: string }): ReactNode {
  const field = findField(model, name);
  if (field === undefined) return <th scope="col">{name}</th>;
  const sort = getSort(parameters, model);
  const direction = sort?.field === field ? sort.direction : undefined;
  return (
    <th scope="col" aria-sort={direction && ARIA_SORT[direction]}>
      <button type="button" className="sort" onClick={() => onChange(withSort(parameters, model, field))}>
        {name}
        <span aria-hidden="true">{ARROWS[direction ?? 'none']}</span>
      </button>
    </th>
  );
}

/** Includes indexes without a column. */
function SortBy({ model, parameters, onChange }: SortProps): ReactNode {
  const usual = getConditions(parameters).has(SEARCH) ? t`Relevance (default)` : t`Name (default)`;
  return (
    <Choice
      label={t`Sort by`}
      value={getSort(parameters, model)?.field ?? ''}
      choices={[['', usual], ...sortableFields(model)]}
      className="line"
      onChange={(field) => onChange(withParameter(parameters, 'sort', field))}
    />
  );
}
