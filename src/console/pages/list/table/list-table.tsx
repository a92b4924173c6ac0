import { useMemo, type ReactNode } from 'react';
import { t } from '../../../texts.js';
import { getStyles } from './column-style.js';
import { HeaderCell } from './header-cell.js';
import { ListCards } from './list-cards.js';
import type { ListTableProps } from './list-table-props.js';
import { ListRow } from './list-row.js';
import { ReferenceTitles, useReferenceColumns } from './reference-titles.js';
import { useIsPhone } from './use-is-phone.js';

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
