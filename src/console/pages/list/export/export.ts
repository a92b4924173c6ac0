import { send } from '../../../api/http.js';
import { getPath, qualifiedPlural, type ModelRef } from '../../../api/models.js';
import { iterateList, readTable } from '../../../api/tables.js';
import { parseExact } from '../../../lib/exact-json.js';
import { arrayAt, objectAt, textAt } from '../../../lib/json.js';
import { t } from '../../../texts.js';
import { csvHead, csvRows } from './csv.js';

export const FORMATS = ['ndjson', 'yaml', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** The input of an export. */
export interface Exporting {
  readonly model: ModelRef;
  /** Its lists of objects, in order. */
  readonly lists: readonly URLSearchParams[];
  readonly format: Format;
}

interface Exported {
  readonly blob: Blob;
  readonly count: number;
}

/** The progress, and the signal to end. */
interface Run {
  readonly signal: AbortSignal;
  readonly onProgress: (count: number) => void;
}

/** A part of a file. */
interface Part {
  /** The beginning of the file. */
  readonly head?: string;
  readonly body: string | Blob;
  readonly count: number;
}

/** The number of objects in one read. */
const PART = 1_000;

const TYPES: Readonly<Record<Format, string>> = {
  ndjson: 'application/x-ndjson',
  yaml: 'application/yaml',
  csv: 'text/csv;charset=utf-8',
};

/**
 * All objects of lists as one file. They are read by cursor, so that none is missing or duplicate in spite of concurrent writes.
 * Each part is passed to the browser, which stores large files outside the tab.
 */
export async function exportLists({ model, lists, format }: Exporting, run: Run): Promise<Exported> {
  const iterateParts = PARTS[format];
  const parts: Blob[] = [];
  let count = 0;
  for (const list of lists)
    for await (const part of iterateParts(model, list, run)) {
      // YAML needs a line between two lists; the head of a CSV file occurs once.
      const between = format === 'yaml' && parts.length > 0 ? '---\n' : '';
      const head = parts.length === 0 ? (part.head ?? '') : '';
      parts.push(new Blob([between, head, part.body]));
      run.onProgress((count += part.count));
    }
  return { blob: new Blob(parts, { type: TYPES[format] }), count };
}

/** As one YAML document for `xsvc apply`. */
async function* iterateYaml(model: ModelRef, list: URLSearchParams, { signal }: Run): AsyncGenerator<Part> {
  const request = new URLSearchParams(list);
  request.set('size', '0');
  const response = await send(`${getPath(model)}?${request.toString()}`, {
    headers: { Accept: TYPES.yaml },
    signal,
  });
  const blob = await response.blob();
  const count = Number(/^total: (\d+)$/m.exec(await blob.slice(0, HEAD_BYTES).text())?.[1] ?? 0);
  yield { body: blob, count };
}

/** The limit for the members of a list before its objects. */
const HEAD_BYTES = 4_096;

/** One JSON text per line for `xsvc import`. */
function iterateNdjson(model: ModelRef, list: URLSearchParams, { signal }: Run): AsyncGenerator<Part> {
  return iterateList(list, PART, async (request) => {
    const response = await send(`${getPath(model)}?${request.toString()}`, { signal });
    const part = parseExact(await response.text());
    const items = arrayAt(part, 'items');
    const body = items.map((item) => `${JSON.stringify(item)}\n`).join('');
    return [{ body, count: items.length }, textAt(objectAt(part, 'metadata'), 'continue')];
  });
}

/** All columns of the table. */
function iterateCsv(model: ModelRef, list: URLSearchParams, { signal }: Run): AsyncGenerator<Part> {
  return iterateList(list, PART, async (request) => {
    const table = await readTable(getPath(model), request, signal);
    const part = {
      head: csvHead(table.columnDefinitions, t`Created`),
      body: csvRows(table.rows),
      count: table.rows.length,
    };
    return [part, table.metadata.continue];
  });
}

const PARTS = { ndjson: iterateNdjson, yaml: iterateYaml, csv: iterateCsv } as const;

/** The name states the content of the file and the day. */
export function formatFileName({ model, format }: Exporting, now: Date): string {
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${qualifiedPlural(model)}-${day.join('-')}.${format}`;
}

/** The time for the browser to start the download before the memory is released. */
const SAVING_MS = 60_000;

/** Saves a file with the browser. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), SAVING_MS);
}
