import type { KeyRange, KeyValue } from '../../src/store/engine.js';

/** A state of the store: sorted pairs, never changed. Keys are text of one character a byte. */
export class Pairs {
  constructor(
    readonly keys: readonly string[] = [],
    readonly values: ReadonlyMap<string, Buffer> = new Map(),
    /** The number of commits. */
    readonly commits = 0,
  ) {}

  with(writes: ReadonlyMap<string, Buffer | undefined>): Pairs {
    const values = new Map(this.values);
    for (const [key, value] of writes)
      if (value === undefined) values.delete(key);
      else values.set(key, Buffer.from(value));
    const isSame = [...writes].every(([key, value]) => this.values.has(key) === (value !== undefined));
    return new Pairs(isSame ? this.keys : [...values.keys()].sort(), values, this.commits + 1);
  }

  equals(other: Pairs): boolean {
    if (this.keys.length !== other.keys.length) return false;
    return this.keys.every((key) => {
      const [own, value] = [this.values.get(key), other.values.get(key)];
      return own !== undefined && value !== undefined && own.equals(value);
    });
  }

  /** A copy: the caller may keep and change it. */
  get(key: Uint8Array): Buffer | undefined {
    const value = this.values.get(toText(key));
    return value && Buffer.from(value);
  }

  scan({ start, end, after }: KeyRange, limit: number, reverse = false): KeyValue[] {
    let [from, to] = [this.#placeOf(toText(start)), this.#placeOf(toText(end))];
    if (after !== undefined && reverse) to = Math.min(to, this.#placeOf(toText(after)));
    else if (after !== undefined) from = Math.max(from, this.#placeOf(`${toText(after)}\0`));
    const keys = reverse
      ? this.keys.slice(Math.max(from, to - limit), to).reverse()
      : this.keys.slice(from, Math.min(to, from + limit));
    return keys.map((key) => ({
      key: Buffer.from(key, 'latin1'),
      value: Buffer.from(this.values.get(key) ?? ''),
    }));
  }

  /** The position of the first key that is not less than the given one. */
  #placeOf(key: string): number {
    let [low, high] = [0, this.keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
