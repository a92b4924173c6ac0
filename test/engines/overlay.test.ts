import { afterEach, describe, expect, it } from 'vitest';
import type { Engine, KeyRange, KeyValue, Transaction } from '../../src/store/engine.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { Overlay } from '../../src/store/overlay.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const opened: Engine[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
  removeDirectories();
});

const FIRST = Buffer.from([1]);

/** Few keys of one family, so that they meet; some differ in bytes above ASCII. */
function keyOf(random: Random): Buffer {
  return Buffer.from([1, ...random.many(1, 2, () => random.pick([0, 1, 0x61, 0x7f, 0x80, 0xc3, 0xff]))]);
}

function rangeOf(random: Random): KeyRange {
  const [start = FIRST, after = FIRST] = random
    .many(2, 2, () => keyOf(random))
    .sort((a, b) => Buffer.compare(a, b));
  const range = { start, end: Buffer.from([2]) };
  return random.chance(0.5) ? range : { ...range, after };
}

type Step = (tx: Transaction) => unknown;

function stepOf(random: Random): Step {
  const [key, range, value] = [keyOf(random), rangeOf(random), Buffer.from([random.below(256)])];
  return random.pick<Step>([
    (tx) => tx.put(key, value),
    (tx) => tx.remove(key),
    (tx) => tx.get(key)?.toString('hex'),
    (tx) => {
      const first = tx.first(range);
      return first && `${first.key.toString('hex')}=${first.value.toString('hex')}`;
    },
  ]);
}

/** Keys and values in a map, looked through one by one. */
class PlainTransaction implements Transaction {
  readonly #pairs = new Map<string, Buffer>();

  get(key: Uint8Array): Buffer | undefined {
    return this.#pairs.get(Buffer.from(key).toString('hex'));
  }

  first({ start, end, after }: KeyRange): KeyValue | undefined {
    const [first] = [...this.#pairs]
      .map(([key, value]) => ({ key: Buffer.from(key, 'hex'), value }))
      .filter(({ key }) => Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0)
      .filter(({ key }) => after === undefined || Buffer.compare(key, after) > 0)
      .sort((a, b) => Buffer.compare(a.key, b.key));
    return first;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#pairs.set(Buffer.from(key).toString('hex'), Buffer.from(value));
  }

  remove(key: Uint8Array): void {
    this.#pairs.delete(Buffer.from(key).toString('hex'));
  }
}

describe('writes over a transaction', () => {
  const seed = seedOfRun();

  it(`read as if they were made, one upon the other (seed ${seed})`, async () => {
    const random = new Random(seed);
    const engine = await openLmdb(temporaryDirectory());
    opened.push(engine);
    const stored = random.many(0, 30, () => [keyOf(random), Buffer.from([random.below(256)])] as const);
    await engine.commit((tx) => {
      for (const [key, value] of stored) tx.put(key, value);
    });
    for (let round = 0; round < 60; round += 1) {
      // With many writes a body is run again, in another transaction.
      const lower = random.many(0, random.pick([20, 600]), () => stepOf(random));
      const upper = random.many(0, 200, () => stepOf(random));
      const plain = new PlainTransaction();
      for (const [key, value] of stored) plain.put(key, value);
      const expected = [...lower, ...upper].map((step) => step(plain));
      const dryRun = { dryRun: true };
      expect(await engine.commit((tx) => [...lower, ...upper].map((step) => step(tx)), dryRun)).toEqual(
        expected,
      );
      const overlaid = await engine.commit((tx) => {
        const group = new Overlay(tx);
        const answers = lower.map((step) => step(group));
        const own = new Overlay(group);
        answers.push(...upper.map((step) => step(own)));
        group.merge(own);
        for (const key of group.writes.keys())
          expect(group.get(Buffer.from(key, 'latin1'))).toEqual(own.get(Buffer.from(key, 'latin1')));
        return answers;
      }, dryRun);
      expect(overlaid).toEqual(expected);
    }
  });
});
