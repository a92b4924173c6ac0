import { badRequest, formatExcerpt, getMessage, ServiceError, shortPath } from '../../errors.js';
import { findDuplicateKey, findInexactInteger, findJsonFault, lineAndColumn } from './json-fault.js';
import { runSync, type Resumable } from '../work/yield.js';

/** Default limit for nesting. Much deeper values overflow the stack of `JSON.stringify` and of validators. */
export const DEPTH_MAX = 100;

const LONE_SURROGATE = /[\ud800-\udfff]/u;

export interface JsonLimits {
  /** Levels of lists and objects; a scalar has none. Default, and at most: {@link DEPTH_MAX}. */
  readonly depthMax?: number;
  /** Limit for members and items of a text. Default: no limit. */
  readonly membersMax?: number;
  /** Limit for the sum of values, and characters of strings and keys. Default: no limit. */
  readonly weightMax?: number;
}

/** The first part of a value that JSON cannot express, or that is refused. */
export interface JsonProblem {
  /** Dotted path from the root, like `spec.tags[2]`; empty for the root itself. */
  readonly path: string;
  readonly reason: string;
}

export interface JsonCount {
  /** Members of all objects. */
  keys: number;
  /** Values, and characters of strings and keys. */
  weight: number;
  /** True with a number beyond 2^53, whose text may have been another one. */
  hasLargeNumbers?: true;
}

/** True for an object that is not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a list or an object: other values have no members. */
export function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A text; empty for any other value. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The texts of a list; none for any other value. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function isTextArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * Explains why a value cannot be stored as JSON, as `<path>: <reason>`; undefined when it can be stored. Refused are
 * numbers that are not finite, lone surrogates, bigint, undefined, functions, symbols, objects that JSON would not
 * restore unchanged (`Date`, `Map`, anything with `toJSON`), the key `__proto__`, nesting that is too deep, and
 * cycles. Recurses to the limit of nesting.
 */
export function checkJson(value: unknown, limits: JsonLimits = {}, count?: JsonCount): string | undefined {
  const problem = findProblem(value, limits, count);
  return problem && formatProblem(problem);
}

/** Formats a problem as `<path>: <reason>`, or as the reason alone at the root. */
export function formatProblem({ path, reason }: JsonProblem): string {
  return path === '' ? reason : `${shortPath(path)}: ${reason}`;
}

/** True when the number of values, and characters of strings and keys, is above the limit. Stops at the limit. */
export function isHeavier(value: unknown, weightMax: number): boolean {
  const rest: unknown[] = [value];
  let weight = 0;
  while (rest.length > 0) {
    const one = rest.pop();
    weight += 1;
    if (typeof one === 'string') weight += one.length;
    else if (Array.isArray(one)) {
      if (weight + one.length > weightMax) return true;
      for (const item of one as readonly unknown[]) rest.push(item);
    } else if (isRecord(one)) {
      for (const key of Object.keys(one)) {
        weight += key.length;
        rest.push(one[key]);
      }
    }
    if (weight > weightMax) return true;
  }
  return false;
}

/** {@link checkJson} with a separate path. When `count` is given, the counts of the value are added to it. */
export function findProblem(
  root: unknown,
  { depthMax = DEPTH_MAX, weightMax = Infinity }: JsonLimits = {},
  count: JsonCount = { keys: 0, weight: 0 },
): JsonProblem | undefined {
  // One list for all values: large bodies have many small ones.
  const way: (string | number)[] = [];
  const reason = findReason(root);
  return reason === undefined ? undefined : { path: way.reduce(joinStep, ''), reason };

  /** Leaves the way at the value that has the problem. */
  function findReason(value: unknown): string | undefined {
    count.weight += typeof value === 'string' ? 1 + value.length : 1;
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) count.hasLargeNumbers = true;
    const isList = Array.isArray(value);
    if (typeof value !== 'object' || value === null)
      return (typeof value === 'string' ? stringProblem(value) : scalarProblem(value)) ?? weightProblem();
    if (way.length >= depthMax) return `nested deeper than ${depthMax} levels`;
    if (!isList && !isPlain(value)) return 'is not a JSON value';
    return weightProblem() ?? (isList ? findInItems(value) : findInMembers(value));
  }

  function findInItems(items: readonly unknown[]): string | undefined {
    for (let at = 0; at < items.length; at += 1) {
      way.push(at);
      const problem = findReason(items[at]);
      if (problem !== undefined) return problem;
      way.pop();
    }
    return undefined;
  }

  function findInMembers(object: Readonly<Record<string, unknown>>): string | undefined {
    for (const key of Object.keys(object)) {
      way.push(key);
      count.keys += 1;
      count.weight += key.length;
      if (key === '__proto__') return 'the key "__proto__" is not allowed';
      if (stringProblem(key) !== undefined) return 'the key has a lone surrogate';
      const problem = findReason(object[key]);
      if (problem !== undefined) return problem;
      way.pop();
    }
    return undefined;
  }

  function weightProblem(): string | undefined {
    if (count.weight <= weightMax) return undefined;
    way.length = 0;
    return `is too large (more than ${weightMax} values and characters)`;
  }
}

/**
 * Reads a JSON text, or its bytes in UTF-8; a byte order mark is skipped.
 * @throws ServiceError `BadRequest` for bytes that are not UTF-8; for a malformed text, with line and column; for a
 * key that repeats in one object, and an integer that a number would change, with its path; and for everything that
 * {@link checkJson} refuses; `RequestEntityTooLarge` for more members than the limit
 */
export function parseJson(input: string | Uint8Array, limits: JsonLimits = {}): unknown {
  return runSync(parsingJson(input, limits));
}

