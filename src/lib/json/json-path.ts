import { getOwn, isRecord } from './json.js';

/**
 * JSONPath as kubectl reads it (https://kubernetes.io/docs/reference/kubectl/jsonpath/). The program has no other
 * reader: columns of models, `-o jsonpath`, `-o custom-columns` and `wait --for=jsonpath` use this one.
 */
export interface JsonPath {
  /** True when it begins at the root (`$`), not at the current value. */
  readonly fromRoot: boolean;
  readonly steps: readonly Step[];
}

/** One step of a path. Each leads from one value to any number of values. */
export type Step =
  /** Every item of a list, every member of an object. */
  | 'all'
  /** The value itself and all lists and objects in it, outer ones first. */
  | 'descend'
  /** A member. When the object has no member with the whole name, the member at the dotted `path`. */
  | { readonly member: string; readonly path: readonly string[] }
  | { readonly item: number }
  | { readonly slice: Slice }
  | { readonly union: readonly Step[] }
  | { readonly filter: Filter };

interface Slice {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly step: number;
}

type Operand = { readonly path: JsonPath } | { readonly value: string | number | boolean | null };

/** Keeps the items for which the comparison is true; without a comparison, those that have the value. */
interface Filter {
  readonly left: Operand;
  readonly comparison?: { readonly operator: Operator; readonly right: Operand };
}

const OPERATORS = ['==', '!=', '<=', '>=', '<', '>'] as const;
type Operator = (typeof OPERATORS)[number];

/** A path or a template that cannot be read. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';

  constructor(
    /** The reason, without the place. */
    readonly reason: string,
    /** The number of characters before the place. */
    readonly offset: number,
  ) {
    super(`${reason} at position ${offset + 1}`);
  }
}

