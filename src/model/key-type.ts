import { lowerCase } from '../lib/lower-case.js';
import { formatInstant, instantOfDate, parseInstant } from '../lib/time/instant.js';
import type { IndexDeclaration, KeyType } from './resource.js';
import type { IndexValue } from './declare/scheme.js';

const INT32_MIN = -2_147_483_648;
const INT32_MAX = 2_147_483_647;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
/** Longer texts of digits are out of range, and reading them takes quadratic time. */
const LONG_TEXT_MAX = 64;
/** Length of texts, with a sign, whose number a double represents exactly. */
const SAFE_TEXT_MAX = 15;
const DIGITS = /^-?\d+$/;
const DECIMAL = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Checks a value from an index function or a condition against the key type, and encodes it. The unsigned order of
 * the bytes is the order of the values. Equal values have equal bytes: instants (Date or RFC 3339 text) of all zones,
 * longs (bigint, text of digits or safe integer), 0 and -0. Strings are UTF-8 without a terminator (order by code
 * point). A boolean takes 1 byte, an integer, number or long 8 bytes, an instant 12.
 * @returns `undefined` when the value is of another type, out of range, or a string with a lone surrogate, which
 * UTF-8 cannot represent
 */
export function bytesOfValue(type: KeyType, value: unknown): Buffer | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' && value.isWellFormed() ? Buffer.from(value) : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? Buffer.of(value ? 1 : 0) : undefined;
    case 'integer':
      return typeof value === 'number' && isInt32(value) ? encodeDouble(value) : undefined;
    case 'long':
      return encodeLong(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? encodeDouble(value) : undefined;
    case 'instant':
      return encodeInstant(value);
    // Its values are documents (`words.ts`), and no condition compares with them.
    case 'text':
      return undefined;
  }
}

/** A value as an index contains it: in lower case when the index ignores case. */
export function inCaseOf<V>({ ignoreCase }: Pick<IndexDeclaration, 'ignoreCase'>, value: V): V | string {
  return ignoreCase === true && typeof value === 'string' ? lowerCase(value) : value;
}

/**
 * The canonical form of equal values: an instant becomes RFC 3339 in UTC, a long a bigint, -0 becomes 0.
 * @returns `undefined` as {@link bytesOfValue}
 */
export function normalizeValue(type: KeyType, value: unknown): IndexValue | undefined {
  const bytes = bytesOfValue(type, value);
  return bytes && decodeValue(type, bytes);
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
 * {@link bytesOfValue} for a value that is known to have the type.
 * @throws TypeError when it does not
 */
export function encodeValue(type: KeyType, value: IndexValue): Buffer {
  const bytes = bytesOfValue(type, value);
  if (bytes === undefined) throw new TypeError(`not a value of the key type ${type}: ${String(value)}`);
  return bytes;
}

/**
 * Decodes the bytes from {@link encodeValue}. The bytes are copied, never kept.
 * @throws RangeError when there are fewer bytes than the type needs
 */
export function decodeValue(type: KeyType, bytes: Uint8Array): IndexValue {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (type) {
    case 'string':
    case 'text':
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

function isInt32(value: number): boolean {
  return Number.isInteger(value) && value >= INT32_MIN && value <= INT32_MAX;
}

/** Numbers are encoded without BigInt, which is slow. */
function encodeLong(value: unknown): Buffer | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? encodeSafeInteger(value) : undefined;
  if (typeof value === 'bigint') return encodeBigInt(value);
  if (typeof value !== 'string' || value.length > LONG_TEXT_MAX || !DIGITS.test(value)) return undefined;
  return value.length <= SAFE_TEXT_MAX ? encodeSafeInteger(Number(value)) : encodeBigInt(BigInt(value));
}

/** Sign-flipped big-endian, so that negative numbers come first. */
function encodeBigInt(value: bigint): Buffer | undefined {
  if (value < INT64_MIN || value > INT64_MAX) return undefined;
  const buffer = Buffer.allocUnsafe(8);
  buffer.writeBigUInt64BE(BigInt.asUintN(64, value) ^ (1n << 63n));
  return buffer;
}

/** As {@link encodeBigInt}. @param bytes size of the buffer; the number is in the first 8 */
function encodeSafeInteger(value: number, bytes = 8): Buffer {
  const high = Math.floor(value / 2 ** 32);
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeUInt32BE(high + 2 ** 31, 0);
  buffer.writeUInt32BE(value - high * 2 ** 32, 4);
  return buffer;
}

function decodeLong(buffer: Buffer): bigint {
  return BigInt.asIntN(64, buffer.readBigUInt64BE(0) ^ (1n << 63n));
}

/** IEEE 754 with the sign flipped for positive numbers and all bits flipped for negative ones. */
function encodeDouble(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(8);
  // Adding 0 turns -0 into 0.
  buffer.writeDoubleBE(value + 0);
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

function encodeInstant(value: unknown): Buffer | undefined {
  const instant =
    value instanceof Date
      ? instantOfDate(value)
      : typeof value === 'string'
        ? parseInstant(value)
        : undefined;
  if (instant === undefined) return undefined;
  const bytes = encodeSafeInteger(instant.seconds, 12);
  bytes.writeUInt32BE(instant.nanos, 8);
  return bytes;
}
