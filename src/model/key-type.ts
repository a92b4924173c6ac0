import { formatInstant, instantOfDate, parseInstant } from './instant.js';
import type { KeyType } from './resource.js';
import type { IndexValue } from './scheme.js';

const INT32_MIN = -2_147_483_648;
const INT32_MAX = 2_147_483_647;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
/** Longer digit strings are out of range anyway, and reading them takes quadratic time. */
const LONG_TEXT_MAX = 64;
const DIGITS = /^-?\d+$/;
const DECIMAL = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Checks a value that an index function returned, or a condition compares with, against the key type and brings
 * it to the one form that equal values share: an instant (Date or RFC 3339 text) becomes RFC 3339 in UTC, a long
 * (bigint, text of digits or safe integer) a bigint, -0 becomes 0.
 * @returns `undefined` when the value is of another type, out of range, or a string with a lone surrogate, which
 *   UTF-8 cannot hold
 */
export function normalizeValue(type: KeyType, value: unknown): IndexValue | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' && isWellFormed(value) ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'integer':
      return Number.isInteger(value) ? inInt32(Number(value)) : undefined;
    case 'long':
      return normalizeLong(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined;
    case 'instant':
      return normalizeInstant(value);
  }
}

/**
 * Reads the text of a selector as the key type. A boolean is exactly `true` or `false`.
 * @returns `undefined` when the text is not a value of the type
 */
export function parseValue(type: KeyType, text: string): IndexValue | undefined {
  switch (type) {
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'integer':
      return DIGITS.test(text) ? normalizeValue(type, Number(text)) : undefined;
    case 'number':
      return DECIMAL.test(text) ? normalizeValue(type, Number(text)) : undefined;
    default:
      return normalizeValue(type, text);
  }
}

/**
 * The bytes of a value; their unsigned order is the order of the values. Strings are UTF-8 without a terminator
 * (order by code point), a boolean is 1 byte, integer, number and long are 8 bytes, an instant is 12.
 * @throws TypeError when the value is not one of the type: callers normalise first
 */
export function encodeValue(type: KeyType, value: IndexValue): Buffer {
  if (type === 'string' && typeof value === 'string') return Buffer.from(value, 'utf8');
  if (type === 'instant' && typeof value === 'string') return encodeInstant(value);
  const normal = normalizeValue(type, value);
  switch (typeof normal) {
    case 'boolean':
      return Buffer.of(normal ? 1 : 0);
    case 'bigint':
      return encodeLong(normal);
    case 'number':
      return encodeDouble(normal);
    default:
      throw new TypeError(`not a value of the key type ${type}: ${String(value)}`);
  }
}

/**
 * The value that {@link encodeValue} made the bytes of. The bytes are copied, never kept.
 * @throws RangeError when there are fewer bytes than the type has
 */
export function decodeValue(type: KeyType, bytes: Uint8Array): IndexValue {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (type) {
    case 'string':
      return buffer.toString('utf8');
    case 'boolean':
      return buffer.readUInt8(0) === 1;
    case 'integer':
    case 'number':
      return decodeDouble(buffer);
    case 'long':
      return decodeLong(buffer);
    case 'instant':
      return formatInstant({ seconds: Number(decodeLong(buffer)), nanos: buffer.readUInt32BE(8) });
  }
}

function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

function inInt32(value: number): number | undefined {
  return value >= INT32_MIN && value <= INT32_MAX ? value + 0 : undefined;
}

function normalizeLong(value: unknown): bigint | undefined {
  const long = readLong(value);
  return long !== undefined && long >= INT64_MIN && long <= INT64_MAX ? long : undefined;
}

function readLong(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string' || value.length > LONG_TEXT_MAX || !DIGITS.test(value)) return undefined;
  return BigInt(value);
}

/** Many objects written at once have the same time. */
let lastNormal = '';

function normalizeInstant(value: unknown): string | undefined {
  if (value === lastNormal) return lastNormal;
  const instant =
    value instanceof Date
      ? instantOfDate(value)
      : typeof value === 'string'
        ? parseInstant(value)
        : undefined;
  const text = instant && formatInstant(instant);
  if (text !== undefined) lastNormal = text;
  return text;
}

/** Sign-flipped big-endian, so that negative numbers come first. */
function encodeLong(value: bigint): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt.asUintN(64, value) ^ (1n << 63n));
  return buffer;
}

function decodeLong(buffer: Buffer): bigint {
  return BigInt.asIntN(64, buffer.readBigUInt64BE(0) ^ (1n << 63n));
}

/** IEEE 754 with the sign flipped for positive numbers and all bits flipped for negative ones. */
function encodeDouble(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleBE(value);
  flipDouble(buffer, buffer.readUInt8(0) >= 0x80);
  return buffer;
}

function decodeDouble(bytes: Buffer): number {
  const buffer = Buffer.alloc(8);
  bytes.copy(buffer, 0, 0, 8);
  if (bytes.length < 8) throw new RangeError('a number has 8 bytes');
  flipDouble(buffer, buffer.readUInt8(0) < 0x80);
  return buffer.readDoubleBE(0);
}

function flipDouble(buffer: Buffer, negative: boolean): void {
  if (!negative) buffer.writeUInt8(buffer.readUInt8(0) ^ 0x80, 0);
  else for (let i = 0; i < 8; i++) buffer.writeUInt8(buffer.readUInt8(i) ^ 0xff, i);
}

let lastEncoded: { readonly text: string; readonly bytes: Buffer } | undefined;

function encodeInstant(text: string): Buffer {
  if (lastEncoded?.text === text) return lastEncoded.bytes;
  const instant = parseInstant(text);
  if (!instant) throw new TypeError(`not a value of the key type instant: ${text}`);
  const bytes = Buffer.alloc(12);
  encodeLong(BigInt(instant.seconds)).copy(bytes);
  bytes.writeUInt32BE(instant.nanos, 8);
  lastEncoded = { text, bytes };
  return bytes;
}
