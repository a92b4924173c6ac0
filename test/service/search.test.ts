import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Work } from '../../src/lib/work/work.js';
import type { ListOptions } from '../../src/query/list-options.js';
import { makeSegments, namesOf, NOTE, note, registerNotes } from '../helpers/notes.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';

let t: TestService;

beforeEach(async () => {
  t = await openTestService();
  await registerNotes(t);
});
afterEach(() => t.close());
afterAll(removeDirectories);

async function create(texts: Readonly<Record<string, string | readonly string[]>>): Promise<void> {
  const items = Object.entries(texts).map(([name, given]) => {
    const [title = '', ...body] = [given].flat();
    return { verb: 'create', resource: NOTE, object: note(name, { title, body }) } as const;
  });
  await t.service.batch(items);
}

function refusalOf(options: ListOptions, work?: Work): Promise<string> {
  return t.service.list(NOTE, options, work === undefined ? {} : { work }).then(
    () => 'answered',
    (error: unknown) => String(error),
  );
}

describe.each([
  ['in fresh rows', () => Promise.resolve()],
  ['in segments', (rows = 1) => makeSegments(t, { rows, bytes: 1e9, segments: 8 })],
] satisfies [string, (rows?: number) => Promise<void>][])('a search of words %s', (_where, flush) => {
  it('finds objects that have all words, in any text, case and form', async () => {
    await create({
      a: ['Disk full', 'The disk is FULL of cafe\u0301s'],
      b: 'disk',
      c: ['Full', 'of dişks'],
      d: 'diskette, full',
    });
    await flush();
    expect(await namesOf(t, 'full disk ')).toEqual(['a']);
    expect(await namesOf(t, 'FULL Dísk')).toEqual(['d', 'c', 'a']);
    expect(await namesOf(t, 'CAFÉS ')).toEqual(['a']);
    expect(await namesOf(t, 'dis')).toEqual(['b', 'd', 'c', 'a']);
    expect(await namesOf(t, 'nothing ')).toEqual([]);
  });

  it('finds a word with a sigma at any place, by its beginning and as a whole', async () => {
    await create({ a: 'Οδυσσεύς', b: 'ὁδός', c: 'ΟΔΟΣ' });
    await flush();
    for (const text of ['οδυσ', 'ΟΔΥΣ', 'οδυς', 'ΟΔΥΣΣΕΥΣ ', 'οδυσσευσ '])
      expect([text, await namesOf(t, text)]).toEqual([text, ['a']]);
    for (const text of ['οδοσ ', 'ΟΔΟΣ ', '"οδος"'])
      expect([text, await namesOf(t, text)]).toEqual([text, ['b', 'c']]);
  });

  it('finds phrases within one text, and leaves out what is excluded', async () => {
    await create({
      a: ['read only disk', 'full'],
      b: ['read', 'only disk'],
      c: ['only read', 'read the only read only one'],
      d: 'a read of a disk only',
    });
    await flush();
    expect(await namesOf(t, '"read only"', { sort: 'metadata.name' })).toEqual(['a', 'c']);
    expect(await namesOf(t, '"read only disk"')).toEqual(['a']);
    expect(await namesOf(t, '"read only" disk ')).toEqual(['a']);
    expect(await namesOf(t, 'read -"read only"', { sort: 'metadata.name' })).toEqual(['b', 'd']);
    expect(await namesOf(t, 'read -read-only -a')).toEqual(['b']);
    expect(await namesOf(t, 'read -dis', { sort: 'metadata.name' })).toEqual(['a', 'b', 'c', 'd']);
    expect(await namesOf(t, 'read -full -"only read"', { sort: 'metadata.name' })).toEqual(['b', 'd']);
  });

  it('orders by relevance, rare words and short texts first, and ties by name', async () => {
    await create({
      often: 'disk disk disk of many words here',
      once: 'disk of many words here and there',
      rare: 'disk unicorn of many words here',
      long: `disk ${'word '.repeat(50)}`,
      tie2: 'disk of many words here and there',
    });
    await flush();
    expect(await namesOf(t, 'disk ')).toEqual(['often', 'rare', 'once', 'tie2', 'long']);
    expect(await namesOf(t, 'disk ', { sort: 'metadata.name' })).toEqual([
      'long',
      'often',
      'once',
      'rare',
      'tie2',
    ]);
  });

  it('follows updates, deletions, and a text that is taken away', async () => {
    await create({ a: 'disk', b: 'disk', c: 'disk', d: 'disk' });
    await flush();
    expect(await namesOf(t, 'disk ')).toEqual(['a', 'b', 'c', 'd']);
    await t.service.update(NOTE, 'a', note('a', { title: 'tape' }));
    await t.service.delete(NOTE, 'b');
    await t.service.update(NOTE, 'c', note('c', {}));
    expect(await namesOf(t, 'disk ')).toEqual(['d']);
    expect(await namesOf(t, 'tap')).toEqual(['a']);
    await flush();
    expect(await namesOf(t, 'disk ')).toEqual(['d']);
    await t.service.update(NOTE, 'c', note('c', { title: 'disk again' }));
    await flush();
    expect(await namesOf(t, 'disk ')).toEqual(['d', 'c']);
    expect(await t.check()).toEqual([]);
  });

  it('pages over many objects with one word, whose order is by name', async () => {
    const names = Array.from({ length: 1_500 }, (_, i) => `n${String((i * 7) % 1_500).padStart(4, '0')}`);
    await create(Object.fromEntries(names.map((name) => [name, 'common'])));
    await flush(150);
    const sorted = names.toSorted();
    expect(await namesOf(t, 'common ')).toEqual(sorted);
    expect(await namesOf(t, 'comm', { page: 40, size: 30 })).toEqual(sorted.slice(1_170, 1_200));
    const found: string[] = [];
    let token: string | undefined;
    do {
      const more = { limit: 400, ...(token !== undefined && { continue: token }) };
      const { items, metadata, total } = await t.service.list(NOTE, { search: 'common ', ...more });
      expect(total).toBe(1_500);
      found.push(...items.map((one) => one.metadata.name));
      token = metadata.continue;
    } while (token !== undefined);
    expect(found).toEqual(sorted);
  });

  it('takes texts of 1 MiB, hostile characters and long words', async () => {
    const many = 'needle hay '.repeat(90_000);
    await create({
      big: many,
      hostile: 'a\u0000b \u0301\u0300 \ud800 e\u0301\u0323x \u202eright <script>',
      long: `${'x'.repeat(5_000)} ${'é'.repeat(150)}`,
    });
    await flush();
    expect(await namesOf(t, '"hay needle" needl')).toEqual(['big']);
    expect(await namesOf(t, '"needle needle"')).toEqual([]);
    expect(await namesOf(t, '"a b" ex right script ')).toEqual(['hostile']);
    expect(await namesOf(t, 'x'.repeat(5_000))).toEqual(['long']);
    expect(await namesOf(t, 'x'.repeat(4_999))).toEqual([]);
    expect(await namesOf(t, 'x'.repeat(150))).toEqual(['long']);
    expect(await namesOf(t, `${'é'.repeat(150)} `)).toEqual(['long']);
    expect(await refusalOf({ search: Array.from({ length: 10_000 }, (_, i) => `w${i}`).join(' ') })).toMatch(
      /at most 100 different words/,
    );
  });

  it('stops at the limit of reads, and names the search', async () => {
    await create(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`n${i}`, 'common words'])));
    await flush();
    const options = { search: 'common words ', size: 5 };
    expect(await refusalOf(options, new Work({ entriesMax: 100 }))).toMatch(
      /more than 100 index entries.*for the search/,
    );
    expect(await refusalOf(options, new Work({ entriesMax: 400 }))).toBe('answered');
  });
});

