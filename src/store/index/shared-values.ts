import { formatExcerpt } from '../../errors.js';
import { decodeValue } from '../../model/key-type.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Index } from '../../model/declare/scheme.js';

/** Values that several objects have in a unique index. Those of different namespaces may share a value. */
export interface SharedValues {
  readonly index: string;
  /** The number of values that several objects have. */
  readonly count: number;
  /** The first of these values. */
  readonly examples: readonly SharedValue[];
}

export interface SharedValue {
  readonly value: string;
  /** Two of the objects. */
  readonly names: readonly [string, string];
}

/** Most values that are named. */
const EXAMPLES_MAX = 10;
/** Most values that are compared exactly. Of more suspects, it is enough to know that most are really shared. */
const EXACT_MAX = 1_000;

/**
 * Finds values that several objects have in unique indexes. It reads all objects twice: first it keeps a hash of each
 * value, 8 bytes; then it compares the values with equal hashes.
 */
export class SharedValueFinder {
  readonly #looks: readonly IndexLook[];

  constructor(indexes: readonly Index[]) {
    this.#looks = indexes.filter(({ unique }) => unique).map((index) => new IndexLook(index));
  }

  /** True when any index is unique. */
  get isNeeded(): boolean {
    return this.#looks.length > 0;
  }

  /** Adds an object in the first pass. @throws ServiceError when an index function fails */
  add(object: ExtensionObject): void {
    for (const look of this.#looks) look.add(object);
  }

  /** Ends the first pass. @returns true when a second pass is needed */
  hasSuspects(): boolean {
    for (const look of this.#looks) look.sum();
    return this.#looks.some(({ isSuspicious }) => isSuspicious);
  }

  /** Adds an object in the second pass. @throws ServiceError when an index function fails */
  addAgain(name: string, object: ExtensionObject): void {
    for (const look of this.#looks) look.addAgain(name, object);
  }

  /** The shared values by index, in the order of the declarations. Omits indexes without any. */
  found(): readonly SharedValues[] {
    return this.#looks.map((look) => look.found()).filter(({ count }) => count > 0);
  }
}

interface NamespacedValue {
  readonly value: Buffer;
  /** The value and the namespace, which no two objects may have. */
  readonly claim: Buffer;
}

interface Suspect extends Pick<NamespacedValue, 'claim'> {
  readonly name: string;
  isShared: boolean;
}

class IndexLook {
  #hashes = new Float64Array(1024);
  #length = 0;
  /** Hashes that several values have, ascending. */
  #suspects = this.#hashes.subarray(0, 0);
  readonly #exact = new Map<number, Suspect[]>();
  readonly #examples: SharedValue[] = [];
  #shared = 0;

  constructor(private readonly index: Index) {}

  get isSuspicious(): boolean {
    return this.#suspects.length > 0;
  }

  add(object: ExtensionObject): void {
    for (const { claim } of this.#claims(object)) {
      if (this.#length === this.#hashes.length) this.#grow();
      this.#hashes[this.#length++] = hashBytes(claim);
    }
  }

  #grow(): void {
    const larger = new Float64Array(this.#hashes.length * 2);
    larger.set(this.#hashes);
    this.#hashes = larger;
  }

  sum(): void {
    const hashes = this.#hashes.subarray(0, this.#length).sort();
    let kept = 0;
    for (let i = 1; i < hashes.length; i++) {
      const hash = hashes[i] ?? 0;
      const isSame = hash === hashes[i - 1];
      if (isSame && (kept === 0 || hashes[kept - 1] !== hash)) hashes[kept++] = hash;
    }
    this.#suspects = hashes.slice(0, kept);
    this.#hashes = new Float64Array(1);
    this.#length = 0;
  }

  addAgain(name: string, object: ExtensionObject): void {
    if (!this.isSuspicious) return;
    for (const claimed of this.#claims(object)) {
      const hash = hashBytes(claimed.claim);
      if (isIn(this.#suspects, hash)) this.#compare(hash, claimed, name);
    }
  }

  #claims(object: ExtensionObject): readonly NamespacedValue[] {
    const { namespace } = object.metadata;
    const values = this.index.values(object);
    if (namespace === undefined) return values.map((value) => ({ value, claim: value }));
    const prefix = Buffer.from(`${namespace}/`);
    return values.map((value) => ({ value, claim: Buffer.concat([prefix, value]) }));
  }

  #compare(hash: number, { value, claim }: NamespacedValue, name: string): void {
    const suspects = this.#exact.get(hash);
    if (suspects === undefined) {
      if (this.#exact.size < EXACT_MAX) this.#exact.set(hash, [{ claim, name, isShared: false }]);
      return;
    }
    const same = suspects.find((suspect) => suspect.claim.equals(claim));
    if (same === undefined) suspects.push({ claim, name, isShared: false });
    else if (!same.isShared) {
      same.isShared = true;
      this.#shared++;
      if (this.#examples.length < EXAMPLES_MAX)
        this.#examples.push({ value: this.#shown(value), names: [same.name, name] });
    }
  }

  #shown(value: Buffer): string {
    return formatExcerpt(String(decodeValue(this.index.keyType, value)));
  }

  found(): SharedValues {
    const beyond = this.#shared === 0 ? 0 : Math.max(0, this.#suspects.length - this.#exact.size);
    return { index: this.index.name, count: this.#shared + beyond, examples: this.#examples };
  }
}

function isIn(sorted: Float64Array, wanted: number): boolean {
  let [low, high] = [0, sorted.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = sorted[middle] ?? 0;
    if (found === wanted) return true;
    if (found < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** 53 bits, the most that a number represents exactly: cyrb53, two multiplicative hashes combined at the end. */
export function hashBytes(bytes: Buffer): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (const byte of bytes) {
    a = Math.imul(a ^ byte, 2654435761);
    b = Math.imul(b ^ byte, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
