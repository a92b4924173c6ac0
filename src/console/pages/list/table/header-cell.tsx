import { useId, useRef, type PointerEvent, type ReactNode } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover, Separator } from 'react-aria-components';
import type { Model } from '../../../api/models.js';
import { Icon } from '../../../parts/icon.js';
import { t } from '../../../texts.js';
import { withMove, withPin, withShown, withWidth, type ColumnChoice } from '../columns/choice.js';
import { getNameSort, NAME, type ListColumn } from '../columns/columns.js';
import { getFieldIcon } from '../fields.js';
import { getSort, withParameter, withSort, type Direction } from '../parameters.js';
import type { ColumnStyle } from './column-style.js';

/** The changes that headers make. */
export interface HeaderActions {
  readonly model: Model | undefined;
  readonly parameters: URLSearchParams;
  readonly onChange: (parameters: URLSearchParams) => void;
  readonly shown: readonly ListColumn[];
  readonly choice: ColumnChoice;
  readonly setChoice: (choice: ColumnChoice) => void;
}

interface HeaderCellProps {
  readonly column: ListColumn;
  readonly actions: HeaderActions;
  readonly look: ColumnStyle;
}

/** Values of WAI-ARIA. */
const ARIA_SORT = { asc: 'ascending', desc: 'descending' } as const;
const ARROWS = { asc: '↑', desc: '↓' } as const;
/** The step of a width that is changed from the menu, in pixels. */
const STEP = 40;

/** The name of a column. A click sorts by its index; a menu has the rest. */
export function HeaderCell({ column, actions, look }: HeaderCellProps): ReactNode {
  const { model, parameters, onChange } = actions;
  const cell = useRef<HTMLTableCellElement>(null);
  const nameId = useId();
  const sort = column.id === NAME ? getNameSort(model) : column.sort;
  const now = getSort(parameters, model);
  const direction = sort !== undefined && now?.field === sort ? now.direction : undefined;
  const name = (
    <>
      {column.id !== NAME && <Icon name={getFieldIcon(column.kind)} />}
      <span id={nameId} className="header-cell-title">
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
      <div className="header-cell-line">
        {sort === undefined ? (
          <span className="header-cell-name">{name}</span>
        ) : (
          <button
            type="button"
            className="header-cell-name"
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
          actions={actions}
          getWidth={() => cell.current?.offsetWidth ?? 0}
        />
      </div>
      <Resizer column={column} actions={actions} />
    </th>
  );
}

interface HeaderMenuProps extends Omit<HeaderCellProps, 'look'> {
  /** The id of the title: names of buttons do not contain it, so that only one button is named as the column. */
  readonly nameId: string;
  readonly sort: string | undefined;
  readonly getWidth: () => number;
}

function HeaderMenu({ column: { id }, nameId, sort, actions, getWidth }: HeaderMenuProps): ReactNode {
  const { model, parameters, onChange, shown, choice, setChoice } = actions;
  const ids = shown.map((one) => one.id);
  const isPinned = choice.pinned.includes(id);
  const isName = id === NAME;
  const sortBy = (field: string, direction: Direction): void =>
    onChange(withParameter(parameters, 'sort', `${field},${direction}`));
  const isSorted = sort !== undefined && getSort(parameters, model)?.field === sort;
  return (
    <MenuTrigger>
      <Button className="header-cell-menu" aria-label={t`Column options`} aria-describedby={nameId}>
        <Icon name="chevron-down" />
      </Button>
      <Popover className="popover">
        <Menu className="menu">
          {sort !== undefined && (
            <MenuItem onAction={() => sortBy(sort, 'asc')}>{t`Sort ascending`}</MenuItem>
          )}
          {sort !== undefined && (
            <MenuItem onAction={() => sortBy(sort, 'desc')}>{t`Sort descending`}</MenuItem>
          )}
          {isName && sort !== NAME && (
            <MenuItem onAction={() => sortBy(NAME, 'asc')}>{t`Sort by name`}</MenuItem>
          )}
          {isSorted && (
            <MenuItem
              onAction={() => onChange(withParameter(parameters, 'sort', ''))}
            >{t`Do not sort`}</MenuItem>
          )}
          {sort !== undefined && <Separator className="header-cell-separator" />}
          <MenuItem onAction={() => setChoice(withWidth(choice, id, getWidth() + STEP))}>{t`Wider`}</MenuItem>
          <MenuItem
            onAction={() => setChoice(withWidth(choice, id, getWidth() - STEP))}
          >{t`Narrower`}</MenuItem>
          {id in choice.widths && (
            <MenuItem
              onAction={() => setChoice(withWidth(choice, id, undefined))}
            >{t`Automatic width`}</MenuItem>
          )}
          {!isName && (
            <>
              <MenuItem onAction={() => setChoice(withPin(choice, id, !isPinned, getWidths(ids)))}>
                {isPinned ? t`Unpin` : t`Pin`}
              </MenuItem>
              <MenuItem onAction={() => setChoice(withMove(choice, ids, id, -1))}>{t`Move left`}</MenuItem>
              <MenuItem onAction={() => setChoice(withMove(choice, ids, id, 1))}>{t`Move right`}</MenuItem>
              <MenuItem
                onAction={() =>
                  setChoice(
                    withShown(
                      choice,
                      ids.filter((one) => one !== id),
                    ),
                  )
                }
              >
                {t`Hide column`}
              </MenuItem>
            </>
          )}
        </Menu>
      </Popover>
    </MenuTrigger>
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
function Resizer({
  column: { id },
  actions: { choice, setChoice },
}: Omit<HeaderCellProps, 'look'>): ReactNode {
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