/** {@link parseJson} with breaks. */
export function* parsingJson(input: string | Uint8Array, limits: JsonLimits = {}): Resumable<unknown> {
  const text = decodeText(input);
  const { depthMax = DEPTH_MAX, membersMax = Infinity } = limits;
  const { depth, colons, members } = measure(text, depthMax);
  // Checked before parsing: the parser itself recurses.
  if (depth > depthMax) throw badRequest(`the JSON is nested deeper than ${depthMax} levels`);
  if (members > membersMax)
    throw new ServiceError('RequestEntityTooLarge', `the JSON has more than ${membersMax} members and items`);
  yield;
  const value = parseText(text);
  yield;
  const count: JsonCount = { keys: 0, weight: 0 };
  let problem = findProblem(value, limits, count);
  if (problem === undefined && count.hasLargeNumbers === true) {
    yield;
    const inexact = findInexactInteger(text);
    problem = inexact && { path: inexact.path, reason: inexactReason(inexact.digits) };
  }
  if (problem !== undefined) throw badRequest(`invalid JSON: ${formatProblem(problem)}`);
  // In well-formed JSON each colon outside strings is a member. A lower count of keys means that some were repeated.
  if (count.keys === colons) return value;
  yield;
  throw badRequest(`invalid JSON: the key ${shortPath(findDuplicateKey(text) ?? '')} occurs twice`);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes bytes in UTF-8 and removes a byte order mark.
 * @throws ServiceError `BadRequest` when they are not UTF-8
 */
export function decodeText(input: string | Uint8Array): string {
  if (typeof input === 'string') return input.startsWith('\ufeff') ? input.slice(1) : input;
  try {
    return UTF8.decode(input);
  } catch {
    throw badRequest('the text is not valid UTF-8');
  }
}

/**
 * True when two JSON values are equal. The order of members does not count, and an undefined member equals an absent
 * one. Recurses, so the depth of at least one value must be limited.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => deepEqual(item, b[at]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  return (
    Object.keys(a).every((key) => deepEqual(a[key], getOwn(b, key))) &&
    Object.keys(b).every((key) => b[key] === undefined || getOwn(a, key) !== undefined)
  );
}

/**
 * Copies a value; the copy shares nothing with it. Omits undefined members, as `JSON.stringify` does. No key is
 * special. Recurses, so the depth of the value must be limited.
 */
export function cloneJson<T>(value: T): T;
export function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => cloneJson(item));
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined) setOwn(copy, key, cloneJson(member));
  }
  return copy;
}

/**
 * Copies a value that consists of JSON types only: plain objects and lists, texts, finite numbers, booleans and null.
 * Omits members that are undefined.
 * @returns undefined for any other value, which may still have a JSON form
 */
export function copyOfPlain(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return stringProblem(value) === undefined ? value : undefined;
  if (typeof value === 'boolean' || value === null) return value;
  // JSON has no negative zero.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : undefined;
  if (typeof value !== 'object' || depth >= DEPTH_MAX) return undefined;
  if (Array.isArray(value)) return copyOfPlainItems(value, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const record = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(record)) {
    const member = record[key];
    if (member === undefined) continue;
    const copied = copyOfPlain(member, depth + 1);
    if (copied === undefined || key === '__proto__' || stringProblem(key) !== undefined) return undefined;
    copy[key] = copied;
  }
  return copy;
}

function copyOfPlainItems(items: readonly unknown[], depth: number): unknown {
  const copy: unknown[] = [];
  for (const item of items) {
    const copied = copyOfPlain(item, depth + 1);
    if (copied === undefined) return undefined;
    copy.push(copied);
  }
  return copy;
}

/** The own member of an object; undefined when it has none, whatever its prototype has. */
export function getOwn(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own member, even when its name is `__proto__`. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Measures the depth of nesting (to at most one more than `depthMax`), and counts colons outside strings, and members and items. */
function measure(text: string, depthMax: number): { depth: number; colons: number; members: number } {
  let depth = 0;
  let deepest = 0;
  let colons = 0;
  let members = 0;
  for (let at = 0; at < text.length && deepest <= depthMax; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x3a) colons += 1;
    else if (code === 0x2c) members += 1;
    else if (code === 0x7b || code === 0x5b) {
      members += 1;
      deepest = Math.max(deepest, (depth += 1));
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return { depth: deepest, colons, members };
}

/** The offset of the quote that closes the string opened at `start`; the end of the text when it is not closed. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) return at;
  }
  return text.length;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const fault = findJsonFault(text);
    if (fault === undefined) throw badRequest(`malformed JSON: ${getMessage(error)}`);
    const { line, column } = lineAndColumn(text, fault.offset);
    throw badRequest(`malformed JSON at line ${line}, column ${column}: ${fault.reason}`);
  }
}

/** Accepts class instances when nothing except their own members counts. */
function isPlain(value: object): value is Record<string, unknown> {
  return (
    Object.prototype.toString.call(value) === '[object Object]' &&
    !('toJSON' in value && typeof value.toJSON === 'function')
  );
}

function stringProblem(text: string): string | undefined {
  return LONE_SURROGATE.test(text) ? 'has a lone surrogate, which is not valid Unicode' : undefined;
}

function scalarProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : 'is a number out of range';
    case 'bigint':
      return inexactReason(String(value));
    default:
      return value === null ? undefined : `is not a JSON value (${typeof value})`;
  }
}

function inexactReason(digits: string): string {
  return `the integer ${formatExcerpt(digits)} cannot be represented exactly as a number; write it in quotes if the field may be a string`;
}

function joinStep(path: string, step: string | number): string {
  return typeof step === 'number' ? `${path}[${step}]` : joinPath(path, step);
}

/** `path.key`, without the dot at the root. */
export function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