describe('a search', () => {
  it('is explained with its words, matches and reads', async () => {
    await create({ a: 'disk full', b: 'disk', c: 'tape' });
    await makeSegments(t, { rows: 1, bytes: 1, segments: 8 });
    await create({ d: 'disk full disk' });
    const search = 'full "disk full" -tape dis';
    const explained = await t.service.explain(NOTE, { search, size: 1 });
    expect(explained).toMatchObject({
      method: 'relevance',
      index: null,
      sorts: false,
      total: 2,
      objectsRead: 1,
      search: {
        words: ['full', 'disk', 'dis*', '"disk full"', '-tape'],
        matches: 2,
        from: 'index',
        segments: 1,
        freshRows: 1,
      },
    });
    expect(explained.search?.entriesRead).toBeGreaterThan(5);
    const again = await t.service.explain(NOTE, { search, sort: 'spec.owner' });
    expect(again).toMatchObject({
      index: 'spec.owner',
      search: { from: 'memory', matches: 2, entriesRead: 0 },
    });
    expect((await t.service.explain(NOTE, { sort: 'spec.owner' })).search).toBeUndefined();
  });

  it('counts its memory in the limit of all caches, and frees it with the model', async () => {
    await create({ a: 'disk full', b: 'disk' });
    const { cacheBudget, listCaches } = t.service;
    expect(cacheBudget.bytesByName().get('text-index') ?? 0).toBe(0);
    await namesOf(t, 'disk ');
    expect(cacheBudget.bytesByName().get('text-index')).toBeGreaterThan(100);
    expect(cacheBudget.bytesByName().get('text-matches')).toBeGreaterThan(10);
    const table = t.store.findTable(NOTE);
    listCaches.forget(table?.modelId ?? 0);
    expect(cacheBudget.bytesByName().get('text-index')).toBe(0);
    expect(await namesOf(t, 'disk ')).toEqual(['b', 'a']);
  });

  it('is answered without memory for it', async () => {
    const small = await openTestService(t.directory, {}, { cacheBytes: 10 });
    try {
      await registerNotes(small);
      await create({ a: 'disk full', b: 'disk' });
      expect(await namesOf(small, 'disk ')).toEqual(['b', 'a']);
      await t.service.delete(NOTE, 'b');
      expect(await namesOf(small, 'disk ')).toEqual(['a']);
    } finally {
      await small.close();
    }
  });

  it('continues behind the score and the name of the last object, also when others come and go', async () => {
    await create({ a: 'disk', b: 'disk disk', c: 'disk', d: 'disk' });
    const search = 'disk ';
    const first = await t.service.list(NOTE, { search, limit: 2 });
    expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['b', 'a']);
    const token = first.metadata.continue ?? '';
    const second = await t.service.list(NOTE, { search, limit: 2, continue: token });
    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['c', 'd']);
    for (const other of [{ search: 'disk' }, { search, sort: 'metadata.name' }, {}])
      expect(await refusalOf({ ...other, limit: 2, continue: token })).toContain('other parameters');
    await t.service.delete(NOTE, 'a');
    expect(await refusalOf({ search, limit: 2, continue: token })).toBe('answered');
  });

  it('lists each object once and ends while others change between the parts', async () => {
    const word = (i: number): string => ['disk', 'tape', 'full'].slice(0, 1 + (i % 3)).join(' ');
    const textOf = (i: number): string => `${word(i)} ${'filler '.repeat(i % 17)}${'disk '.repeat(i % 5)}`;
    const names = Array.from({ length: 220 }, (_, i) => `n${String(i).padStart(3, '0')}`);
    await create(Object.fromEntries(names.map((name, i) => [name, textOf(i)])));
    const seen: string[] = [];
    let token: string | undefined;
    for (let part = 0; part === 0 || token !== undefined; part++) {
      expect(part).toBeLessThan(60);
      const more = token === undefined ? {} : { continue: token };
      const { items, metadata } = await t.service.list(NOTE, { search: 'disk fille', limit: 12, ...more });
      seen.push(...items.map((one) => one.metadata.name));
      token = metadata.continue;
      // Words that were rare become frequent, and texts longer.
      await create({
        [`other${part}a`]: 'disk',
        [`other${part}b`]: 'filler '.repeat(99),
        [`other${part}c`]: 'disk fille',
      });
      if (part % 3 === 0) await makeSegments(t, { rows: 1, bytes: 1e9, segments: 8 });
      if (part % 4 === 1) await t.service.delete(NOTE, `other${part}b`);
      if (part % 2 === 0) await namesOf(t, 'disk fille');
    }
    const expected = names.filter((_, i) => i % 17 > 0);
    expect(seen.filter((name) => name.startsWith('n')).toSorted()).toEqual(expected);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('has tokens that tell nothing about other objects', async () => {
    await create({ a: 'disk', b: 'disk disk', c: 'disk' });
    const options = { search: 'disk ', limit: 1 };
    const { metadata } = await t.service.list(NOTE, options);
    const again = await t.service.list(NOTE, options);
    expect(again.metadata.continue).toBe(metadata.continue);
    expect(Buffer.from(metadata.continue ?? '', 'base64url').toString('latin1')).not.toContain('objects');
  });

  it('does not belong to watches', async () => {
    const options = { search: 'disk ' } as object;
    await expect(t.service.watchRaw(NOTE, options)).rejects.toThrow('search cannot be combined with watch');
  });

  it('answers lists of older snapshots while the index goes on', async () => {
    await create({ a: 'disk', b: 'disk' });
    expect(await namesOf(t, 'disk ')).toEqual(['a', 'b']);
    const slow = t.service.list(NOTE, { search: 'disk ', filter: 'spec.owner != "x"' });
    const writes = Promise.all([
      t.service.delete(NOTE, 'a'),
      makeSegments(t, { rows: 1, bytes: 1, segments: 2 }),
      namesOf(t, 'disk '),
    ]);
    const { items, total } = await slow;
    expect(items).toHaveLength(total);
    await writes;
    expect(await namesOf(t, 'disk ')).toEqual(['b']);
  });
});
