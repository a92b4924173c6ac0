import { useId, useRef, type PointerEvent, type ReactNode } from 'react';
import { Icon } from '../../../parts/icon.js';
import { MenuButton } from '../../../parts/choices/menu-button.js';
import { t } from '../../../texts.js';
import { withMove, withoutColumn, withPin, withWidth, type ColumnChoice } from '../columns/choice.js';
import { getNameSort, NAME, type ListColumn } from '../columns/columns.js';
import { FIELD_ICONS } from '../fields.js';
import { useListState } from '../list-context.js';
import { getSort, withParameter, withSort } from '../parameters.js';
import type { ColumnStyle } from './column-style.js';

interface HeaderCellProps {
  readonly column: ListColumn;
  readonly look: ColumnStyle;
}

/** Values of WAI-ARIA. */
const ARIA_SORT = { asc: 'ascending', desc: 'descending' } as const;
const ARROWS = { asc: '↑', desc: '↓' } as const;
/** The step of a width that is changed from the menu, in pixels. */
const STEP = 40;

/** The name of a column. A click sorts by its index; a menu has the rest. */
export function HeaderCell({ column, look }: HeaderCellProps): ReactNode {
  const { model, parameters, onChange } = useListState();
  const cell = useRef<HTMLTableCellElement>(null);
  const nameId = useId();
  const sort = column.id === NAME ? getNameSort(model) : column.sort;
  const now = getSort(parameters, model);
  const direction = sort !== undefined && now?.field === sort ? now.direction : undefined;
  const name = (
    <>
      {column.id !== NAME && <Icon name={FIELD_ICONS[column.kind]} />}
      <span id={nameId} className="cut">
        {column.title}
      </span>
    </>
  );
  return (
    <th
      ref={cell}
      scope="col"
      aria-label={column.title}
      aria-sort={direction && ARIA_SORT[direction]}
      className={`header-cell ${look.className}`}
      style={look.style}
      data-column={column.id}
    >
      <div className="line header-cell-line">
        {sort === undefined ? (
          <span className="line header-cell-name">{name}</span>
        ) : (
          <button
            type="button"
            className="line header-cell-name"
            onClick={() => onChange(withSort(parameters, model, sort))}
          >
            {name}
            {direction !== undefined && <span aria-hidden="true">{ARROWS[direction]}</span>}
          </button>
        )}
        <HeaderMenu
          column={column}
          nameId={nameId}
          sort={sort}
          getWidth={() => cell.current?.offsetWidth ?? 0}
        />
      </div>
      <Resizer id={column.id} />
    </th>
  );
}

interface HeaderMenuProps {
  readonly column: ListColumn;
  /** The id of the title: names of buttons do not contain it, so that only one button is named as the column. */
  readonly nameId: string;
  readonly sort: string | undefined;
  readonly getWidth: () => number;
}

function HeaderMenu({ column: { id }, nameId, sort, getWidth }: HeaderMenuProps): ReactNode {
  const { model, parameters, onChange, shown, choice, setChoice } = useListState();
  const ids = shown.map((one) => one.id);
  const isPinned = choice.pinned.includes(id);
  const hasSort = sort !== undefined;
  const isOther = id !== NAME;
  const sortBy = (text: string) => () => onChange(withParameter(parameters, 'sort', text));
  const setWidth = (step: number) => () => setChoice(withWidth(choice, id, getWidth() + step));
  const move = (step: 1 | -1) => () => setChoice(withMove(choice, ids, id, step));
  return (
    <MenuButton
      className="quiet sign header-cell-menu"
      aria-label={t`Column options`}
      aria-describedby={nameId}
      entries={[
        hasSort && [t`Sort ascending`, sortBy(`${sort},asc`)],
        hasSort && [t`Sort descending`, sortBy(`${sort},desc`)],
        !isOther && sort !== NAME && [t`Sort by name`, sortBy(`${NAME},asc`)],
        hasSort && getSort(parameters, model)?.field === sort && [t`Do not sort`, sortBy('')],
        hasSort && 'line',
        [t`Wider`, setWidth(STEP)],
        [t`Narrower`, setWidth(-STEP)],
        id in choice.widths && [t`Automatic width`, () => setChoice(withWidth(choice, id, undefined))],
        isOther && [
          isPinned ? t`Unpin` : t`Pin`,
          () => setChoice(withPin(choice, id, !isPinned, getWidths(ids))),
        ],
        isOther && [t`Move left`, move(-1)],
        isOther && [t`Move right`, move(1)],
        isOther && [t`Hide column`, () => setChoice(withoutColumn(choice, ids, id))],
      ]}
    >
      <Icon name="chevron-down" />
    </MenuButton>
  );
}

/** The present widths of the columns: where a pinned one stays depends on those before it. */
function getWidths(ids: readonly string[]): ColumnChoice['widths'] {
  const cells = document.querySelectorAll<HTMLElement>('[data-column]');
  return Object.fromEntries(
    [...cells].flatMap((cell) => {
      const id = cell.dataset.column ?? '';
      return ids.includes(id) ? [[id, cell.offsetWidth] as const] : [];
    }),
  );
}

/** The edge of a column, which the pointer drags. The menu does the same by keyboard. */
function Resizer({ id }: { readonly id: string }): ReactNode {
  const { choice, setChoice } = useListState();
  const start = (event: PointerEvent<HTMLSpanElement>): void => {
    const edge = event.currentTarget;
    const cell = edge.closest('th');
    if (cell === null || event.button !== 0) return;
    event.preventDefault();
    const [from, width] = [event.clientX, cell.offsetWidth];
    const sign = getComputedStyle(cell).direction === 'rtl' ? -1 : 1;
    const drag = ({ clientX }: { readonly clientX: number }): void =>
      setChoice(withWidth(choice, id, width + sign * (clientX - from)));
    const end = (): void => edge.removeEventListener('pointermove', drag);
    edge.setPointerCapture(event.pointerId);
    edge.addEventListener('pointermove', drag);
    edge.addEventListener('lostpointercapture', end, { once: true });
  };
  return (
    <span
      className="header-cell-edge"
      aria-hidden="true"
      onPointerDown={start}
      onDoubleClick={() => setChoice(withWidth(choice, id, undefined))}
    />
  );
}
