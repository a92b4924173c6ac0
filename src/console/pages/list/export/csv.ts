import type { Table, TableRow } from '../../../api/tables.js';
import { t } from '../../../texts.js';

const LINE_END = '\r\n';

/** The names of the columns (RFC 4180). */
export function csvHead({ columnDefinitions }: Table): string {
  // The last column has the time and the name `Age`.
  return formatLine([...columnDefinitions.slice(0, -1).map(({ name }) => name), t`Created`]);
}

export function csvRows({ rows }: Table): string {
  return rows.map(csvRow).join('');
}

function csvRow({ cells }: TableRow): string {
  return formatLine(cells);
}

function formatLine(cells: TableRow['cells']): string {
  return cells.map(formatCell).join(',') + LINE_END;
}

/** Texts that a spreadsheet would evaluate as a formula, except numbers. */
const FORMULA = /^[=@\t\r]|^[+-](?!\d[\d.,]*$)/;

function formatCell(value: TableRow['cells'][number]): string {
  const plain = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(plain) && typeof value === 'string' ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
