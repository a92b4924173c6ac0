type Cells = readonly (string | number | boolean | null)[];

/**
 * The names of the columns (RFC 4180).
 * @param created the name of the column with the time of creation
 */
export function csvHead(
  columns: readonly { readonly name: string; readonly type: string }[],
  created: string,
): string {
  // The service adds the column `Age` after those of the model. Here it has the time of creation.
  const age = columns.findLastIndex(({ name, type }) => name === 'Age' && type === 'date');
  return formatLine(columns.map(({ name }, i) => (i === age ? created : name)));
}

export function csvRows(rows: readonly { readonly cells: Cells }[]): string {
  return rows.map(({ cells }) => formatLine(cells)).join('');
}

function formatLine(cells: Cells): string {
  return `${cells.map(formatCell).join(',')}\r\n`;
}

/** Texts that a spreadsheet would evaluate as a formula, except numbers. */
const FORMULA = /^[=@\t\r]|^[+-](?!\d[\d.,]*$)/;

function formatCell(value: Cells[number]): string {
  const plain = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(plain) && typeof value === 'string' ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
