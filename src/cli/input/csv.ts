import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { badRequest, getMessage, ServiceError } from '../../errors.js';
import { cloneJson, isRecord, setOwn } from '../../lib/json/json.js';
import { didYouMean, suggest } from '../../lib/suggest.js';
import type { JsonObject } from '../../model/object.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import { UsageError } from '../exit.js';
import { counted } from '../output/counted.js';
import { cellReader, isField, getSteps } from './csv-cells.js';
import type { Document } from './documents.js';
import { splitLines } from './lines.js';

/** The format of CSV rows. */
export interface CsvOptions {
  readonly resource: Resource;
  /** Titles of columns by the path of their field; undefined: the titles are the paths. */
  readonly columns: ReadonlyMap<string, string> | undefined;
  readonly delimiter: string;
}

/** A field and its column. */
interface Mapped {
  readonly steps: readonly string[];
  readonly column: number;
  readonly read: (cell: string) => unknown;
}

/** The limit of a row in characters; a longer one indicates an unclosed quote. */
const ROW_LENGTH_MAX = 4 * 1024 * 1024;

/**
 * The rows of a CSV file (RFC 4180, in UTF-8) as objects of a model. The first row has the titles. An empty cell sets nothing. A
 * row that cannot be parsed is passed to `onProblem`; an unclosed quote ends the rows.
 * @throws UsageError when the titles do not fit
 */
export async function* csvDocuments(
  file: string,
  input: AsyncIterable<Uint8Array | string>,
  options: CsvOptions,
  onProblem: (problem: ServiceError) => Promise<void>,
): AsyncGenerator<Document> {
  const { resource } = options;
  const head = { apiVersion: getApiVersion(resource), kind: resource.kind, metadata: {} };
  let mapped: readonly Mapped[] | undefined;
  let titles: readonly string[] = [];
  const text = new Utf8Text(input);
  try {
    for await (const { record, info } of iterateRows(text, options.delimiter)) {
      if (mapped === undefined) {
        titles = record;
        mapped = mappedColumns(file, titles, options);
        continue;
      }
      const place = (): string => `${file}:${info.lines}`;
      if (record.length !== titles.length) {
        const found = `${counted(record.length, 'column')}, the first row has ${titles.length}`;
        await onProblem(badRequest(`${place()}: the row has ${found}`));
        continue;
      }
      yield { value: getObject(head, mapped, record), file, place, position: place };
    }
  } catch (error) {
    if (!isRecord(error) || typeof error.lines !== 'number') throw error;
    // A quoted cell may end at the end of the text.
    if (text.faultyLine === undefined)
      await onProblem(badRequest(`${file}:${error.lines}: ${getMessage(error)}`));
  }
  if (text.faultyLine !== undefined) await onProblem(badRequest(`${file}:${text.faultyLine}: ${NOT_UTF8}`));
}

const NOT_UTF8 =
  'the text is not UTF-8, or the line is too long; save the file as CSV in UTF-8 (the rest is not read)';

/** The lines of a text before the first that is not UTF-8. */
class Utf8Text implements AsyncIterable<Uint8Array> {
  /** The number of that line, when it is reached. */
  faultyLine: number | undefined;

  constructor(private readonly input: AsyncIterable<Uint8Array | string>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const { number, bytes } of splitLines(this.input)) {
      if (bytes === undefined || !isUtf8(bytes)) {
        this.faultyLine = number;
        return;
      }
      yield bytes;
    }
  }
}

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

async function* iterateRows(input: AsyncIterable<Uint8Array>, delimiter: string): AsyncGenerator<Row> {
  const { parse } = await import('csv-parse');
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    skip_empty_lines: true,
    max_record_size: ROW_LENGTH_MAX,
    relax_column_count: true,
  });
  // An error destroys the parser, and its reader gets it.
  pipeline(Readable.from(input), parser).catch(() => undefined);
  yield* parser as AsyncIterable<Row>;
}

function mappedColumns(file: string, titles: readonly string[], { resource, columns }: CsvOptions): Mapped[] {
  const paths = columns ?? new Map(titles.map((title) => [title, title]));
  const mapped = [...paths].map(([field, title]): Mapped => {
    const column = titles.indexOf(title);
    if (column < 0) {
      const near = didYouMean(suggest(title, titles));
      throw new UsageError(`${file} has no column "${title}"${near}; it has: ${getFirstTitle(titles)}`);
    }
    if (titles.includes(title, column + 1))
      throw new UsageError(`${file} has several columns "${title}"; rename all but one of them`);
    const steps = getSteps(field);
    if (!isField(resource, steps)) throw new UsageError(notField(file, field, resource));
    return { steps, column, read: cellReader(resource, steps) };
  });
  if (mapped.some(({ steps }) => steps.join('.') === 'metadata.name')) return mapped;
  throw new UsageError(
    `${file}: no column for the name; select one with --map name=COLUMN (columns: ${getFirstTitle(titles)})`,
  );
}

const TITLES_SHOWN = 20;

function getFirstTitle(titles: readonly string[]): string {
  const more = titles.length - TITLES_SHOWN;
  return `${titles.slice(0, TITLES_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function notField(file: string, field: string, { plural }: Resource): string {
  return (
    `${file}: "${field}" is not a field of ${plural}; map fields to columns, such as ` +
    `--map name=id,spec.title="${field}" (xsvc explain ${plural} --recursive shows the fields)`
  );
}

function getObject(head: JsonObject, mapped: readonly Mapped[], row: readonly string[]): JsonObject {
  const object: Record<string, unknown> = cloneJson(head);
  for (const { steps, column, read } of mapped) {
    const cell = row[column] ?? '';
    if (cell !== '') setAt(object, steps, read(cell));
  }
  return object as JsonObject;
}

function setAt(object: Record<string, unknown>, steps: readonly string[], value: unknown): void {
  let at = object;
  for (const step of steps.slice(0, -1)) {
    const next = Object.getOwnPropertyDescriptor(at, step)?.value as unknown;
    const inner = isRecord(next) ? next : {};
    if (inner !== next) setOwn(at, step, inner);
    at = inner;
  }
  setOwn(at, steps.at(-1) ?? '', value);
}
