import type { ReactNode } from 'react';
import { t } from '../../../texts.js';
import { getCell, getRowTitle } from '../columns/columns.js';
import { getRowId, isPlainClick } from './list-row.js';
import type { ListTableProps } from './list-table-props.js';
import { NameCell } from './name-cell.js';
import { ValueCell } from './value-cell.js';

/** The number of columns that the second line has. */
const COLUMNS_MAX = 3;

/** Rows of two lines: the title, and the most important columns. */
export function ListCards(props: ListTableProps): ReactNode {
  const { modelRef, table, columns, header, selection, open, rowActions, isOld } = props;
  const others = header.shown.slice(1, 1 + COLUMNS_MAX);
  return (
    <ul className="list-cards" data-old={isOld}>
      {table.rows.map((row) => {
        const { metadata } = row.object;
        const { name } = metadata;
        return (
          <li
            key={name}
            id={getRowId(name)}
            data-selected={selection.has(name)}
            aria-current={name === open || undefined}
            onClick={(event) => {
              if (isPlainClick(event)) rowActions.open(name);
            }}
          >
            <input
              type="checkbox"
              aria-label={t`Select ${name}`}
              checked={selection.has(name)}
              onChange={({ target }) => rowActions.select(name, target.checked, false)}
            />
            <div className="list-cards-main">
              <NameCell
                modelRef={modelRef}
                metadata={metadata}
                title={getRowTitle(header.model, columns, row)}
              />
              <div className="list-cards-more">
                {others.map((column) => (
                  <span key={column.id} title={column.title}>
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
