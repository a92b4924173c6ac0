import { createHash } from 'node:crypto';
import type { Engine, KeyValue } from './engine.js';
import { FAMILY } from './index/keys.js';
import { scanChunks } from './index/scan.js';

/** The number of pairs of a store, and a hash of their content. */
export interface PairsDigest {
  readonly pairs: number;
  /** SHA-256 over all keys and values, in hexadecimal digits. */
  readonly sha256: string;
}

/** Every key of a store with its value, as of one moment, in the order of the keys. */
export async function* everyPair(engine: Engine): AsyncGenerator<KeyValue[]> {
  const snapshot = engine.snapshot();
  try {
    for (const family of Object.values(FAMILY).sort((a, b) => a - b)) {
      const range = { start: Buffer.from([family]), end: Buffer.from([family + 1]) };
      yield* scanChunks(snapshot, range);
    }
  } finally {
    snapshot.close();
  }
}

/** Computes a digest of pairs. */
export class Digest {
  readonly #hash = createHash('sha256');
  #pairs = 0;

  add(part: readonly KeyValue[]): void {
    for (const { key, value } of part) {
      const lengths = Buffer.allocUnsafe(8);
      lengths.writeUInt32BE(key.length, 0);
      lengths.writeUInt32BE(value.length, 4);
      this.#hash.update(lengths).update(key).update(value);
    }
    this.#pairs += part.length;
  }

  /** Passes pairs on after adding them to the digest. */
  async *over(parts: AsyncIterable<readonly KeyValue[]>): AsyncGenerator<readonly KeyValue[]> {
    for await (const part of parts) {
      this.add(part);
      yield part;
    }
  }

  done(): PairsDigest {
    return { pairs: this.#pairs, sha256: this.#hash.digest('hex') };
  }
}

export async function digestPairs(engine: Engine): Promise<PairsDigest> {
  const digest = new Digest();
  for await (const part of everyPair(engine)) digest.add(part);
  return digest.done();
}
