import { describe, expect, it } from 'vitest';
import { SortedKeys } from '../../src/store/index/sorted-keys.js';
import { Random, seedOfRun } from '../helpers/seed.js';

async function drained(keys: SortedKeys): Promise<string[]> {
  const texts: string[] = [];
  for await (const chunk of keys.drain()) texts.push(...chunk.map((key) => key.toString('hex')));
  return texts;
}

describe('keys that are put in order', () => {
  const seed = seedOfRun();

  it(`come in the order of their bytes, as often as they are filled (SEED=${seed})`, async () => {
    const random = new Random(seed);
    const keys = new SortedKeys(1024 * 1024);
    for (const count of [0, 1, 2, 499, 500, 501, 6_000]) {
      const texts = new Set<string>();
      while (texts.size < count)
        texts.add(Buffer.from(random.many(1, 40, () => random.below(3) * 127)).toString('hex'));
      const all = [...texts].map((text) => Buffer.from(text, 'hex'));
      for (let at = 0; at < all.length; at += 700) {
        const part = all.slice(at, at + 700);
        expect(await keys.add(part)).toBe(part.length);
      }
      expect(await drained(keys)).toEqual([...texts].sort());
      expect(await drained(keys)).toEqual([]);
    }
  });

  it('are refused when there is no room, and taken when there is again', async () => {
    const keys = new SortedKeys(3 * 12);
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((text) => Buffer.alloc(10, text)) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    expect(await keys.add([c, b, a, d])).toBe(3);
    expect(await keys.add([d])).toBe(0);
    expect(await drained(keys)).toEqual([a, b, c].map((key) => key.toString('hex')));
    expect(await keys.add([d])).toBe(1);
    expect(await drained(keys)).toEqual([d.toString('hex')]);
  });
});