const MEMBER = /(?:[^\s.,[\](){}@'"=!<>|&*?\\]|\\.)+/y;
const SUBSCRIPT = /(-?\d+)?\s*:\s*(-?\d+)?(?:\s*:\s*(-?\d+)?)?|(-?\d+)/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.-])/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Reads a path, with or without braces, `$` or a leading dot. Undefined when the text is not a path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  try {
    return readJsonPath(text);
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

/** Reads a path like {@link parseJsonPath}. @throws JsonPathError with the place and the reason */
export function readJsonPath(text: string): JsonPath {
  const reader = new JsonPathReader(text);
  reader.skipSpaces();
  const isBraced = reader.takes('{');
  const path = reader.readPath(true);
  reader.skipSpaces();
  if (isBraced) reader.expect('}');
  reader.skipSpaces();
  if (!reader.isAtEnd) throw reader.fault('unexpected text in the path');
  return path;
}

/** Every value that a path leads to, including null; empty when it leads to none. `@` begins at `current`. */
export function evaluate(root: unknown, path: JsonPath, current: unknown = root): unknown[] {
  return follow(root, [path.fromRoot ? root : current], path.steps);
}

/** The values of {@link evaluate} without null: values in the everyday sense. */
export function valuesAt(root: unknown, path: JsonPath): unknown[] {
  return evaluate(root, path).filter((value) => value !== null);
}

/** Formats a value: text unchanged, anything else as JSON. */
export function formatText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** True when the result depends on more than the value at which the steps begin. */
export function looksAtRoot({ fromRoot, steps }: JsonPath): boolean {
  return fromRoot || steps.some(stepLooksAtRoot);
}

/** Every value that the steps lead to from the given values. */
export function follow(root: unknown, from: readonly unknown[], steps: readonly Step[]): unknown[] {
  let values = from;
  for (const step of steps) values = values.flatMap((value) => take(root, value, step));
  return values.filter((value) => value !== undefined);
}

function stepLooksAtRoot(step: Step): boolean {
  if (typeof step === 'string') return false;
  if ('union' in step) return step.union.some(stepLooksAtRoot);
  if (!('filter' in step)) return false;
  const { left, comparison } = step.filter;
  return [left, ...(comparison === undefined ? [] : [comparison.right])].some(
    (operand) => 'path' in operand && looksAtRoot(operand.path),
  );
}

function take(root: unknown, value: unknown, step: Step): readonly unknown[] {
  if (step === 'all') return getChildren(value);
  if (step === 'descend') return containersIn(value);
  if ('member' in step) return [getMember(value, step)];
  if ('union' in step) return step.union.flatMap((one) => take(root, value, one));
  if (!Array.isArray(value)) return [];
  const items: readonly unknown[] = value;
  if ('item' in step) return [items.at(step.item)];
  if ('slice' in step) return getSlice(items, step.slice);
  return items.filter((item) => passes(root, item, step.filter));
}

function getChildren(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}

function containersIn(value: unknown): unknown[] {
  const isContainer = Array.isArray(value) || isRecord(value);
  return isContainer ? [value, ...getChildren(value).flatMap(containersIn)] : [];
}

function getMember(value: unknown, { member, path }: { member: string; path: readonly string[] }): unknown {
  if (!isRecord(value)) return undefined;
  const found = getOwn(value, member);
  if (found !== undefined || path.length < 2) return found;
  return path.reduce<unknown>((part, name) => (isRecord(part) ? getOwn(part, name) : undefined), value);
}

function getSlice(items: readonly unknown[], { from = 0, to = items.length, step }: Slice): unknown[] {
  return items.slice(from, to).filter((_, i) => i % step === 0);
}

function passes(root: unknown, item: unknown, { left, comparison }: Filter): boolean {
  const lefts = getValues(root, item, left);
  if (comparison === undefined) return lefts.length > 0;
  const { operator, right } = comparison;
  const rights = getValues(root, item, right);
  return lefts.some((one) => rights.some((other) => holds(one, operator, other)));
}

function getValues(root: unknown, item: unknown, operand: Operand): readonly unknown[] {
  return 'path' in operand ? evaluate(root, operand.path, item) : [operand.value];
}

/** Values of different types differ, and neither is less than the other. */
function holds(left: unknown, operator: Operator, right: unknown): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  const areNumbers = typeof left === 'number' && typeof right === 'number';
  if (!areNumbers && !(typeof left === 'string' && typeof right === 'string')) return false;
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

/** Reads paths at a position of a text. Used for single paths and for templates. */
export class JsonPathReader {
  at = 0;

  constructor(readonly text: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  fault(reason: string): JsonPathError {
    return new JsonPathError(reason, this.at);
  }

  skipSpaces(): void {
    while (/\s/.test(this.text.charAt(this.at))) this.at += 1;
  }

  /** Skips the text when it is next. */
  takes(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  expect(text: string): void {
    if (!this.takes(text)) throw this.fault(`"${text}" is missing`);
  }

  /**
   * Reads a path up to the first character that cannot belong to it.
   * @param isRelaxed true when the first name needs no dot
   */
  readPath(isRelaxed: boolean): JsonPath {
    this.skipSpaces();
    const start = this.at;
    const fromRoot = this.takes('$');
    const isMarked = fromRoot || this.takes('@');
    const steps: Step[] = [];
    const first = isRelaxed && !isMarked ? this.match(MEMBER)?.[0] : undefined;
    if (first !== undefined) steps.push(memberStep(first));
    for (;;) {
      if (this.takes('[')) steps.push(this.#readBracket());
      else if (this.takes('..')) steps.push('descend', ...this.#readName(true));
      else if (this.takes('.')) steps.push(...this.#readName(steps.length > 0));
      else break;
    }
    if (this.at === start) throw this.fault('a path is missing, such as .metadata.name');
    return { fromRoot, steps };
  }

  /** Reads a quoted text and resolves its escapes. Undefined when the next character is not a quote. */
  readQuoted(): string | undefined {
    const raw = this.#readRawQuoted();
    return raw === undefined ? undefined : unescape(raw);
  }

  match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text);
    if (found === null || found[0] === '') return undefined;
    this.at += found[0].length;
    return found;
  }

  /** Reads the name after a dot. A single dot means the value itself. */
  #readName(isNeeded: boolean): Step[] {
    if (this.takes('*')) return ['all'];
    if (this.text.charAt(this.at) === '[') return [];
    const name = this.match(MEMBER)?.[0];
    if (name !== undefined) return [memberStep(name)];
    if (isNeeded) throw this.fault('a name is missing after the dot');
    return [];
  }

  #readBracket(): Step {
    this.skipSpaces();
    if (this.takes('?')) return this.#readFilter();
    const selectors: Step[] = [];
    do {
      this.skipSpaces();
      selectors.push(this.#readSelector());
      this.skipSpaces();
    } while (this.takes(','));
    if (!this.takes(']')) throw this.fault('"]" is missing');
    const [only, ...more] = selectors;
    return only !== undefined && more.length === 0 ? only : { union: selectors };
  }

  #readSelector(): Step {
    if (this.takes('*')) return 'all';
    const quoted = this.#readRawQuoted();
    if (quoted !== undefined) return memberStep(quoted);
    const start = this.at;
    const [, from, to, step, item] = this.match(SUBSCRIPT) ?? [];
    if (this.at === start) {
      throw this.fault("a number, a slice such as 0:2, * or a name in quotes ('name') is missing");
    }
    if (item !== undefined) return { item: Number(item) };
    if (step !== undefined && Number(step) < 1) {
      this.at = start;
      throw this.fault('the step of a slice must be at least 1');
    }
    return { slice: { from: findNumber(from), to: findNumber(to), step: findNumber(step) ?? 1 } };
  }

  #readFilter(): Step {
    this.expect('(');
    const left = this.#readOperand();
    this.skipSpaces();
    const operator = OPERATORS.find((one) => this.takes(one));
    const comparison = operator === undefined ? {} : { comparison: { operator, right: this.#readOperand() } };
    this.skipSpaces();
    if (!this.takes(')')) throw this.fault(`")" or one of ${OPERATORS.join(' ')} is missing`);
    this.skipSpaces();
    this.expect(']');
    return { filter: { left, ...comparison } };
  }

  #readOperand(): Operand {
    this.skipSpaces();
    if (/[@$.]/.test(this.text.charAt(this.at))) return { path: this.readPath(false) };
    const quoted = this.readQuoted();
    if (quoted !== undefined) return { value: quoted };
    const number = this.match(NUMBER)?.[0];
    if (number !== undefined) return { value: Number(number) };
    const word = this.match(MEMBER)?.[0];
    if (word === undefined) throw this.fault('a value is missing, such as @.name, "text" or 3');
    if (word === 'true' || word === 'false') return { value: word === 'true' };
    return { value: word === 'null' ? null : word };
  }

  #readRawQuoted(): string | undefined {
    const quote = this.text.charAt(this.at);
    if (quote !== '"' && quote !== "'") return undefined;
    for (let end = this.at + 1; end < this.text.length; end += 1) {
      const character = this.text.charAt(end);
      if (character === '\\') end += 1;
      else if (character === quote) {
        const raw = this.text.slice(this.at + 1, end);
        this.at = end + 1;
        return raw;
      }
    }
    throw this.fault('the quote is not closed');
  }
}

/** Converts a written name, in which `\.` is a dot that belongs to the name. */
function memberStep(written: string): Step {
  const parts = written.match(/(?:[^.\\]|\\[^])+/g) ?? [];
  return { member: unescape(written), path: parts.map(unescape) };
}

function unescape(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([^]))/g, (_, code?: string, character = '') =>
    code === undefined
      ? (ESCAPES[String(character)] ?? String(character))
      : String.fromCharCode(parseInt(code, 16)),
  );
}

function findNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
