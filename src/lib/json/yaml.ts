import {
  constructFromEvents,
  CORE_SCHEMA,
  DEFAULT_SCALAR_STYLE_RULES,
  defineScalarTag,
  dump,
  EVENT_ID,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  mergeTag,
  NOT_RESOLVED,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
  type DumpOptions,
  type Event,
} from 'js-yaml';
import { badRequest, getMessage, ServiceError } from '../../errors.js';
import { escapeLines } from '../escape-controls.js';
import { cloneJson, decodeText, DEPTH_MAX, findProblem, formatProblem, joinPath } from './json.js';
import { isExactInteger, lineAndColumn } from './json-fault.js';
import { firstDocument } from './yaml-documents.js';

export interface YamlOptions {
  /**
   * Aliases (`*name`) allowed in one document; 0 refuses all. Their expansion counts toward {@link EXPANSION_MAX}.
   */
  readonly maxAliases: number;
  /** The name of the file in messages. */
  readonly filename?: string;
  /** Limit for levels of lists and objects. Default `DEPTH_MAX`. */
  readonly depthMax?: number;
}

export interface YamlDocument {
  /** A JSON value, and a tree: parts that aliases share are copied. */
  readonly value: unknown;
  /** 1-based line in the text where the content of the document starts. */
  readonly line: number;
  /**
   * 1-based line of a dotted path like `spec.tags[2].name`, or of its longest part that the text contains. Undefined
   * when the text does not contain its first part.
   */
  findLine(path: string): number | undefined;
  /** Like {@link findLine}, with the 1-based column. */
  findPosition(path: string): TextPosition | undefined;
}

/** A place in a text. Line and column count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

interface Level {
  readonly path: string;
  readonly isMapping: boolean;
  items: number;
  /** In a mapping: the path of the key whose value comes next. */
  member: string | undefined;
}

/** Values and characters that aliases and merges may add to a document. */
export const EXPANSION_MAX = 1_048_576;

/** Limit for a reason in a message: the library repeats names and tags of any length. */
const REASON_LENGTH_MAX = 200;
const INTEGER_DIGITS_MAX = 400;
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;

/** Integers that a double cannot represent become bigint, which the check of the value refuses by name. */
const exactIntTag = defineScalarTag<number | bigint>('tag:yaml.org,2002:int', {
  ...intCoreTag,
  resolve: (source, isExplicit, tagName) => {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    if (value === NOT_RESOLVED || Number.isSafeInteger(value) || source.length > INTEGER_DIGITS_MAX)
      return value;
    const magnitude = BigInt(source.replace(/^[-+]/, ''));
    if (isExactInteger(String(magnitude))) return value;
    return source.startsWith('-') ? -magnitude : magnitude;
  },
});

/** Numbers beyond a double become infinite, which is refused. The library would silently read them as text. */
const finiteFloatTag = defineScalarTag<number>('tag:yaml.org,2002:float', {
  ...floatCoreTag,
  resolve: (source, isExplicit, tagName) => {
    const value = floatCoreTag.resolve(source, isExplicit, tagName);
    return value === NOT_RESOLVED && NUMBER.test(source) ? Number(source) : value;
  },
});

const SCHEMA = CORE_SCHEMA.withTags(exactIntTag, finiteFloatTag, mergeTag);

/**
 * Reads the only document of a YAML text (JSON is YAML too). Does not parse a second one.
 * @throws ServiceError `BadRequest` as {@link parseYamlAll}, and for no document or several
 */
export function parseYaml(input: string | Uint8Array, options: YamlOptions): unknown {
  const text = decodeText(input);
  const { text: first, second } = firstDocument(text, getSource(options));
  const [document, another] = parseYamlAll(first, options);
  const line = second === undefined ? another?.line : lineAndColumn(text, second).line;
  if (line !== undefined)
    throw badRequest(`${getSource(options)}:${line}: expected one document, but a second one starts here`);
  if (document === undefined) throw badRequest(`${getSource(options)}: there is no document`);
  return document.value;
}

/**
 * Reads all documents of a YAML 1.2 text, in order. Empty documents are omitted. Merge keys (`<<`) are resolved;
 * timestamps stay text.
 * @throws ServiceError `BadRequest` with `file:line:column`: malformed text, duplicate keys, unknown tags, too many
 * aliases, a value that is too deep or too large when expanded, integers beyond the range of a number, values that
 * JSON cannot represent
 */
export function parseYamlAll(input: string | Uint8Array, options: YamlOptions): YamlDocument[] {
  const text = decodeText(input);
  const { events, values } = read(text, options);
  const parts = documentEvents(events);
  return values.flatMap((value, at) => {
    if (value === null) return [];
    return [toDocument(text, value, parts[at] ?? [], options)];
  });
}

/**
 * Formats a JSON value as one YAML document in block style. Lines are never folded. A value with a text of millions
 * of characters is written as JSON, which is YAML too.
 */
export function formatYaml(value: unknown): string {
  return blockStyle(value) ?? `${JSON.stringify(value)}\n`;
}

const MEMBER = 'items:\n';

/** Formats a value as an item of an indented list that is a member. */
export function formatYamlItem(value: unknown): string {
  return blockStyle({ items: [value] })?.slice(MEMBER.length) ?? `  - ${JSON.stringify(value)}\n`;
}

/** A text that a terminal would escape is quoted, because an escape has its meaning only there. */
const STYLES: NonNullable<DumpOptions['scalarStyleRules']> = [
  ...Object.values(DEFAULT_SCALAR_STYLE_RULES),
  (layout) => {
    if (escapeLines(layout.node.value) !== layout.node.value) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
  },
];

