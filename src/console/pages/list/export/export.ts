import { formatFileName, saveFile } from './save-file.js';
import { send } from '../../../api/http.js';
import { getPath, qualifiedPlural, type ModelRef } from '../../../api/models.js';
import { iterateList, readTable } from '../../../api/tables.js';
import { parseExact } from '../../../lib/exact-json.js';
import { arrayAt, objectAt, textAt } from '../../../lib/json.js';
import { t } from '../../../texts.js';
import { csvHead, csvRows } from './csv.js';

export const FORMATS = ['ndjson', 'yaml', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

interface Exporting {
  readonly model: ModelRef;
  /** Its lists of objects, in order. */
  readonly lists: readonly URLSearchParams[];
  readonly format: Format;
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
  /** Of the next part. */
  readonly cursor?: string | undefined;
}

/** The number of objects in one read. */
const PART = 1_000;
/** The limit for the members of a list before its objects. */
const HEAD_BYTES = 4_096;

const TYPES: Readonly<Record<Format, string>> = {
  ndjson: 'application/x-ndjson',
  yaml: 'application/yaml',
  csv: 'text/csv;charset=utf-8',
};

type ReadPart = (path: string, request: URLSearchParams, signal: AbortSignal) => Promise<Part>;

const READERS: Readonly<Record<Format, ReadPart>> = {
  /** One JSON text per line for `xsvc import`. */
  ndjson: async (path, request, signal) => {
    const response = await send(`${path}?${request.toString()}`, { signal });
    const list = parseExact(await response.text());
    const items = arrayAt(list, 'items');
    const body = items.map((item) => `${JSON.stringify(item)}\n`).join('');
    return { body, count: items.length, cursor: textAt(objectAt(list, 'metadata'), 'continue') };
  },
  /** One YAML document with the whole list, for `xsvc apply`. */
  yaml: async (path, request, signal) => {
    const whole = new URLSearchParams(request);
    whole.delete('limit');
    whole.set('size', '0');
    const headers = { Accept: TYPES.yaml };
    const body = await (await send(`${path}?${whole.toString()}`, { headers, signal })).blob();
    const [, count = 0] = /^total: (\d+)$/m.exec(await body.slice(0, HEAD_BYTES).text()) ?? [];
    return { body, count: Number(count) };
  },
  /** All columns of the table. */
  csv: async (path, request, signal) => {
    const { columnDefinitions, rows, metadata } = await readTable(path, request, signal);
    const head = csvHead(columnDefinitions, t`Created`);
    return { head, body: csvRows(rows), count: rows.length, cursor: metadata.continue };
  },
};

/**
 * All objects of lists as one file. They are read by cursor, so that none is missing or duplicate in spite of concurrent writes.
 * Each part is passed to the browser, which stores large files outside the tab.
 * @returns the number of objects
 */
export async function exportLists(exporting: Exporting, { signal, onProgress }: Run): Promise<number> {
  const { model, lists, format } = exporting;
  const blobs: Blob[] = [];
  let count = 0;
  for (const list of lists) {
    const parts = iterateList(list, PART, async (request) => {
      const part = await READERS[format](getPath(model), request, signal);
      return [part, part.cursor];
    });
    for await (const { head = '', body, count: more } of parts) {
      // YAML needs a line between two lists; the head of a CSV file occurs once.
      const between = format === 'yaml' && blobs.length > 0 ? '---\n' : '';
      blobs.push(new Blob([between, blobs.length === 0 ? head : '', body]));
      onProgress((count += more));
    }
  }
  saveFile(
    new Blob(blobs, { type: TYPES[format] }),
    formatFileName(qualifiedPlural(exporting.model), format),
  );
  return count;
}
