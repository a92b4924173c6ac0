import type { CliIo } from '../io.js';
import { colorsFor } from './colors.js';
import { escapeControls } from '../../lib/escape-controls.js';
import { cutTo, padTo, getWidth } from './width.js';

export interface TableOptions {
  readonly titles: readonly string[];
  readonly header: boolean;
  /** Width of the terminal; undefined when nothing is cut. */
  readonly columns: number | undefined;
  /** Highlights the header; undefined without colours. */
  readonly highlight?: ((text: string) => string) | undefined;
}

type Rows = AsyncIterable<readonly string[]> | Iterable<readonly string[]>;

const GAP = '   ';
/** The number of rows that are measured before the first is printed: they set the widths. */
const ROWS_MEASURED = 1000;
/** The minimum width of a cut column, so that the rest is still readable. */
const WIDTH_MIN = 8;
/** The minimum width of the first column, which has the names: the longest DNS label. */
const NAME_WIDTH_MIN = 63;

/** The flags of a command that prints a table. */
interface Shape {
  readonly headers: boolean;
  /** Nothing is cut when it is `wide`. */
  readonly output?: unknown;
}

/** Prints rows as a table, not wider than the terminal. */
export async function printTable(
  io: CliIo,
  rows: Rows,
  titles: readonly string[],
  shape?: Shape,
): Promise<void> {
  const table = await openTable(io, titles, shape);
  for await (const row of rows) if (table.add(row) >= ROWS_MEASURED) io.stdout.paint(table.flush());
  const rest = table.flush();
  if (rest !== '') io.stdout.paint(rest);
}

/** A table for standard output, not wider than the terminal. */
export async function openTable(
  io: CliIo,
  titles: readonly string[],
  { headers: header, output }: Shape = { headers: true },
): Promise<TableWriter> {
  const colors = await colorsFor(io.stdout, io.env);
  const columns = io.stdout.isTTY && output !== 'wide' ? io.stdout.columns : undefined;
  return new TableWriter({ titles: titles.map(escapeControls), header, columns, highlight: colors.strong });
}

/**
 * A table like that of kubectl: no borders, columns three spaces apart. The rows of the first {@link TableWriter.flush} set the
 * widths for all; a wider cell in a later row shifts that row.
 */
export class TableWriter {
  #waiting: (readonly string[])[] = [];
  #widths: readonly number[] | undefined;
  #hasHeader: boolean;

  constructor(private readonly options: TableOptions) {
    this.#hasHeader = options.header;
  }

  /** @returns the number of buffered rows */
  add(row: readonly string[]): number {
    return this.#waiting.push(row.map(escapeControls));
  }

  /** The buffered rows, below the header when they are the first; empty without rows. */
  flush(): string {
    if (this.#waiting.length === 0) return '';
    const widths = (this.#widths ??= measure(this.#waiting, this.options));
    const header = this.#hasHeader ? headerLine(this.options, widths) : '';
    this.#hasHeader = false;
    const lines = this.#waiting.map((row) => `${formatLine(row, widths, this.options)}\n`).join('');
    this.#waiting = [];
    return header + lines;
  }
}

function headerLine(options: TableOptions, widths: readonly number[]): string {
  const line = formatLine(options.titles, widths, options);
  return `${options.highlight?.(line) ?? line}\n`;
}

function formatLine(cells: readonly string[], widths: readonly number[], { columns }: TableOptions): string {
  const shown = cells.map((cell, i) => {
    const width = widths[i] ?? 0;
    const fitting = columns === undefined ? cell : cutTo(cell, width);
    // The last cell needs no padding.
    return i === cells.length - 1 ? fitting : padTo(fitting, width);
  });
  return shown.join(GAP).trimEnd();
}

function measure(rows: readonly (readonly string[])[], { titles, header, columns }: TableOptions): number[] {
  const widths = titles.map((title) => (header ? getWidth(title) : 0));
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, getWidth(cell));
  }
  return columns === undefined ? widths : shrink(widths, titles, columns);
}

/** Shrinks the widest columns until the row fits, or all have their minimum. */
function shrink(widths: number[], titles: readonly string[], columns: number): number[] {
  const shrunk = [...widths];
  const minimum = (i: number): number =>
    Math.max(i === 0 ? NAME_WIDTH_MIN : WIDTH_MIN, getWidth(titles[i] ?? ''));
  let excess = shrunk.reduce((sum, width) => sum + width, 0) + GAP.length * (shrunk.length - 1) - columns;
  while (excess > 0) {
    let widest = -1;
    for (const [i, width] of shrunk.entries()) {
      if (width > minimum(i) && width > (shrunk[widest] ?? 0)) widest = i;
    }
    const width = shrunk[widest];
    if (width === undefined) break;
    shrunk[widest] = width - 1;
    excess -= 1;
  }
  return shrunk;
}
