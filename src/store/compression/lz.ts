import { ByteReader } from '../../lib/bytes.js';

/**
 * LZ77 with a dictionary, for texts of some hundred bytes that are read one by one: zlib takes five
 * times as long, because it prepares each call. The layout is that of LZ4's blocks, except that a varint continues a length: a compressed
 * text is its length and a series of parts. A part has a byte with the length of its literals and that of its match, the
 * literals, and the distance back to the match, in the text or the dictionary before it. The last part has no match.
 */

/** A shorter match takes as much as it saves. */
const MATCH_MIN = 4;
/** Greatest size of dictionary and text together, because a distance takes two bytes. */
const WINDOW_BYTES = 0xffff;
/** A larger length is continued. */
const NIBBLE_MAX = 15;
const HASH_BITS = 12;
const NOWHERE = -1;
/** From this length on, a native copy is faster than a loop. */
const LONG_COPY = 40;

/** A text whose parts other texts may have. */
export class Dictionary {
  /** The last position of each part, by its hash. */
  readonly positions = new Int32Array(1 << HASH_BITS).fill(NOWHERE);

  constructor(readonly bytes: Buffer) {
    for (let at = 0; at + MATCH_MIN <= bytes.length; at++) this.positions[hashAt(bytes, at)] = at;
  }

  /** Greatest length of a text that can be compressed. */
  get textBytesMax(): number {
    return WINDOW_BYTES - this.bytes.length;
  }
}

/** Dictionary and text one after the other, while a text is compressed. */
const WINDOW = Buffer.allocUnsafeSlow(WINDOW_BYTES);
const POSITIONS = new Int32Array(1 << HASH_BITS);
/** A text without a match grows by the lengths of its parts, which are at least as long as a match. */
const OUTPUT = Buffer.allocUnsafeSlow(2 * WINDOW_BYTES);

/** @param visit called with the place and length of a match in the text, and its distance back, in the order of places */
export function findMatches(
  { bytes, positions }: Dictionary,
  text: Uint8Array,
  visit: (at: number, length: number, distance: number) => void,
): void {
  const start = bytes.length;
  const end = start + text.length;
  bytes.copy(WINDOW);
  WINDOW.set(text, start);
  POSITIONS.set(positions);
  /** The end of the last match. */
  let done = start;
  for (let at = start; at + MATCH_MIN <= end;) {
    const hash = hashAt(WINDOW, at);
    let from = POSITIONS[hash] ?? NOWHERE;
    POSITIONS[hash] = at;
    if (from === NOWHERE || wordAt(WINDOW, from) !== wordAt(WINDOW, at)) {
      at++;
      continue;
    }
    let first = at;
    let after = at + MATCH_MIN;
    while (after < end && WINDOW[after] === WINDOW[from + after - at]) after++;
    const distance = at - from;
    for (; first > done && from > 0 && WINDOW[first - 1] === WINDOW[from - 1]; first--) from--;
    visit(first - start, after - first, distance);
    at = done = after;
  }
}

function hashAt(bytes: Uint8Array, at: number): number {
  return Math.imul(wordAt(bytes, at), 0x9e3779b1) >>> (32 - HASH_BITS);
}

/** Four bytes as a number. */
function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)
  );
}

/**
 * @param text not longer than the dictionary allows
 * @returns bytes that are valid until the next call
 */
export function compress(dictionary: Dictionary, text: Buffer): Buffer {
  const output = new Output(OUTPUT);
  let done = 0;
  const putPart = (end: number, more: number): void => {
    const literals = end - done;
    output.u8((Math.min(literals, NIBBLE_MAX) << 4) | Math.min(more, NIBBLE_MAX));
    if (literals >= NIBBLE_MAX) output.varint(literals - NIBBLE_MAX);
    output.append(text, done, end);
  };
  output.varint(text.length);
  findMatches(dictionary, text, (at, length, distance) => {
    const more = length - MATCH_MIN;
    putPart(at, more);
    output.u8(distance);
    output.u8(distance >>> 8);
    if (more >= NIBBLE_MAX) output.varint(more - NIBBLE_MAX);
    done = at + length;
  });
  putPart(text.length, 0);
  return OUTPUT.subarray(0, output.length);
}

/** The length of the text of {@link compress}. */
export function textBytesIn(compressed: Buffer): number {
  return new ByteReader(compressed).varint();
}

/** The text of {@link compress}, with the same dictionary. The argument must be undamaged. */
export function decompress({ bytes: dictionary }: Dictionary, compressed: Buffer): Buffer {
  const input = new ByteReader(compressed);
  const text = Buffer.allocUnsafe(input.varint());
  const output = new Output(text);
  for (;;) {
    const token = input.u8();
    const literals = lengthIn(token >>> 4, input);
    output.append(compressed, input.offset, (input.offset += literals));
    if (output.length >= text.length) return text;
    const source = output.length - (input.u8() | (input.u8() << 8));
    const length = MATCH_MIN + lengthIn(token & NIBBLE_MAX, input);
    // A match in the dictionary may continue in the text.
    const inDictionary = Math.min(length, Math.max(-source, 0));
    const start = dictionary.length + source;
    if (inDictionary > 0) output.append(dictionary, start, start + inDictionary);
    if (inDictionary < length) output.repeat(source + inDictionary, length - inDictionary);
  }
}

function lengthIn(nibble: number, input: ByteReader): number {
  return nibble < NIBBLE_MAX ? nibble : NIBBLE_MAX + input.varint();
}

/** Bytes that are written into a buffer of the right size. */
class Output {
  length = 0;

  constructor(private readonly bytes: Buffer) {}

  u8(value: number): void {
    this.bytes[this.length++] = value;
  }

  varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest >>>= 7) this.u8((rest & 0x7f) | 0x80);
    this.u8(rest);
  }

  append(from: Buffer, start: number, end: number): void {
    if (end - start >= LONG_COPY) this.length += from.copy(this.bytes, this.length, start, end);
    else for (let at = start; at < end; at++) this.u8(from[at] ?? 0);
  }

  /** Appends bytes that were written before; the last of them may be among those that it appends. */
  repeat(start: number, count: number): void {
    for (let at = start; at < start + count; at++) this.u8(this.bytes[at] ?? 0);
  }
}
