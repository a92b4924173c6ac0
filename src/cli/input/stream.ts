import path from 'node:path';
import { badRequest, getMessage, ServiceError } from '../../errors.js';
import { isRecord, parseJson } from '../../lib/json/json.js';
import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';
import { csvDocuments, type CsvOptions } from './csv.js';
import { readDocuments, type Document } from './documents.js';
import { readBytes } from './bytes.js';
import { getFiles } from './files.js';
import { LINE_BYTES_MAX, splitLines, type Line } from './lines.js';

export const STREAM_FORMATS = ['yaml', 'ndjson', 'json'] as const;

/** YAML documents, a JSON object per line, or one JSON text. */
export type StreamFormat = (typeof STREAM_FORMATS)[number];

/** The limit in memory: one document of YAML, or a file of JSON. */
const DOCUMENT_BYTES_MAX = LINE_BYTES_MAX;
const MiB = 1024 * 1024;

const EXTENSIONS: readonly (readonly [RegExp, StreamFormat])[] = [
  [/\.ya?ml$/i, 'yaml'],
  [/\.(ndjson|jsonl)$/i, 'ndjson'],
  [/\.json$/i, 'json'],
];
const ANY_EXTENSION = /\.(ya?ml|ndjson|jsonl|json)$/i;
const CSV_EXTENSION = /\.csv$/i;

export function formatOfName(file: string): StreamFormat | undefined {
  return EXTENSIONS.find(([extension]) => extension.test(file))?.[1];
}

export interface StreamOptions {
  /** The format of every file; undefined: by the name, or else by the beginning of the text. */
  readonly format?: StreamFormat | 'csv' | undefined;
  readonly recursive?: boolean;
  /** The options for CSV rows; undefined: CSV is not allowed. */
  readonly csv?: CsvOptions | undefined;
  readonly onProblem: (problem: ServiceError) => Promise<void>;
}

/**
 * The objects of files, directories, patterns and standard input (`-`), one after another: memory contains one document at a time.
 * A document that cannot be parsed is passed to `onProblem` with its place, and the rest is read.
 * @throws UsageError for a file that does not exist or cannot be read
 */
export async function* streamDocuments(
  io: CliIo,
  names: readonly string[],
  options: StreamOptions,
): AsyncGenerator<Document> {
  const extension = options.csv === undefined ? ANY_EXTENSION : CSV_EXTENSION;
  for (const name of names) {
    if (name === '-') {
      yield* documentsIn('<stdin>', io.stdin, options);
      continue;
    }
    for (const file of await getFiles(io.cwd, name, options.recursive === true, extension)) {
      yield* documentsIn(file, readBytes(path.resolve(io.cwd, file), file), options);
    }
  }
}

async function* documentsIn(
  file: string,
  input: AsyncIterable<Uint8Array | string>,
  { format, csv, onProblem }: StreamOptions,
): AsyncGenerator<Document> {
  if (format === 'csv' || (format === undefined && CSV_EXTENSION.test(file))) {
    if (csv === undefined)
      throw new UsageError(`${file}: a CSV file needs the name of the model: xsvc import persons -f ${file}`);
    yield* csvDocuments(file, input, csv, onProblem);
    return;
  }
  if (csv !== undefined) {
    throw new UsageError(
      `${file} contains the models of its objects; a model can be named only for CSV (--format csv)`,
    );
  }
  const lines = new PeekedLines(splitLines(input));
  switch (format ?? formatOfName(file) ?? formatOfLine(await lines.peekText())) {
    case 'ndjson':
      yield* ndjsonDocuments(file, lines, onProblem);
      return;
    case 'json':
      yield* jsonDocuments(file, lines, onProblem);
      return;
    case 'yaml':
      yield* yamlDocuments(file, lines, onProblem);
  }
}

