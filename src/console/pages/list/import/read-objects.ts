import { formatMessage } from '../../../api/errors.js';
import { parseExact } from '../../../lib/exact-json.js';
import { arrayAt, isObject, type JsonObject } from '../../../lib/json.js';
import { t } from '../../../texts.js';

/** An object of a file, and the line at which it begins. */
export interface ReadObject {
  readonly line: number;
  readonly object: JsonObject;
}

/** The objects of a file, and the problems of its other parts. */
export interface ReadObjects {
  readonly objects: readonly ReadObject[];
  readonly problems: readonly ImportProblem[];
}

export interface ImportProblem {
  readonly line: number;
  readonly message: string;
}

export type ImportFormat = 'csv' | 'ndjson' | 'yaml';

/** The format of a text: by the name of its file, or by its first character. */
export function findFormat(name: string, text: string): ImportFormat {
  if (/\.(csv|tsv|txt)$/i.test(name)) return 'csv';
  if (/\.(ndjson|jsonl)$/i.test(name)) return 'ndjson';
  if (/\.(ya?ml|json)$/i.test(name)) return 'yaml';
  const begin = text.trimStart().slice(0, 200);
  if (begin.startsWith('{') && !/^\{\s*[\r\n]/.test(begin)) return 'ndjson';
  return /^(---|apiVersion:|kind:|metadata:|- |\[|\{)/m.test(begin) ? 'yaml' : 'csv';
}

export function readNdjson(text: string): ReadObjects {
  const objects: ReadObject[] = [];
  const problems: ImportProblem[] = [];
  for (const [i, row] of text.split('\n').entries()) {
    if (row.trim() === '') continue;
    try {
      const value = parseExact(row);
      if (isObject(value)) objects.push({ line: i + 1, object: value });
      else problems.push({ line: i + 1, message: t`not an object` });
    } catch (error) {
      problems.push({ line: i + 1, message: formatMessage(error) });
    }
  }
  return { objects, problems };
}

/** Documents of YAML or JSON; lists have their objects in `items`. */
export async function readYaml(text: string): Promise<ReadObjects> {
  const { LineCounter, parseAllDocuments } = await import('yaml');
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, logLevel: 'silent' });
  const objects: ReadObject[] = [];
  const problems: ImportProblem[] = [];
  for (const document of documents) {
    const at = 'range' in document ? lines.linePos(document.range[0]).line : 1;
    const [error] = 'errors' in document ? document.errors : [];
    if (error !== undefined) {
      problems.push({ line: error.linePos?.[0].line ?? at, message: error.message.split('\n')[0] ?? '' });
      continue;
    }
    const value: unknown = 'toJS' in document ? document.toJS({ maxAliasCount: 100 }) : undefined;
    const listed = Array.isArray(value) ? value : arrayAt(value, 'items');
    const items: readonly unknown[] = listed.length > 0 ? listed : [value];
    for (const item of items)
      if (isObject(item)) objects.push({ line: at, object: item });
      else if (item !== null && item !== undefined) problems.push({ line: at, message: t`not an object` });
  }
  return { objects, problems };
}
