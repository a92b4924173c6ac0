import { createHash } from 'node:crypto';
import { lowerCase } from '../lib/lower-case.js';

/**
 * A word of a text index, as a string with one character for each byte of its UTF-8. So the order of strings is the order
 * of the bytes in the store, and a prefix of a word is a prefix of its bytes.
 */
export type Word = string;

/** A longer word is cut here; the hash of the whole word follows, so that equality stays exact. */
const WORD_BYTES_MAX = 200;

const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORDS = /[a-z0-9]+/g;
const WORDS = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{Mn}+/gu;

/** Part of the fingerprint of text indexes: other words of the same text require another one. */
export const WORDS_FORMAT = 2;

/**
 * The words of a text, in order: runs of letters and digits in lower case, without diacritics (NFKD). No letter depends on
 * those beside it, so the beginning of a text has the beginning of its words.
 */
export function wordsOf(text: string): Word[] {
  const words: readonly string[] = ASCII.test(text)
    ? (text.toLowerCase().match(ASCII_WORDS) ?? [])
    : (lowerCase(text.toWellFormed().normalize('NFKD').replace(MARKS, '')).match(WORDS) ?? []);
  return words.map(asWord);
}

function asWord(text: string): Word {
  if (text.length <= WORD_BYTES_MAX && ASCII.test(text)) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= WORD_BYTES_MAX) return bytes.toString('latin1');
  const hash = createHash('sha256').update(bytes).digest('hex');
  return `${bytes.toString('latin1', 0, WORD_BYTES_MAX)}\0${hash}`;
}

export function textOfWord(word: Word): string {
  return Buffer.from(word, 'latin1').toString();
}

/** The digest of a document, 8 bytes, and the number of its words, 4 bytes. */
export const DOCUMENT_HEAD_BYTES = 12;

const BETWEEN_WORDS = ' ';
const BETWEEN_TEXTS = '\n';

/**
 * The words of an object for its text index: a head, which the record of the object contains, and the words of each
 * text. Equal heads mean equal words at equal positions.
 * @returns undefined without words
 */
export function encodeDocument(texts: Iterable<string>): Buffer | undefined {
  const parts: string[] = [];
  const digest = new WordsDigest();
  let count = 0;
  for (const text of texts) {
    const words = wordsOf(text);
    for (const word of words) digest.add(word, count++ + parts.length);
    parts.push(words.join(BETWEEN_WORDS));
  }
  if (count === 0) return undefined;
  const body = parts.join(BETWEEN_TEXTS);
  const document = Buffer.allocUnsafe(DOCUMENT_HEAD_BYTES + body.length);
  digest.write(document);
  document.writeUInt32BE(count, 8);
  document.write(body, DOCUMENT_HEAD_BYTES, 'latin1');
  return document;
}

/** The head of a document. It shares memory with it. */
export function headOfDocument(document: Buffer): Buffer {
  return document.subarray(0, DOCUMENT_HEAD_BYTES);
}

/** The number of words, from a document or its head. */
export function wordCountIn(document: Buffer): number {
  return document.readUInt32BE(8);
}

/**
 * Calls back with each word and its position. Positions start at 0; one is left out between two texts, so that words
 * of different texts are not side by side.
 */
export function visitWords(document: Buffer, visit: (word: Word, position: number) => void): void {
  let position = 0;
  for (const text of document.toString('latin1', DOCUMENT_HEAD_BYTES).split(BETWEEN_TEXTS)) {
    if (text !== '') for (const word of text.split(BETWEEN_WORDS)) visit(word, position++);
    position++;
  }
}

/** A sum over words and their positions, in any order. */
export class WordsDigest {
  #low = 0;
  #high = 0;

  add(word: Word, position: number): void {
    let low = 0x811c9dc5;
    let high = 0x9747b28c;
    for (let i = 0; i < word.length; i++) {
      const byte = word.charCodeAt(i);
      low = Math.imul(low ^ byte, 0x01000193);
      high = Math.imul(high ^ byte, 0x5bd1e995);
    }
    this.#low = (this.#low + mixed(low ^ Math.imul(position + 1, 0x9e3779b1))) >>> 0;
    this.#high = (this.#high + mixed(high ^ Math.imul(position + 1, 0x85ebca6b))) >>> 0;
  }

  write(target: Buffer): void {
    target.writeUInt32BE(this.#low, 0);
    target.writeUInt32BE(this.#high, 4);
  }

  /** True when a document has the words that were added. */
  equals(head: Buffer): boolean {
    return head.readUInt32BE(0) === this.#low && head.readUInt32BE(4) === this.#high;
  }
}

/** The finalizer of MurmurHash3. */
function mixed(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
