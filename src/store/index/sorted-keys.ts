import { SortedRuns } from '../../lib/sorted-runs.js';

/** Bytes of the length before each key. */
const LENGTH_BYTES = 2;

/** Sorts keys in one block of memory. No two may be equal. */
export class SortedKeys {
  readonly #bytes: Buffer;
  #end = 0;
  /** The offsets of the keys. */
  #runs = this.#noRuns();

  /** @param bytesMax memory for the keys, in bytes; sorting needs a few more for each key */
  constructor(bytesMax: number) {
    this.#bytes = Buffer.allocUnsafeSlow(bytesMax);
  }

  /** Adds the keys that fit into the memory. @returns the number of added keys */
  async add(keys: readonly Buffer[]): Promise<number> {
    const places: number[] = [];
    for (const key of keys) {
      if (this.#end + LENGTH_BYTES + key.length > this.#bytes.length) break;
      places.push(this.#end);
      this.#end = this.#bytes.writeUInt16BE(key.length, this.#end);
      this.#end += key.copy(this.#bytes, this.#end);
    }
    await this.#runs.add(places);
    return places.length;
  }

  /** All keys in chunks, which stay valid until keys are added again. Removes them. */
  async *drain(): AsyncGenerator<Buffer[]> {
    for await (const places of this.#runs.inOrder()) yield places.map((at) => this.#keyAt(at));
    this.#end = 0;
    this.#runs = this.#noRuns();
  }

  #noRuns(): SortedRuns<number> {
    return new SortedRuns((one, other) => this.#compare(one, other));
  }

  #compare(one: number, other: number): number {
    const oneEnd = this.#getEnd(one);
    const otherEnd = this.#getEnd(other);
    return this.#bytes.compare(this.#bytes, other + LENGTH_BYTES, otherEnd, one + LENGTH_BYTES, oneEnd);
  }

  #getEnd(at: number): number {
    return at + LENGTH_BYTES + this.#bytes.readUInt16BE(at);
  }

  #keyAt(at: number): Buffer {
    return this.#bytes.subarray(at + LENGTH_BYTES, this.#getEnd(at));
  }
}
