import type { Postings } from './term-block.js';

/** Collects the postings of one word, doc by doc in ascending order. */
export class PostingsWriter {
  #docs = new VarintWriter();
  #positions = new VarintWriter();
  #before = -1;
  count = 0;

  /** Begins the next doc. @param times number of its positions, at least 1 */
  addDoc(doc: number, times: number): void {
    this.#docs.add((doc - this.#before) * 2 + (times > 1 ? 1 : 0));
    if (times > 1) this.#docs.add(times);
    this.#before = doc;
    this.count++;
  }

  /** Adds a number to the positions: see {@link Postings}. */
  addPosition(difference: number): void {
    this.#positions.add(difference);
  }

  done(): Postings {
    return { count: this.count, docs: this.#docs.done(), positions: this.#positions.done() };
  }
}

/** Appends integers below 2^31 as varints. */
class VarintWriter {
  #bytes = Buffer.allocUnsafe(64);
  #length = 0;

  add(value: number): void {
    if (this.#length + 5 > this.#bytes.length) this.#grow();
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  done(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(): void {
    const grown = Buffer.allocUnsafe(this.#bytes.length * 2);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** Reads integers below 2^31 that are written as varints. */
export class VarintReader {
  at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get atEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  next(): number {
    let byte = this.bytes[this.at++] ?? 0;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; ; shift += 7) {
      byte = this.bytes[this.at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
}
