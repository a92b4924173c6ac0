import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchItem } from '../../../src/service/verbs.js';
import { AUTHOR, BOOK, named, registerLibrary } from '../../helpers/library.js';
import { openTestService, removeDirectories, type TestService } from '../../helpers/store.js';

const MOST = 250_000;
const BATCH = 10_000;
const RED = 'ref(spec.author).metadata.labels["team"] == "red"';

describe('a filter on the targets of references', () => {
  let t: TestService;
  beforeAll(async () => {
    t = await openTestService();
    await registerLibrary(t);
    const red = { labels: { team: 'red' } };
    const author = (i: number): BatchItem => ({
      verb: 'create',
      resource: AUTHOR,
      object: named(`author-${i}`, {}, red),
    });
    for (let at = 0; at < MOST; at += BATCH)
      await t.service.batch(Array.from({ length: BATCH }, (_, i) => author(at + i)));
    for (const i of [0, 7, MOST - 1])
      await t.service.create(BOOK, named(`book-${i}`, { author: `author-${i}` }));
    await t.service.create(BOOK, named('other'));
  });
  afterAll(async () => {
    await t.close();
    removeDirectories();
  });

  it('may match 250,000 of them, and not one more', async () => {
    const list = () => t.service.list(BOOK, { filter: RED, sort: 'metadata.name' });
    const { items, total } = await list();
    expect(total).toBe(3);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['book-0', `book-${MOST - 1}`, 'book-7']);
    await t.service.create(AUTHOR, named('one-more', {}, { labels: { team: 'red' } }));
    await expect(list()).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining('250001 objects meet the condition on the targets') as string,
    });
  });
});
