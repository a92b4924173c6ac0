import { ByteReader } from '../../lib/bytes.js';

/**
 * LZ77 with a dictionary, for texts of some hundred bytes that are read one by one: zlib takes five times as long,
 * because it prepares each call. A compressed text is its length and a series of parts. A part has a byte with the
 * length of its literals and that of its match, the literals, and the distance back to the match, in the text or the
 * dictionary before it. The last part has no match. It is the layout of LZ4's blocks, except that a varint continues a
 * length.
 */

/** Shorter matches save little, and prevent longer ones. */
const MATCH_MIN = 6;
/** Matches are found by their first four bytes. */
const WORD_BYTES = 4;
/** Greatest size of dictionary and text together, because a distance takes two bytes. */
const WINDOW_BYTES = 0xffff;
/** A larger length is continued. */
const NIBBLE_MAX = 15;
const HASH_BITS = 11;
/** From this length on, a native copy is faster than a loop. */
const LONG_COPY = 24;

/** A text whose parts other texts may have. */
export class Dictionary {
  /** By the hash of a word, one more than its last place; 0 for none. */
  readonly positions = new Uint16Array(1 << HASH_BITS);

  constructor(readonly bytes: Buffer) {
    for (let at = 0; at + WORD_BYTES <= bytes.length; at++) this.positions[hashAt(bytes, at)] = at + 1;
  }

  /** Greatest length of a text that can be compressed. */
  get textBytesMax(): number {
    return WINDOW_BYTES - this.bytes.length;
  }
}

/** Dictionary and text one after the other, while a text is compressed or decompressed. */
const WINDOW = Buffer.allocUnsafeSlow(WINDOW_BYTES);
/** The dictionary at the start of the window. */
let loaded: Dictionary | undefined;
/** The same for dictionary and text, up to the place that is looked at. */
const POSITIONS = new Uint16Array(1 << HASH_BITS);
/** A text without a match grows by the lengths of its literals. */
const OUTPUT = Buffer.allocUnsafeSlow(WINDOW_BYTES + 16);

/** @returns the place of the text in the window */
function load(dictionary: Dictionary): number {
  if (loaded !== dictionary) dictionary.bytes.copy(WINDOW);
  loaded = dictionary;
  return dictionary.bytes.length;
}

/** @param visit called with the place and length of a match in the text, and its distance back, in the order of places */
export function findMatches(
  dictionary: Dictionary,
  text: Uint8Array,
  visit: (at: number, length: number, distance: number) => void,
): void {
  const start = load(dictionary);
  const end = start + text.length;
  WINDOW.set(text, start);
  POSITIONS.set(dictionary.positions);
  /** The end of the last match. */
  let done = start;
  for (let at = start; at + WORD_BYTES <= end;) {
    const hash = hashAt(WINDOW, at);
    let from = (POSITIONS[hash] ?? 0) - 1;
    POSITIONS[hash] = at + 1;
    if (from < 0 || wordAt(WINDOW, from) !== wordAt(WINDOW, at)) {
      at++;
      continue;
    }
    const distance = at - from;
    let first = at;
    at += WORD_BYTES;
    while (at < end && WINDOW[at] === WINDOW[at - distance]) at++;
    for (; first > done && from > 0 && WINDOW[first - 1] === WINDOW[from - 1]; first--) from--;
    if (at - first < MATCH_MIN) continue;
    visit(first - start, at - first, distance);
    done = at;
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
  let done = 0;
  let length = putVarint(0, text.length);
  const putPart = (end: number, more: number): void => {
    const literals = end - done;
    OUTPUT[length++] = (Math.min(literals, NIBBLE_MAX) << 4) | Math.min(more, NIBBLE_MAX);
    if (literals >= NIBBLE_MAX) length = putVarint(length, literals - NIBBLE_MAX);
    for (let at = done; at < end; at++) OUTPUT[length++] = text[at] ?? 0;
  };
  findMatches(dictionary, text, (at, matched, distance) => {
    const more = matched - MATCH_MIN;
    putPart(at, more);
    OUTPUT[length++] = distance;
    OUTPUT[length++] = distance >>> 8;
    if (more >= NIBBLE_MAX) length = putVarint(length, more - NIBBLE_MAX);
    done = at + matched;
  });
  putPart(text.length, 0);
  return OUTPUT.subarray(0, length);
}

function putVarint(at: number, value: number): number {
  let end = at;
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) OUTPUT[end++] = (rest & 0x7f) | 0x80;
  OUTPUT[end++] = rest;
  return end;
}

/** The length of the text of {@link compress}. */
export function textBytesIn(compressed: Buffer): number {
  return new ByteReader(compressed).varint();
}

/**
 * The text of {@link compress}, with the same dictionary.
 * @param compressed must be undamaged
 * @returns bytes that are valid until the next call of any function of this module
 */
export function decompress(dictionary: Dictionary, compressed: Buffer): Buffer {
  const input = new ByteReader(compressed);
  const start = load(dictionary);
  const end = start + input.varint();
  for (let at = start; ;) {
    const token = input.u8();
    const literals = lengthIn(token >>> 4, input);
    const from = input.offset;
    for (let i = 0; i < literals; i++) WINDOW[at + i] = compressed[from + i] ?? 0;
    input.offset += literals;
    at += literals;
    if (at >= end) return WINDOW.subarray(start, end);
    const distance = input.u8() | (input.u8() << 8);
    const matched = MATCH_MIN + lengthIn(token & NIBBLE_MAX, input);
    if (matched >= LONG_COPY && distance >= matched)
      WINDOW.copyWithin(at, at - distance, at - distance + matched);
    else for (let i = 0; i < matched; i++) WINDOW[at + i] = WINDOW[at + i - distance] ?? 0;
    at += matched;
  }
}

function lengthIn(nibble: number, input: ByteReader): number {
  return nibble < NIBBLE_MAX ? nibble : NIBBLE_MAX + input.varint();
}
