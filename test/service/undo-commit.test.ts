import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BatchItem } from '../../src/service/verbs.js';
import { trimLog } from '../../src/store/log/trim.js';
import { AUTHOR, BOOK, named, registerLibrary } from '../helpers/library.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { refusal } from '../suites/verbs-helpers.js';

let t: TestService;
beforeEach(async () => {
  t = await openTestService();
  await registerLibrary(t);
});
afterEach(async () => {
  expect(await t.check()).toEqual([]);
  await t.close();
});
afterAll(removeDirectories);

const authors = (count: number): BatchItem[] =>
  Array.from({ length: count }, (_, i) => ({ verb: 'create', resource: AUTHOR, object: named(`a-${i}`) }));

describe('the undo of a commit', () => {
  it('notes its user and door in the history, as other writes do', async () => {
    await t.service.create(AUTHOR, named('ann'), { user: 'eve', origin: { via: 'mcp' } });
    const { items } = await t.service.history(AUTHOR, 'ann');
    expect(items).toMatchObject([{ user: 'eve', via: 'mcp', verb: 'create' }]);
    await t.service.undoCommit(items[0]?.resourceVersion ?? '', { user: 'bob' });
    expect((await t.service.modelHistory(AUTHOR, { user: 'eve' })).items).toHaveLength(1);
    const [last] = (await t.service.history(AUTHOR, 'ann')).items;
    expect([last?.user, last?.via, last?.verb]).toEqual(['bob', undefined, 'delete']);
  });

  it('asks for each object before anything is written', async () => {
    await t.service.batch(authors(3));
    const asked: string[] = [];
    const check = ({ verb, name }: { verb: string; name: string }): void => {
      asked.push(`${verb} ${name}`);
      if (name === 'a-1') throw new Error('not allowed');
    };
    await expect(t.service.undoCommit('2', { check })).rejects.toThrow('not allowed');
    expect(asked).toEqual(['delete a-0', 'delete a-1']);
    expect(await t.service.listNames(AUTHOR)).toHaveLength(3);
  });

  it('is refused when the log has lost a part of the commit', async () => {
    await t.service.batch(authors(3));
    await t.service.create(AUTHOR, named('later'));
    await trimLog(t.store.engine, { count: 2, ageMs: 0 }, Date.now());
    for (const revision of ['1', '3'])
      expect((await refusal(t.service.undoCommit(revision))).code).toBe('Expired');
    expect(await t.service.listNames(AUTHOR)).toHaveLength(4);
  });

  it('names the object that prevents it, and changes nothing', async () => {
    await t.service.create(AUTHOR, named('ann'));
    const { resourceVersion } = await t.service.batch([
      { verb: 'create', resource: AUTHOR, object: named('bob') },
      { verb: 'delete', resource: AUTHOR, name: 'ann' },
    ]);
    await t.service.create(BOOK, named('kept', { author: 'bob' }));
    const { code, message } = await refusal(t.service.undoCommit(resourceVersion, { force: true }));
    expect([code, message]).toEqual(['Conflict', expect.stringContaining('Author "bob" cannot be deleted')]);
    expect(await t.service.listNames(AUTHOR)).toEqual(['bob']);
  });

  it('brings an object back whose place another one has, also when a finalizer keeps that one', async () => {
    const before = (await t.service.create(AUTHOR, named('ann'))).object;
    const object = { ...named('ann'), metadata: { name: 'ann', finalizers: ['example.com/hold'] } };
    const { resourceVersion } = await t.service.batch([
      { verb: 'delete', resource: AUTHOR, name: 'ann' },
      { verb: 'create', resource: AUTHOR, object },
    ]);
    await t.service.undoCommit(resourceVersion);
    const { uid, finalizers } = (await t.service.get(AUTHOR, 'ann')).metadata;
    expect([uid, finalizers]).toEqual([before.metadata.uid, undefined]);
  });

  it('swaps unique values back, in the steps of the commit', async () => {
    await t.service.batch(authors(2));
    const spec = (name: string, note: string): BatchItem => ({
      verb: 'patch',
      resource: AUTHOR,
      name,
      patch: { spec: { note } },
      type: 'merge',
    });
    await t.service.batch([spec('a-0', 'x'), spec('a-1', 'y')]);
    const { resourceVersion } = await t.service.batch([
      spec('a-0', 'z'),
      { verb: 'delete', resource: AUTHOR, name: 'a-1' },
      { verb: 'create', resource: AUTHOR, object: named('a-1', { note: 'new' }) },
      spec('a-0', 'y'),
    ]);
    const [before] = (await t.service.history(AUTHOR, 'a-1')).items.slice(1);
    expect(before?.verb).toBe('delete');
    await t.service.undoCommit(resourceVersion);
    const found = await t.service.getMany(AUTHOR, ['a-0', 'a-1']);
    expect(found.map((object) => object?.spec)).toEqual([{ note: 'x' }, { note: 'y' }]);
  });

  it('of more than 10,000 changes is refused', async () => {
    await t.service.batch(authors(10_001));
    expect((await refusal(t.service.undoCommit('7'))).code).toBe('RequestEntityTooLarge');
  });
});
