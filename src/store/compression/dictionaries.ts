import { crc32 } from 'node:zlib';
import type { Shape } from '../shapes.js';
import { compress, decompress, Dictionary, findMatches } from './lz.js';

/** A dictionary in the record of its model. */
export interface StoredDictionary {
  /** The shape of the objects that it was made of: its `after`. */
  readonly after: number;
  /** Its bytes in base64. */
  readonly bytes: string;
  /** The CRC-32 of the bytes. */
  readonly checksum: number;
}

/** Objects with which a model gets a dictionary. Fewer are not worth one. */
export const DICTIONARY_OBJECTS_MIN = 64;
/** Objects that a dictionary is made of. */
export const SAMPLES = 3;
const SAMPLE_BYTES_MAX = 16_384;
/** Room for the parts of a large object, in a window of 64 KiB. */
const BYTES_MAX = 4_096;
/** A shorter text is not compressed. */
const TEXT_BYTES_MIN = 128;
/** Dictionaries of a model. Its last one is used for further shapes. */
const COUNT_MAX = 100;

/**
 * The parts that all of some objects have: names of members, labels and values that do not differ. It has nothing that
 * only one object has, which could then be read after the object was deleted.
 */
export function makeDictionary(
  samples: readonly Buffer[],
  { after }: Pick<Shape, 'after'>,
): StoredDictionary {
  const [first, ...others] = samples.map((sample) => sample.subarray(0, SAMPLE_BYTES_MAX));
  if (first === undefined) throw new RangeError('a dictionary needs an object');
  const bytes = others.reduce(commonParts, first).subarray(0, BYTES_MAX);
  return { after, bytes: bytes.toString('base64'), checksum: crc32(bytes) };
}

function commonParts(text: Buffer, other: Buffer): Buffer {
  const parts: Buffer[] = [];
  findMatches(new Dictionary(other), text, (at, length) => {
    parts.push(text.subarray(at, at + length));
  });
  return Buffer.concat(parts);
}

export interface CompressedText {
  /** The number of its dictionary. */
  readonly number: number;
  /** Valid until the next text is compressed. */
  readonly bytes: Buffer;
}

/** The dictionaries of a model by their numbers, which begin with 1 and are never reused. */
export class Dictionaries {
  readonly #loaded: (Dictionary | undefined)[] = [];
  /** True when the present shape of the objects has none. */
  readonly isWanted: boolean;

  constructor(
    private readonly stored: readonly StoredDictionary[],
    shape: Pick<Shape, 'after'> | undefined,
  ) {
    this.isWanted = shape !== undefined && stored.at(-1)?.after !== shape.after && stored.length < COUNT_MAX;
  }

  /** The text, compressed with the latest dictionary; undefined when that is not shorter. */
  compress(text: Buffer): CompressedText | undefined {
    const number = this.stored.length;
    const dictionary = text.length < TEXT_BYTES_MIN ? undefined : this.find(number);
    if (dictionary === undefined || text.length > dictionary.textBytesMax) return undefined;
    const bytes = compress(dictionary, text);
    return bytes.length < text.length ? { number, bytes } : undefined;
  }

  /**
   * Undefined when the dictionary is missing or damaged.
   * @returns bytes that are valid until the next text is compressed or decompressed
   */
  decompress({ number, bytes }: CompressedText): Buffer | undefined {
    const dictionary = this.find(number);
    return dictionary && decompress(dictionary, bytes);
  }

  /** Undefined when the model has none with this number, or when it is damaged. */
  find(number: number): Dictionary | undefined {
    return (this.#loaded[number] ??= load(this.stored[number - 1]));
  }
}

export const NO_DICTIONARIES = new Dictionaries([], undefined);

function load(stored: StoredDictionary | undefined): Dictionary | undefined {
  if (stored === undefined) return undefined;
  const bytes = Buffer.from(stored.bytes, 'base64');
  return crc32(bytes) === stored.checksum ? new Dictionary(bytes) : undefined;
}
