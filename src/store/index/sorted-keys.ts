import { SortedRuns } from '../../lib/sorted-runs.js';

/** A key stands after its length. */
const LENGTH_BYTES = 2;

/** Keys that are put in order, in one piece of memory. No two may be equal. */
export class SortedKeys {
  readonly #bytes: Buffer;
  #end = 0;
  /** Where the keys stand. */
  #runs = this.noRuns();

  /** @param bytesMax memory for the keys, in bytes; a few more for each are taken to sort them */
  constructor(bytesMax: number) {
    this.#bytes = Buffer.allocUnsafeSlow(bytesMax);
  }

  /** Takes as many of the keys as there is room for. @returns how many */
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

  /** All of them in chunks, which stay valid until keys are added again. There are none left afterwards. */
  async *drain(): AsyncGenerator<Buffer[]> {
    for await (const places of this.#runs.inOrder()) yield places.map((at) => this.keyAt(at));
    this.#end = 0;
    this.#runs = this.noRuns();
  }

  private noRuns(): SortedRuns<number> {
    return new SortedRuns((one, other) => this.compare(one, other));
  }

  private compare(one: number, other: number): number {
    const oneEnd = this.getEnd(one);
    const otherEnd = this.getEnd(other);
    return this.#bytes.compare(this.#bytes, other + LENGTH_BYTES, otherEnd, one + LENGTH_BYTES, oneEnd);
  }

  private getEnd(at: number): number {
    return at + LENGTH_BYTES + this.#bytes.readUInt16BE(at);
  }

  private keyAt(at: number): Buffer {
    return this.#bytes.subarray(at + LENGTH_BYTES, this.getEnd(at));
  }
}
