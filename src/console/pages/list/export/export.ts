import { send } from '../../../api/http.js';
import { pathOf, qualifiedPlural, type ModelRef } from '../../../api/models.js';
import { readTable } from '../../../api/tables.js';
import { parseExact } from '../../../lib/exact-json.js';
import { arrayAt, objectAt, textAt } from '../../../lib/json.js';
import { csvHead, csvRows } from './csv.js';

export const FORMATS = ['ndjson', 'yaml', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** What is saved. */
export interface Exporting {
  readonly model: ModelRef;
  readonly list: URLSearchParams;
  readonly format: Format;
}

interface Exported {
  readonly blob: Blob;
  readonly count: number;
}

/** How far it is, and what ends it. */
interface Run {
  readonly signal: AbortSignal;
  readonly onProgress: (count: number) => void;
}

/** A part of a file. */
interface Part {
  readonly text: string;
  readonly count: number;
}

/** Objects read at once. */
const PART = '1000';

const TYPES: Readonly<Record<Format, string>> = {
  ndjson: 'application/x-ndjson',
  yaml: 'application/yaml',
  csv: 'text/csv;charset=utf-8',
};

/**
 * All objects of a list as one file. They are read by cursor, so that none is missing or there twice, whatever is written
 * meanwhile. What was read is handed to the browser part by part, which keeps large files outside the tab.
 */
export async function exportList({ model, list, format }: Exporting, run: Run): Promise<Exported> {
  if (format === 'yaml') return exportYaml(model, list, run);
  const parts: Blob[] = [];
  let count = 0;
  for await (const part of format === 'csv' ? csvOf(model, list, run) : ndjsonOf(model, list, run)) {
    parts.push(new Blob([part.text]));
    run.onProgress((count += part.count));
  }
  return { blob: new Blob(parts, { type: TYPES[format] }), count };
}

/** As one YAML document, what `xsvc apply` reads. */
async function exportYaml(model: ModelRef, list: URLSearchParams, run: Run): Promise<Exported> {
  const request = new URLSearchParams(list);
  request.set('size', '0');
  const response = await send(`${pathOf(model)}?${request.toString()}`, {
    headers: { Accept: TYPES.yaml },
    signal: run.signal,
  });
  const blob = await response.blob();
  const count = Number(/^total: (\d+)$/m.exec(await blob.slice(0, HEAD_BYTES).text())?.[1] ?? 0);
  run.onProgress(count);
  return { blob, count };
}

/** The members of a list that come before its objects fit into it. */
const HEAD_BYTES = 4_096;

/** One JSON text a line: what `xsvc import` reads. */
async function* ndjsonOf(model: ModelRef, list: URLSearchParams, { signal }: Run): AsyncGenerator<Part> {
  const request = new URLSearchParams(list);
  request.set('limit', PART);
  for (;;) {
    const response = await send(`${pathOf(model)}?${request.toString()}`, { signal });
    const part = parseExact(await response.text());
    const items = arrayAt(part, 'items');
    yield { text: items.map((item) => `${JSON.stringify(item)}\n`).join(''), count: items.length };
    const cursor = textAt(objectAt(part, 'metadata'), 'continue');
    if (cursor === undefined) return;
    request.set('continue', cursor);
  }
}

/** All columns of the table. */
async function* csvOf(model: ModelRef, list: URLSearchParams, { signal }: Run): AsyncGenerator<Part> {
  const request = new URLSearchParams(list);
  request.set('limit', PART);
  let isFirst = true;
  for (;;) {
    const table = await readTable(pathOf(model), request, signal);
    yield { text: (isFirst ? csvHead(table) : '') + csvRows(table), count: table.rows.length };
    isFirst = false;
    const cursor = table.metadata.continue;
    if (cursor === undefined) return;
    request.set('continue', cursor);
  }
}

/** Says what is in the file, and of which day. */
export function fileNameOf({ model, format }: Exporting, now: Date): string {
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${qualifiedPlural(model)}-${day.join('-')}.${format}`;
}

/** How long the browser has to begin with a file before its memory is given back. */
const SAVING_MS = 60_000;

/** Lets the browser save a file. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), SAVING_MS);
}
