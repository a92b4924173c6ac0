import { memo, useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { t } from '../../../texts.js';

/** The state of a cell, in one letter: none, own, implied, refused by the service; a space for a verb that the row does not have. */
export type Mark = 'n' | 'o' | 'i' | 'r' | ' ';

interface MatrixLine {
  readonly id: string;
  readonly label: string;
  /** One {@link Mark} for each column. */
  readonly marks: string;
}

interface MatrixPart {
  /** Empty without a heading. */
  readonly title: string;
  readonly lines: readonly MatrixLine[];
}

interface MatrixTableProps {
  readonly label: string;
  /** The heading of the first column. */
  readonly rowHeading: string;
  readonly verbs: readonly string[];
  readonly parts: readonly MatrixPart[];
  /** In place of the table when it has no rows. */
  readonly empty: string;
  readonly isReadOnly: boolean;
  /** A function that does not change between renderings. */
  readonly onToggle: (id: string, verb: string) => void;
}

/** Checkboxes for rights. The arrow keys move between them; only one is in the tab order. */
export function MatrixTable(props: MatrixTableProps): ReactNode {
  const { label, rowHeading, verbs, parts, empty, isReadOnly, onToggle } = props;
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    const boxes = table.current?.querySelectorAll('input') ?? [];
    if (![...boxes].some((box) => box.tabIndex === 0)) boxes[0]?.setAttribute('tabindex', '0');
  });
  if (parts.every(({ lines }) => lines.length === 0)) return <p className="faint">{empty}</p>;
  return (
    <div className="card scroll matrix-table-scroll">
      <table
        ref={table}
        role="grid"
        aria-label={label}
        className="matrix-table"
        onKeyDown={moveFocus}
        onFocus={noteFocus}
      >
        <thead>
          <tr>
            <th scope="col">{rowHeading}</th>
            {verbs.map((verb) => (
              <th key={verb} scope="col" title={t(verb)}>
                <span lang={verb === '*' ? undefined : 'en'}>{verb === '*' ? t`all` : verb}</span>
              </th>
            ))}
          </tr>
        </thead>
        {parts.map(({ title, lines }) => (
          <tbody key={title}>
            {title !== '' && (
              <tr className="matrix-table-group">
                <th scope="rowgroup" colSpan={verbs.length + 1}>
                  {title}
                </th>
              </tr>
            )}
            {lines.map((line) => (
              <MatrixRow key={line.id} {...line} verbs={verbs} isReadOnly={isReadOnly} onToggle={onToggle} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

type MatrixRowProps = MatrixLine & Pick<MatrixTableProps, 'verbs' | 'isReadOnly' | 'onToggle'>;

/** Rendered again only when one of its marks changes: a matrix has thousands of cells. */
const MatrixRow = memo(function MatrixRow({ id, label, marks, verbs, isReadOnly, onToggle }: MatrixRowProps) {
  return (
    <tr>
      <th scope="row" title={label}>
        {label}
      </th>
      {verbs.map((verb, i) => {
        const mark = marks[i];
        const isFixed = isReadOnly || mark === 'i';
        return (
          <td key={verb}>
            {mark !== ' ' && (
              <input
                type="checkbox"
                tabIndex={-1}
                className={mark === 'r' ? 'matrix-table-refused' : undefined}
                aria-label={`${verb === '*' ? t`all` : verb} ${label}`}
                aria-invalid={mark === 'r' ? true : undefined}
                aria-disabled={isFixed}
                title={mark === 'i' ? t`Allowed by a broader row or column` : undefined}
                checked={mark !== 'n'}
                onChange={() => {
                  if (!isFixed) onToggle(id, verb);
                }}
              />
            )}
          </td>
        );
      })}
    </tr>
  );
});

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

function moveFocus(event: KeyboardEvent<HTMLTableElement>): void {
  const step = STEPS[event.key];
  const cell = (event.target as Element).closest('td');
  if (step === undefined || cell === null) return;
  event.preventDefault();
  const [down, right] = step;
  const rows = [...event.currentTarget.rows];
  const isBackward = getComputedStyle(cell).direction === 'rtl';
  let [row, column] = [rows.findIndex((one) => one.contains(cell)), cell.cellIndex];
  for (;;) {
    row += down;
    column += isBackward ? -right : right;
    const next = rows[row]?.cells[column];
    // Headings have no checkbox, and the rows end somewhere.
    const box = next?.querySelector('input');
    if (box !== null && box !== undefined) {
      box.focus();
      return;
    }
    if (rows[row] === undefined || column < 1 || column >= (rows[0]?.cells.length ?? 0)) return;
  }
}

/** The focused checkbox is the one in the tab order. */
function noteFocus({
  target,
  currentTarget,
}: {
  readonly target: Element;
  readonly currentTarget: Element;
}): void {
  if (!(target instanceof HTMLInputElement)) return;
  for (const box of currentTarget.querySelectorAll('input[tabindex="0"]')) box.setAttribute('tabindex', '-1');
  target.tabIndex = 0;
}
