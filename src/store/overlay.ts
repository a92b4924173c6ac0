import { asBuffer } from '../lib/bytes.js';
import type { KeyRange, KeyReads, KeyValue, Transaction } from './engine.js';
import { afterKey } from './index/keys.js';

/** Most pending keys that are searched one by one; more are sorted first. */
const UNSORTED_MAX = 64;

/** Deferred writes on top of another space of keys. Reads combine both. */
export class Overlay implements Transaction {
  readonly #writes = new Map<string, Buffer | undefined>();
  /** Sorted keys that were put. Some may have been removed since. */
  #sorted: string[] = [];
  /** Keys that were put after the last sort. */
  #unsorted: string[] = [];

  constructor(private base: KeyReads) {}

  /** The result of all writes, by key as latin1 text, whose order is that of the bytes. */
  get writes(): ReadonlyMap<string, Buffer | undefined> {
    return this.#writes;
  }

  /** Puts the writes on top of other keys. */
  rebase(base: KeyReads): this {
    this.base = base;
    return this;
  }

  get(key: Uint8Array): Buffer | undefined {
    const text = formatText(key);
    return this.#writes.has(text) ? this.#writes.get(text) : this.base.get(key);
  }

  first(range: KeyRange): KeyValue | undefined {
    const below = this.#firstBelow(range);
    const own = this.#firstOwn(range);
    if (own === undefined) return below;
    return below === undefined || Buffer.compare(own.key, below.key) < 0 ? own : below;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#write(formatText(key), asBuffer(value));
  }

  remove(key: Uint8Array): void {
    this.#writes.set(formatText(key), undefined);
  }

  /** Adds the writes of another overlay on top of this one. */
  merge(upper: Overlay): void {
    for (const [key, value] of upper.#writes) this.#write(key, value);
  }

  #write(key: string, value: Buffer | undefined): void {
    if (value !== undefined && this.#writes.get(key) === undefined) this.#unsorted.push(key);
    this.#writes.set(key, value);
  }

  /** The first pair below that is not overwritten here. */
  #firstBelow(range: KeyRange): KeyValue | undefined {
    let rest = range;
    for (;;) {
      const pair = this.base.first(rest);
      if (pair === undefined || !this.#writes.has(formatText(pair.key))) return pair;
      rest = afterKey(range, pair.key);
    }
  }

  #firstOwn(range: KeyRange): KeyValue | undefined {
    if (this.#unsorted.length > UNSORTED_MAX) this.#sort();
    const [start, end] = [formatText(range.start), formatText(range.end)];
    const after = range.after && formatText(range.after);
    const isWanted = (key: string): boolean =>
      key >= start &&
      key < end &&
      (after === undefined || key > after) &&
      this.#writes.get(key) !== undefined;
    let first: string | undefined;
    for (const key of this.#unsorted) if (isWanted(key) && (first === undefined || key < first)) first = key;
    const from = after !== undefined && after > start ? after : start;
    for (let i = placeIn(this.#sorted, from); i < this.#sorted.length; i++) {
      const key = this.#sorted[i];
      if (key === undefined || key >= end || (first !== undefined && key >= first)) break;
      if (!isWanted(key)) continue;
      first = key;
      break;
    }
    const value = first === undefined ? undefined : this.#writes.get(first);
    return first === undefined || value === undefined
      ? undefined
      : { key: Buffer.from(first, 'latin1'), value };
  }

  #sort(): void {
    // A key that was put, removed and put again is in the list twice.
    this.#sorted = [...new Set([...this.#sorted, ...this.#unsorted])].sort();
    this.#unsorted = [];
  }
}

function formatText(key: Uint8Array): string {
  return asBuffer(key).toString('latin1');
}

/** The index of the first of the sorted texts that is not less than a given one. */
function placeIn(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