/** A text that begins like JSON has a JSON object per line when its first line is one. */
function formatOfLine(text: string): StreamFormat {
  if (!/^[{[]/.test(text.trimStart())) return 'yaml';
  try {
    return isRecord(JSON.parse(text)) ? 'ndjson' : 'json';
  } catch {
    return 'json';
  }
}

/** Lines whose beginning can be read in advance. */
class PeekedLines implements AsyncIterable<Line> {
  readonly #seen: Line[] = [];

  constructor(private readonly lines: AsyncGenerator<Line>) {}

  /** The first line that is not blank; empty without one, or when it cannot be read. */
  async peekText(): Promise<string> {
    for (;;) {
      const next = await this.lines.next();
      if (next.done === true) return '';
      this.#seen.push(next.value);
      const text = decode(next.value.bytes ?? new Uint8Array()) ?? '';
      if (text.trim() !== '' || next.value.bytes === undefined) return text;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Line> {
    yield* this.#seen.splice(0);
    yield* this.lines;
  }
}

async function* ndjsonDocuments(
  file: string,
  lines: AsyncIterable<Line>,
  onProblem: StreamOptions['onProblem'],
): AsyncGenerator<Document> {
  for await (const line of lines) {
    const text = decodeLine(file, line);
    if (text instanceof ServiceError) {
      await onProblem(text);
      continue;
    }
    if (text.trim() === '') continue;
    const place = (): string => `${file}:${line.number}`;
    let value: unknown;
    try {
      // Without its end; otherwise an error would be on the next line.
      value = parseJson(text.trimEnd());
    } catch (error) {
      await onProblem(badRequest(`${place()}${getColumn(getMessage(error))}`));
      continue;
    }
    yield { value, file, place, position: place };
  }
}

/** `:5: malformed JSON: ...` for a message with line 1, column 5. */
function getColumn(message: string): string {
  const found = / at line 1, column (\d+)/.exec(message);
  return found === null ? `: ${message}` : `:${found[1] ?? ''}: ${message.replace(found[0], '')}`;
}

async function* jsonDocuments(
  file: string,
  lines: AsyncIterable<Line>,
  onProblem: StreamOptions['onProblem'],
): AsyncGenerator<Document> {
  const part = new Part(file, 0);
  for await (const line of lines) part.add(line);
  yield* part.documents(onProblem, 'export it as ndjson');
}

/**
 * Splits at the marks between documents. A mark at the start of a line always counts: a line within a block of text must not begin
 * like that.
 */
async function* yamlDocuments(
  file: string,
  lines: AsyncIterable<Line>,
  onProblem: StreamOptions['onProblem'],
): AsyncGenerator<Document> {
  let part = new Part(file, 0);
  for await (const line of lines) {
    const head = Buffer.from(line.bytes?.subarray(0, 4) ?? []).toString('latin1');
    const isStart = /^---([ \t\r\n]|$)/.test(head);
    if (isStart && part.hasBegun) {
      yield* part.documents(onProblem, HELP_YAML);
      part = new Part(file, line.number - 1);
    }
    part.add(line, isStart);
    if (/^\.\.\.([ \t\r\n]|$)/.test(head)) {
      yield* part.documents(onProblem, HELP_YAML);
      part = new Part(file, line.number);
    }
  }
  yield* part.documents(onProblem, HELP_YAML);
}

const HELP_YAML = 'put each object in a separate document, or use ndjson';

/** Lines that are parsed together. */
class Part {
  /** True when it has more than directives, comments and blank lines: then a mark begins the next document. */
  hasBegun = false;
  #texts: string[] = [];
  #bytes = 0;
  #problem: ServiceError | undefined;
  #isTooLarge = false;

  constructor(
    private readonly file: string,
    private readonly linesBefore: number,
  ) {}

  add(line: Line, isMark = false): void {
    const text = decodeLine(this.file, line);
    this.#bytes += line.bytes?.length ?? 0;
    if (text instanceof ServiceError) this.#problem ??= text;
    else if (this.#bytes > DOCUMENT_BYTES_MAX) this.#isTooLarge = true;
    else if (this.#problem === undefined) this.#texts.push(text);
    if (this.#problem !== undefined || this.#isTooLarge) this.#texts = [];
    this.hasBegun ||= isMark || text instanceof ServiceError || !/^\s*(#.*)?$|^%/.test(text);
  }

  async *documents(onProblem: StreamOptions['onProblem'], help: string): AsyncGenerator<Document> {
    const { file, linesBefore } = this;
    const problems: ServiceError[] = [];
    if (this.#isTooLarge && this.#problem === undefined) {
      const what = `${file}:${linesBefore + 1}: the document is larger than ${DOCUMENT_BYTES_MAX / MiB} MiB`;
      this.#problem = badRequest(`${what}; ${help}`);
    }
    if (this.#problem !== undefined) {
      await onProblem(this.#problem);
      return;
    }
    const input = { name: file, text: this.#texts.join(''), linesBefore };
    for (const document of readDocuments(input, (problem) => problems.push(problem))) yield document;
    for (const problem of problems) await onProblem(problem);
  }
}

function decodeLine(file: string, { number, bytes }: Line): string | ServiceError {
  if (bytes === undefined) {
    return badRequest(`${file}:${number}: the line is longer than ${LINE_BYTES_MAX / MiB} MiB`);
  }
  return decode(bytes) ?? badRequest(`${file}:${number}: not valid UTF-8`);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
