import { useMemo, type ReactNode } from 'react';
import type { Table } from '../../../api/tables.js';
import { getTitleOf } from '../../../lib/naming.js';
import { useEvent } from '../../../lib/use-event.js';
import { t } from '../../../texts.js';
import { getCell, getRowTitle, type ListColumn } from '../columns/columns.js';
import type { FieldKind } from '../fields.js';
import { useListState } from '../list-context.js';
import { OPEN } from '../parameters.js';
import type { Selection } from '../selection.js';
import type { CurrentRow } from '../use-current-row.js';
import { getStyles, NO_STYLE } from './column-style.js';
import { ColumnValuesContext, useColumnValues } from './column-values.js';
import { HeaderCell } from './header-cell.js';
import { getRowId, isPlainClick, ListRow } from './list-row.js';
import { NameCell } from './name-cell.js';
import { ValueCell } from './value-cell.js';

interface ListTableProps {
  readonly table: Table;
  readonly selection: Selection;
  readonly row: CurrentRow;
  /** True when it is not the requested page. */
  readonly isOld: boolean;
  /** True while the requested page is loading. */
  readonly isLoading: boolean;
}

/** A window that is too narrow for a table. */
const PHONE = matchMedia('(width < 40rem)');

/** The rows of a page: a table that scrolls in its own region, or rows of two lines on a phone. */
export function ListTable(props: ListTableProps): ReactNode {
  const { modelRef, model, shown } = useListState();
  const values = useColumnValues(model, shown, props.table.rows);
  const isPhone = useEvent(PHONE, 'change', () => PHONE.matches);
  return (
    <ColumnValuesContext value={values}>
      <div className="list-table" role="region" aria-label={getTitleOf(modelRef, model)} tabIndex={-1}>
        {isPhone ? <ListCards {...props} /> : <WideTable {...props} />}
      </div>
    </ColumnValuesContext>
  );
}

function WideTable({ table, selection, row, isOld, isLoading }: ListTableProps): ReactNode {
  const { modelRef, model, parameters, columns, shown, choice } = useListState();
  const styles = useMemo(() => getStyles(shown, choice), [shown, choice]);
  const isWhole = table.rows.every(({ object }) => selection.has(object.metadata.name));
  return (
    <table aria-busy={isLoading} data-old={isOld}>
      <thead>
        <tr>
          <td className="list-row-choice">
            <input
              type="checkbox"
              aria-label={t`Select all rows of this page`}
              checked={isWhole}
              onChange={({ target }) => selection.setPage(target.checked)}
            />
          </td>
          {shown.map((column) => (
            <HeaderCell key={column.id} column={column} look={styles.get(column.id) ?? NO_STYLE} />
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((one) => {
          const { name } = one.object.metadata;
          return (
            <ListRow
              key={name}
              row={one}
              {...{ modelRef, model, columns, shown, styles }}
              isSelected={selection.has(name)}
              isCurrent={name === row.current}
              isOpen={name === parameters.get(OPEN)}
              actions={row.actions}
            />
          );
        })}
      </tbody>
    </table>
  );
}

/** The number of columns that the second line of a card has. */
const COLUMNS_MAX = 3;
/** Kinds that tell most in a few characters; the others come after them. */
const TELLING: readonly FieldKind[] = ['enum', 'reference', 'number', 'day', 'date'];
/** Kinds whose values say nothing without the title of their column. */
const BARE: readonly FieldKind[] = ['number', 'boolean'];

/** The columns of a card after that of names: the first ones that the user chose, or those that tell most. */
function getCardColumns(shown: readonly ListColumn[], isChosen: boolean): readonly ListColumn[] {
  const rank = ({ kind }: ListColumn): number =>
    TELLING.includes(kind) ? TELLING.indexOf(kind) : TELLING.length;
  const others = shown.slice(1);
  return (isChosen ? others : others.sort((a, b) => rank(a) - rank(b))).slice(0, COLUMNS_MAX);
}

/** Rows of two lines: the title, and the most important columns. */
function ListCards({ table, selection, row: { actions }, isOld }: ListTableProps): ReactNode {
  const { modelRef, model, parameters, columns, shown, choice } = useListState();
  const others = getCardColumns(shown, choice.shown !== undefined);
  return (
    <ul className="list-table-cards" data-old={isOld}>
      {table.rows.map((row) => {
        const { metadata } = row.object;
        const { name } = metadata;
        return (
          <li
            key={name}
            id={getRowId(name)}
            data-selected={selection.has(name)}
            aria-current={name === parameters.get(OPEN) || undefined}
            onClick={(event) => {
              if (isPlainClick(event)) actions.open(name);
            }}
          >
            <input
              type="checkbox"
              aria-label={t`Select ${name}`}
              checked={selection.has(name)}
              onChange={({ target }) => actions.select(name, target.checked, false)}
            />
            <div className="stack list-table-main">
              <NameCell modelRef={modelRef} metadata={metadata} title={getRowTitle(model, columns, row)} />
              <div className="row faint">
                {others.map((column) => (
                  <span key={column.id} title={column.title}>
                    {BARE.includes(column.kind) && `${column.title} `}
                    <ValueCell column={column} value={getCell(column, row)} />
                  </span>
                ))}
              </div>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
