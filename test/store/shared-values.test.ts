import { describe, expect, it } from 'vitest';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { ExtensionObject } from '../../src/model/object.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { hashBytes, SharedValueFinder } from '../../src/store/index/shared-values.js';
import { CountedTicket } from '../helpers/tickets.js';

const { indexes } = new SchemeRegistry().register(CountedTicket, 'test', (specs) => {
  specs.add(
    IndexSpecs.single<CountedTicket, string>('spec.title', 'string')
      .unique()
      .indexFunc((t) => t.spec.title),
  );
});

const ticket = (title: string): ExtensionObject =>
  ({ metadata: { name: '', labels: {} }, spec: { title } }) as unknown as ExtensionObject;

function found(titles: readonly string[]) {
  const finder = new SharedValueFinder(indexes);
  for (const title of titles) finder.add(ticket(title));
  const isSuspicious = finder.hasSuspects();
  titles.forEach((title, i) => finder.addAgain(`t-${i}`, ticket(title)));
  return { isSuspicious, found: finder.found() };
}

describe('values that several objects have', () => {
  it('are found, each once, with two of the objects', () => {
    expect(found(['a', 'b', 'a', 'c', 'a', 'c'])).toEqual({
      isSuspicious: true,
      found: [
        {
          index: 'spec.title',
          count: 2,
          examples: [
            { value: 'a', names: ['t-0', 't-2'] },
            { value: 'c', names: ['t-3', 't-5'] },
          ],
        },
      ],
    });
  });

  it('need no second look when all hashes differ', () => {
    expect(found(Array.from({ length: 20_000 }, (_, i) => `title ${i}`))).toEqual({
      isSuspicious: false,
      found: [],
    });
  });

  it('are counted when they are more than are compared', () => {
    const titles = Array.from({ length: 6_000 }, (_, i) => `t${i % 3_000}`);
    expect(found(titles).found[0]?.count).toBe(3_000);
  });

  it('have hashes of 53 bits that are spread evenly', () => {
    const hashes = Array.from({ length: 10_000 }, (_, i) => hashBytes(Buffer.from(`value-${i}`)));
    expect(hashes.every(Number.isSafeInteger)).toBe(true);
    const upper = hashes.filter((hash) => hash >= 2 ** 52).length;
    expect(Math.abs(upper - 5_000)).toBeLessThan(300);
  });
});
