import { describe, expect, it } from 'vitest';
import { iteratePages } from '../../src/engines/etcd/range-pages.js';
import { getKey, type Range, type RangeAnswer } from '../../src/engines/etcd/requests.js';
import { Random, seedOfRun } from '../helpers/seed.js';

const LIMIT = 100;
const ALL: Required<Range> = { start: Buffer.from('kv/'), end: Buffer.from('kv0') };

/** Answers as etcd does, and counts the keys that it looks at: all of those that it is asked for. */
class CountingRange {
  visited = 0;
  asked = 0;
  private readonly keys: Buffer[];

  constructor(keys: Iterable<Buffer>) {
    const unique = new Map([...keys].map((key) => [key.toString('latin1'), key]));
    this.keys = [...unique.values()].sort((a, b) => a.compare(b));
  }

  get length(): number {
    return this.keys.length;
  }

  ask = ({ start, end }: Required<Range>): Promise<RangeAnswer> => {
    expect(start.compare(end)).toBeLessThan(0);
    const found = this.keys.slice(this.firstFrom(start), this.firstFrom(end));
    this.visited += found.length;
    this.asked += 1;
    const kvs = found.slice(0, LIMIT).map((key) => ({ key: key.toString('base64') }));
    return Promise.resolve({ ...(kvs.length > 0 && { kvs }), ...(found.length > LIMIT && { more: true }) });
  };

  async expectWholeInOrder(): Promise<void> {
    const read: Buffer[] = [];
    for await (const page of iteratePages(ALL, this.ask)) read.push(...page.map(getKey));
    expect(read.map((key) => key.toString('hex'))).toEqual(this.keys.map((key) => key.toString('hex')));
  }

  private firstFrom(key: Buffer): number {
    let [low, high] = [0, this.keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.keys[middle]?.compare(key) === -1) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const under = (...bytes: readonly (number | string)[]): Buffer =>
  Buffer.concat([
    ALL.start,
    ...bytes.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))),
  ]);
const many = (count: number, key: (n: number) => Buffer): Buffer[] =>
  Array.from({ length: count }, (_, n) => key(n));

describe('the pages of a long range of etcd', () => {
  const u32 = (n: number): string => n.toString(16).padStart(8, '0');

  it.each([
    { title: 'none', keys: [] },
    { title: 'one', keys: [under('a')] },
    { title: 'as many as one page has', keys: many(LIMIT, (n) => under(u32(n))) },
    { title: 'keys that differ by a zero at the end', keys: many(500, (n) => under('a', '\0'.repeat(n))) },
    { title: 'keys of high bytes', keys: many(1_000, (n) => under(0xff, 0xff, 0xff, n >> 8, n & 0xff)) },
  ])('have each key once, in order: $title', async ({ keys }) => {
    await new CountingRange(keys).expectWholeInOrder();
  });

  const seed = seedOfRun();
  it(`have each key once, in order, of random keys (SEED=${seed})`, async () => {
    const random = new Random(seed);
    for (let round = 0; round < 200; round += 1) {
      const bytes = random.pick([2, 3, 256]);
      const length = random.pick([2, 5, 12]);
      const key = (): Buffer =>
        under(...Array.from({ length: random.below(length + 1) }, () => random.below(bytes)));
      await new CountingRange(many(random.below(2_000), key)).expectWholeInOrder();
    }
  });

  it('take a time that grows with the keys, not with their square', async () => {
    const keys = [
      ...many(40_000, (n) => under(3, 0, 0, 0, 7, u32(n * 3))),
      ...many(40_000, (n) => under(4, 0, 0, 0, 7, `some-long-name-of-a-record-${n}`)),
      ...many(40_000, (n) => under(5, 0, 0, 0, 9, u32(Math.imul(n + 1, 2_654_435_761) >>> 0), u32(n))),
      ...many(30, (n) => under(5, 0, 0, 0, 10, u32(n))),
      ...many(40_000, (n) => under(5, 0, 0, 0, 11, 'true', u32(n))),
    ];
    const range = new CountingRange(keys);
    await range.expectWholeInOrder();
    expect(range.visited).toBeLessThan(20 * range.length);
    expect(range.asked).toBeLessThan((3 * range.length) / LIMIT);
  });
});
