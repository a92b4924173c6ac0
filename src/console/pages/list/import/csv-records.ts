/** A line of a CSV file; a quoted value may have line breaks. */
interface CsvRecord {
  /** From 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

const SEPARATORS = [',', ';', '\t'] as const;

/** The separator that occurs most often in the first line, outside quotes. */
export function findSeparator(text: string): string {
  const first = (/^(?:"(?:[^"]|"")*"|[^\r\n"])*/.exec(text)?.[0] ?? '').replace(/"(?:[^"]|"")*"/g, '');
  const counts = SEPARATORS.map((sign) => first.split(sign).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The records of a CSV text (RFC 4180) without empty lines. A quote that is not closed ends with the text. */
export function parseCsv(text: string, separator: string): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let line = 1;
  let start = 1;
  const end = (): void => {
    cells.push(cell);
    if (cells.some((one) => one !== '')) records.push({ line: start, cells });
    cells = [];
    cell = '';
  };
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '\n') line++;
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text.charAt(i + 1) === '"') cell += text.charAt(++i);
      else isQuoted = false;
    } else if (char === '"' && cell === '') isQuoted = true;
    else if (char === separator) {
      cells.push(cell);
      cell = '';
    } else if (char === '\n') {
      end();
      start = line;
    } else if (char !== '\r' || text.charAt(i + 1) !== '\n') cell += char;
  }
  end();
  return records;
}
