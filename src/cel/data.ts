import { formatExcerpt } from '../errors.js';
import { isRecord } from '../lib/json/json.js';
import { fail } from './failure.js';
import { Duration, INT_MAX, INT_MIN, Timestamp } from './scalars.js';
import { readDuration, readIsoDuration, readTime, TIME_LENGTH_MAX } from './time.js';
import { DYN, nameOfType, type ObjectType, type Type } from './types.js';
import { ListValue, MapValue, type Value } from './values.js';

/**
 * Converts a JSON value to a CEL value by the type in its schema. Null is null for every type.
 * @throws Failure when the value is of another type
 */
export function valueOfData(data: unknown, type: Type): Value {
  if (data === null) return null;
  switch (type.kind) {
    case 'string':
      return typeof data === 'string' ? data : mismatch(data, type);
    case 'bool':
      return typeof data === 'boolean' ? data : mismatch(data, type);
    case 'int':
      return parseIntValue(data) ?? mismatch(data, type);
    case 'double':
      return typeof data === 'number' ? data : mismatch(data, type);
    case 'bytes':
      return typeof data === 'string' ? Uint8Array.from(Buffer.from(data, 'base64')) : mismatch(data, type);
    case 'timestamp':
      return typeof data === 'string' ? parseTimeValue(data) : mismatch(data, type);
    case 'duration':
      return typeof data === 'string' ? parseDurationValue(data) : mismatch(data, type);
    case 'list':
      return Array.isArray(data) ? new DataList(data, type.of) : mismatch(data, type);
    case 'map':
      return isRecord(data) ? new DataMap(data, type.of) : mismatch(data, type);
    case 'object':
      return isRecord(data) ? new DataObject(data, type) : mismatch(data, type);
    default:
      return untyped(data);
  }
}

/** Converts a value whose schema declares no type. */
function untyped(data: unknown): Value {
  switch (typeof data) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return data;
    case 'number':
      return parseIntValue(data) ?? data;
    default:
  }
  if (Array.isArray(data)) return new DataList(data, DYN);
  return isRecord(data) ? new DataMap(data, DYN) : fail(`a value of the type ${typeof data} is not data`);
}

function parseIntValue(data: unknown): bigint | undefined {
  if (typeof data !== 'number' || !Number.isInteger(data)) return typeof data === 'bigint' ? data : undefined;
  const whole = BigInt(data);
  return whole >= INT_MIN && whole <= INT_MAX ? whole : undefined;
}

/** Steps for parsing a text as a time or a duration, at each read. */
const TIME_STEPS = 15;

/** Steps for reading a value of the data, in addition to the one of every operation. */
export function readSteps({ kind }: Type): number {
  return kind === 'timestamp' || kind === 'duration' ? TIME_STEPS : 0;
}

const DATE = /^\d{4}-\d\d-\d\d$/;

function parseTimeValue(text: string): Value {
  const nanos = readTime(DATE.test(text) ? `${text}T00:00:00Z` : text);
  return nanos === undefined ? fail(`${shown(text)} is not a time`) : new Timestamp(nanos);
}

function parseDurationValue(text: string): Value {
  const nanos = readIsoDuration(text) ?? readDuration(text);
  return nanos === undefined ? fail(`${shown(text)} has no fixed length`) : new Duration(nanos);
}

function shown(text: string): string {
  const isLong = text.length > TIME_LENGTH_MAX;
  return (
    JSON.stringify(formatExcerpt(text)) + (isLong ? `, of more than ${TIME_LENGTH_MAX} characters,` : '')
  );
}

function mismatch(data: unknown, type: Type): never {
  const found = Array.isArray(data) ? 'an array' : `a value of the type ${typeof data}`;
  return fail(`the schema declares ${nameOfType(type)}, but the value is ${found}`);
}

class DataList extends ListValue {
  override readonly itemSteps: number;

  constructor(
    private readonly data: readonly unknown[],
    private readonly type: Type,
  ) {
    super();
    this.itemSteps = readSteps(type);
  }

  get size(): number {
    return this.data.length;
  }

  at(index: number): Value {
    return valueOfData(this.data[index] ?? null, this.type);
  }
}

type Data = Readonly<Record<string, unknown>>;

class DataMap extends MapValue {
  constructor(
    private readonly data: Data,
    private readonly type: Type,
  ) {
    super();
  }

  keys(): readonly string[] {
    return Object.keys(this.data).filter((key) => this.data[key] !== undefined);
  }

  get(key: Value): Value | undefined {
    return typeof key === 'string' ? findMember(this.data, key, this.type) : undefined;
  }

  override has(key: Value): boolean {
    return typeof key === 'string' && isThere(this.data, key);
  }
}

class DataObject extends MapValue {
  constructor(
    private readonly data: Data,
    private readonly type: ObjectType,
  ) {
    super();
  }

  keys(): readonly string[] {
    return Object.keys(this.data).filter((key) => this.data[key] !== undefined);
  }

  get(key: Value): Value | undefined {
    return typeof key === 'string' ? this.field(escapedName(key)) : undefined;
  }

  override field(name: string): Value | undefined {
    const field = this.type.fields.get(name);
    if (field !== undefined) return findMember(this.data, field.name, field.type());
    return findMember(this.data, name, this.type.others ?? DYN);
  }

  override has(key: Value): boolean {
    return typeof key === 'string' && isThere(this.data, key);
  }

  override hasField(name: string): boolean {
    return isThere(this.data, this.type.fields.get(name)?.name ?? name);
  }
}

function isThere(data: Data, name: string): boolean {
  return Object.hasOwn(data, name) && data[name] !== undefined;
}

function findMember(data: Data, name: string, type: Type): Value | undefined {
  return isThere(data, name) ? valueOfData(data[name], type) : undefined;
}

const RESERVED: ReadonlySet<string> = new Set(
  `true false null in as break const continue else for function if import let loop package namespace return var void
  while`.split(/\s+/),
);

/** The name of a data field in expressions, by the rule of Kubernetes: `__dash__` replaces `-`. */
export function escapedName(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/__|[.\-/]/.test(name)) return name;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}
