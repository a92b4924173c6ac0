import { badRequest, getMessage, ServiceError } from '../../errors.js';
import { isRecord, parseJson } from '../../lib/json/json.js';
import { parseYamlAll, type TextPosition, type YamlDocument } from '../../lib/json/yaml.js';
import type { InputText } from './files.js';

/** An object in a file, and its place. */
export interface Document {
  readonly value: unknown;
  /** Name of the file. */
  readonly file: string;
  /** `file:line` of a dotted path in it, or of the nearest stated part; of its start without a path. */
  readonly place: (path?: string) => string;
  /** Like `place`, with the column: `file:line:column`. */
  readonly position: (path?: string) => string;
}

/** Finds a dotted path in a part of a file. */
type Finder = (path: string) => TextPosition | undefined;

/** A part of a file that is parsed separately. */
interface Part {
  readonly file: string;
  readonly text: string;
  /** Lines of the file before the part. */
  readonly linesBefore: number;
  /** True when it is one line of many, each of which is JSON. */
  readonly isLine?: boolean;
}

/** The limit of aliases: files by people use few; a mistake or an attack uses many. */
const ALIASES_MAX = 1000;

/**
 * The objects of a text in order: YAML documents, JSON, and the items of `List` objects. A part that cannot be parsed is passed to
 * `onProblem`, and the rest is parsed.
 */
export function* readDocuments(
  input: InputText,
  onProblem: (error: ServiceError) => void,
): Generator<Document> {
  for (const part of iterateParts(input)) {
    let values: readonly unknown[];
    try {
      values = getValues(part);
    } catch (error) {
      onProblem(error instanceof ServiceError ? error : badRequest(`${part.file}: ${getMessage(error)}`));
      continue;
    }
    const find = positionFinder(part);
    for (const [at, value] of values.entries())
      yield* iterateObjects(part.file, value, (path) => find(at, path));
  }
}

function* iterateObjects(file: string, value: unknown, find: Finder): Generator<Document> {
  const documentAt = (prefix: string, object: unknown): Document => {
    const below = (path: string): TextPosition | undefined =>
      find([prefix, path].filter((text) => text !== '').join('.'));
    return {
      value: object,
      file,
      place: (path = '') => {
        const found = below(path);
        return found === undefined ? file : `${file}:${found.line}`;
      },
      position: (path = '') => {
        const found = below(path);
        return found === undefined ? file : `${file}:${found.line}:${found.column}`;
      },
    };
  };
  if (isList(value)) {
    for (const [i, item] of value.items.entries()) yield documentAt(`items[${i}]`, item);
  } else {
    yield documentAt('', value);
  }
}

/** True for Kubernetes' `List`, and for the response of a list (`PersonList`). */
function isList(value: unknown): value is { items: readonly unknown[] } {
  return (
    isRecord(value) &&
    typeof value.kind === 'string' &&
    value.kind.endsWith('List') &&
    Array.isArray(value.items)
  );
}

/** True when each line of a text is a JSON object, by the file's name or the first line. */
function isNdjson({ file, text }: Pick<Part, 'file' | 'text'>): boolean {
  if (/\.(ndjson|jsonl)$/i.test(file)) return true;
  const end = text.indexOf('\n');
  if (end < 0 || !/^\{.*\}\s*$/.test(text.slice(0, end)) || text.slice(end).trim() === '') return false;
  try {
    return isRecord(JSON.parse(text.slice(0, end)));
  } catch {
    return false;
  }
}

function* splitDocuments({ name: file, text, linesBefore: before = 0 }: InputText): Generator<Part> {
  for (const [i, line] of text.split('\n').entries())
    if (line.trim() !== '') yield { file, text: line, linesBefore: before + i, isLine: true };
}

/**
 * Yields each YAML document separately, split at the marks between them: then the time is linear in the number of documents, and
 * not quadratic.
 */
function* iterateParts({ name: file, text, linesBefore: before = 0 }: InputText): Generator<Part> {
  if (isNdjson({ file, text })) {
    yield* splitDocuments({ name: file, text, linesBefore: before });
    return;
  }
  // A directive belongs to the document after the next mark.
  if (isJson({ file, text }) || /^%/m.test(text)) {
    yield { file, text, linesBefore: before };
    return;
  }
  let start = 0;
  let linesBefore = before;
  for (const { index } of text.matchAll(/^---(?=[ \t\r\n])/gm)) {
    if (index === start) continue;
    const part = text.slice(start, index);
    yield { file, text: part, linesBefore };
    linesBefore += countLines(part);
    start = index;
  }
  yield { file, text: text.slice(start), linesBefore };
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function isJson({ file, text }: Pick<Part, 'file' | 'text'>): boolean {
  return /\.json$/i.test(file) || /^\ufeff?\s*[{[]/.test(text);
}

function getValues(part: Part): readonly unknown[] {
  const { file, text, linesBefore } = part;
  if (isJson(part)) {
    try {
      return [parseJson(text)];
    } catch (error) {
      if (/\.json$/i.test(file) || part.isLine === true) throw badRequest(jsonFault(part, getMessage(error)));
      // YAML may begin like JSON.
    }
  }
  try {
    return parsePart(part).map(({ value }) => value);
  } catch (error) {
    if (linesBefore === 0) throw error;
    // Parsed again at its place in the file, for the line in the message.
    return parsePart({ ...part, text: '\n'.repeat(linesBefore) + text }).map(({ value }) => value);
  }
}

function parsePart({ file, text }: Part): YamlDocument[] {
  return parseYamlAll(text, { filename: file, maxAliases: ALIASES_MAX });
}

function jsonFault({ file, linesBefore }: Part, message: string): string {
  const place = / at line (\d+), column (\d+)/.exec(message);
  if (place === null) return `${file}: ${message}`;
  return `${file}:${linesBefore + Number(place[1])}:${place[2] ?? ''}: ${message.replace(place[0], '')}`;
}

/** Finds places by parsing the part again: only failures need them, and they are few. */
function positionFinder(part: Part): (document: number, path: string) => TextPosition | undefined {
  let documents: readonly YamlDocument[] | undefined;
  return (at, path) => {
    try {
      documents ??= parsePart(part);
    } catch {
      // JSON that is not YAML (with tabs, for instance): the place is only the file.
      documents = [];
    }
    const document = documents[at];
    const found = document?.findPosition(path) ?? document?.findPosition('');
    return found && { line: found.line + part.linesBefore, column: found.column };
  };
}
