import { memo, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import type { Model, ModelRef } from '../../../api/models.js';
import type { TableRow } from '../../../api/tables.js';
import { t } from '../../../texts.js';
import { getCell, getRowTitle, type ListColumn } from '../columns/columns.js';
import type { ColumnStyle } from './column-style.js';
import { NameCell } from './name-cell.js';
import { ValueCell } from './value-cell.js';

/** The actions of rows. They never change, so that a row is drawn again only for its own changes. */
export interface RowActions {
  readonly open: (name: string) => void;
  readonly select: (name: string, isOn: boolean, isRange: boolean) => void;
  /** Called when a row gets the focus. */
  readonly enter: (name: string) => void;
}

interface ListRowProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly row: TableRow;
  /** All known columns, and those that are displayed. */
  readonly columns: readonly ListColumn[];
  readonly shown: readonly ListColumn[];
  readonly styles: ReadonlyMap<string, ColumnStyle>;
  readonly isSelected: boolean;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly actions: RowActions;
}

export function getRowId(name: string): string {
  return `row-${name}`;
}

/** An object of a list. A click opens it; links and the checkbox are left to themselves. */
export const ListRow = memo(function ListRow(props: ListRowProps): ReactNode {
  const { modelRef, model, row, columns, shown, styles, isSelected, isCurrent, isOpen, actions } = props;
  const { metadata } = row.object;
  const { name } = metadata;
  const title = getRowTitle(model, columns, row);
  return (
    <tr
      id={getRowId(name)}
      className="list-row"
      tabIndex={isCurrent ? 0 : -1}
      aria-current={isOpen ? 'true' : undefined}
      data-selected={isSelected}
      onClick={(event) => {
        if (isPlainClick(event)) actions.open(name);
      }}
      onKeyDown={moveWithin}
      onFocus={() => actions.enter(name)}
    >
      <td className="list-row-choice">
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={t`Select ${name}`}
          checked={isSelected}
          onChange={({ target, nativeEvent }) =>
            actions.select(name, target.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
          }
        />
      </td>
      {shown.map((column, i) =>
        i === 0 ? (
          <Cell key={column.id} value={title ?? name} look={styles.get(column.id)}>
            <NameCell modelRef={modelRef} metadata={metadata} title={title} />
          </Cell>
        ) : (
          <ColumnCell key={column.id} column={column} row={row} look={styles.get(column.id)} />
        ),
      )}
    </tr>
  );
});

/** A click that selects text, or that something in the row handles, opens nothing. */
export function isPlainClick({ target, currentTarget }: MouseEvent<HTMLElement>): boolean {
  if (target instanceof Element && target.closest('a, button, input, label') !== null) return false;
  const selected = getSelection();
  return selected === null || selected.isCollapsed || !currentTarget.contains(selected.anchorNode);
}

/** The arrow keys lead to the checkbox and the links of the row, and back. */
function moveWithin(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const row = event.currentTarget;
  const places = [row, ...row.querySelectorAll<HTMLElement>('a, button, input')];
  const at = places.findIndex((one) => one === document.activeElement);
  const next = places[at + step];
  if (at === -1 || next === undefined) return;
  event.preventDefault();
  next.focus();
}

interface ColumnCellProps {
  readonly column: ListColumn;
  readonly row: TableRow;
  readonly look: ColumnStyle | undefined;
}

function ColumnCell({ column, row, look }: ColumnCellProps): ReactNode {
  const value = getCell(column, row);
  return (
    <Cell value={value === undefined ? '' : JSON.stringify(value)} look={look}>
      <ValueCell column={column} value={value} />
    </Cell>
  );
}

/** Classes of a changed cell. They look the same; a change from one to the other restarts the animation. */
const FRESH = ['list-row-fresh', 'list-row-fresh-again'] as const;

interface CellProps {
  /** Compared with the one before: a value that changes while it is displayed is marked. */
  readonly value: string;
  readonly look: ColumnStyle | undefined;
  readonly children: ReactNode;
}

function Cell({ value, look, children }: CellProps): ReactNode {
  const [seen, setSeen] = useState({ value, changes: 0 });
  if (seen.value !== value) setSeen({ value, changes: seen.changes + 1 });
  const fresh = seen.changes > 0 && FRESH[seen.changes % FRESH.length];
  return (
    <td
      className={['list-cell', look?.className, fresh].filter(Boolean).join(' ')}
      style={look?.style}
      onAnimationEnd={() => setSeen({ value, changes: 0 })}
    >
      {children}
    </td>
  );
}
