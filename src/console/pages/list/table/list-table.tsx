import { useMemo, type ReactNode } from 'react';
import type { ModelRef } from '../../../api/models.js';
import type { Table } from '../../../api/tables.js';
import { t } from '../../../texts.js';
import type { ListColumn } from '../columns/columns.js';
import type { Selection } from '../selection.js';
import { getStyles } from './column-style.js';
import { HeaderCell, type HeaderActions } from './header-cell.js';
import { ListCards } from './list-cards.js';
import { ListRow, type RowActions } from './list-row.js';
import { ReferenceTitles, useReferenceColumns } from './reference-titles.js';
import { useIsPhone } from './use-is-phone.js';

export interface ListTableProps {
  readonly modelRef: ModelRef;
  /** The name of the list. */
  readonly label: string;
  readonly table: Table;
  /** All known columns. */
  readonly columns: readonly ListColumn[];
  readonly header: HeaderActions;
  readonly selection: Selection;
  /** The row with the tab stop, and the one that is open in the drawer. */
  readonly current: string | undefined;
  readonly open: string | undefined;
  readonly rowActions: RowActions;
  /** True when it is not the requested page. */
  readonly isOld: boolean;
  /** True while the requested page is loading. */
  readonly isLoading: boolean;
}

/** The rows of a page: a table that scrolls in its own region, or rows of two lines on a phone. */
export function ListTable(props: ListTableProps): ReactNode {
  const { table, header, label } = props;
  const references = useReferenceColumns(header.model, header.shown, table.rows);
  const isPhone = useIsPhone();
  return (
    <ReferenceTitles value={references}>
      <div className="list-table" role="region" aria-label={label} tabIndex={-1}>
        {isPhone ? <ListCards {...props} /> : <WideTable {...props} />}
      </div>
    </ReferenceTitles>
  );
}

function WideTable(props: ListTableProps): ReactNode {
  const { modelRef, table, columns, header, selection, current, open, rowActions, isOld, isLoading } = props;
  const { shown, choice, model } = header;
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
            <HeaderCell
              key={column.id}
              column={column}
              actions={header}
              look={styles.get(column.id) ?? { className: '', style: undefined }}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row) => {
          const { name } = row.object.metadata;
          return (
            <ListRow
              key={name}
              modelRef={modelRef}
              model={model}
              row={row}
              columns={columns}
              shown={shown}
              styles={styles}
              isSelected={selection.has(name)}
              isCurrent={name === current}
              isOpen={name === open}
              actions={rowActions}
            />
          );
        })}
      </tbody>
    </table>
  );
}