/** Undefined when a text in the value is too long for the regular expressions of the library. */
function blockStyle(value: unknown): string | undefined {
  try {
    return dump(value, { noRefs: true, lineWidth: -1, scalarStyleRules: STYLES });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function read(text: string, options: YamlOptions): { events: Event[]; values: unknown[] } {
  const { depthMax = DEPTH_MAX, maxAliases } = options;
  const filename = options.filename === undefined ? {} : { filename: options.filename };
  try {
    // Less strict than the limit itself, which the check of the value applies, as for JSON and with a path.
    const events = parseEvents(text, { ...filename, maxDepth: depthMax + 2 });
    return {
      events,
      values: constructFromEvents(events, { ...filename, source: text, schema: SCHEMA, maxAliases }),
    };
  } catch (error) {
    throw translate(error, options);
  }
}

function translate(error: unknown, options: YamlOptions): ServiceError {
  if (!(error instanceof YAMLException))
    return badRequest(`${getSource(options)}: cannot be read: ${getMessage(error)}`);
  const { mark, reason } = error;
  const place = mark === undefined ? '' : `:${mark.line + 1}:${mark.column + 1}`;
  return badRequest(`${getSource(options)}${place}: ${plainReason(reason, options)}`);
}

/** The library names its own options in messages about limits. */
function plainReason(reason: string, { depthMax = DEPTH_MAX, maxAliases }: YamlOptions): string {
  if (reason.startsWith('aliases exceeded'))
    return maxAliases === 0
      ? 'aliases (*name) are not allowed here; write the value itself'
      : `more than ${maxAliases} aliases (*name); write the values themselves`;
  if (reason.startsWith('nesting exceeded')) return `nested deeper than ${depthMax} levels`;
  return reason.slice(0, REASON_LENGTH_MAX);
}

function toDocument(
  text: string,
  value: unknown,
  events: readonly Event[],
  options: YamlOptions,
): YamlDocument {
  let offsets: ReadonlyMap<string, number> | undefined;
  const find = (path: string): number | undefined => {
    offsets ??= getOffsets(text, events);
    return nearest(offsets, path);
  };
  const weightMax = 2 * text.length + EXPANSION_MAX;
  const problem = findProblem(value, { depthMax: options.depthMax ?? DEPTH_MAX, weightMax });
  if (problem !== undefined) {
    const { line, column } = lineAndColumn(text, find(problem.path) ?? find('') ?? 0);
    throw badRequest(`${getSource(options)}:${line}:${column}: ${formatProblem(problem)}`);
  }
  return {
    value: cloneJson(value),
    get line() {
      return lineAndColumn(text, find('') ?? 0).line;
    },
    findLine(path) {
      const offset = find(path);
      return offset === undefined ? undefined : lineAndColumn(text, offset).line;
    },
    findPosition(path) {
      const offset = find(path);
      return offset === undefined ? undefined : lineAndColumn(text, offset);
    },
  };
}

/** The offset of the path, or of its longest prefix that has one. */
function nearest(offsets: ReadonlyMap<string, number>, path: string): number | undefined {
  for (let part = path; ; part = part.slice(0, Math.max(part.lastIndexOf('.'), part.lastIndexOf('[')))) {
    const offset = offsets.get(part);
    if (offset !== undefined) return offset;
    if (!/.[.[]/.test(part)) return undefined;
  }
}

function getSource({ filename }: YamlOptions): string {
  return filename ?? 'YAML';
}

/** The events of each document, without those that open and close it. */
function documentEvents(events: readonly Event[]): Event[][] {
  const documents: Event[][] = [];
  let current: Event[] = [];
  let depth = 0;
  for (const event of events) {
    if (event.type === EVENT_ID.DOCUMENT) {
      current = [];
      documents.push(current);
      depth = 0;
      continue;
    }
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) depth += 1;
    if (event.type === EVENT_ID.POP) depth -= 1;
    if (depth >= 0) current.push(event);
  }
  return documents;
}

/** The start of each dotted path of a document: the key of a member, the value of an item, the content for ''. */
function getOffsets(text: string, events: readonly Event[]): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  const levels: Level[] = [];
  let last = 0;
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      levels.pop();
      continue;
    }
    const level = levels.at(-1);
    last = Math.max(last, atQuote(text, getStart(event)));
    const isKey = level?.isMapping === true && level.member === undefined;
    if (isKey) {
      const key = event.type === EVENT_ID.SCALAR && event.valueStart >= 0 ? getScalarValue(text, event) : '';
      level.member = joinPath(level.path, key);
      offsets.set(level.member, last);
      continue;
    }
    const path = pathOfNext(level);
    if (!offsets.has(path)) offsets.set(path, last);
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      levels.push({ path, isMapping: event.type === EVENT_ID.MAPPING, items: 0, member: undefined });
    }
  }
  return offsets;
}

function pathOfNext(level: Level | undefined): string {
  if (level === undefined) return '';
  if (!level.isMapping) {
    level.items += 1;
    return `${level.path}[${level.items - 1}]`;
  }
  const path = level.member ?? level.path;
  level.member = undefined;
  return path;
}

/** A quoted scalar starts at its quote. */
function atQuote(text: string, start: number): number {
  return start > 0 && /["']/.test(text.charAt(start - 1)) ? start - 1 : start;
}

/** -1 for an empty scalar: it begins where the text before it ended. */
function getStart(event: Event): number {
  switch (event.type) {
    case EVENT_ID.SCALAR:
      return event.tagStart >= 0 ? event.tagStart : event.valueStart;
    case EVENT_ID.ALIAS:
      return event.anchorStart;
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE:
      return event.start;
    default:
      return -1;
  }
}
