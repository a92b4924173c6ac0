import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PERSON, registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { expectCode, person } from '../suites/verbs-helpers.js';

let test: TestService;

beforeEach(async () => {
  test = await openTestService();
  await registerModels(test);
});

afterEach(async () => {
  expect(await test.check()).toEqual([]);
  await test.close();
});

afterAll(removeDirectories);

const NOTE = 'example.com/note';

/** Lets a rival change `ann` just before each commit of the action. @returns the number of these commits */
async function disturbed(action: () => Promise<unknown>): Promise<number> {
  const { service } = test;
  let commits = 0;
  let isRival = false;
  const { store } = service;
  const commit = store.commit.bind(store);
  const spy = vi.spyOn(store, 'commit').mockImplementation(async (body, options) => {
    if (!isRival) {
      isRival = true;
      commits += 1;
      await service.patch(PERSON, 'ann', { metadata: { labels: { rival: String(commits) } } }, 'merge');
      isRival = false;
    }
    return commit(body, options);
  });
  try {
    await action();
  } finally {
    spy.mockRestore();
  }
  return commits;
}

async function tagsOfAnn(): Promise<unknown> {
  const { labels, annotations } = (await test.service.get(PERSON, 'ann')).metadata;
  return [labels, annotations?.[NOTE]?.length];
}

const note = (length: number): object => ({ metadata: { annotations: { [NOTE]: 'x'.repeat(length) } } });

it('a small write that loses a race is done in the same commit', async () => {
  await test.service.create(PERSON, person('ann'));
  expect(await disturbed(() => test.service.patch(PERSON, 'ann', note(5), 'merge'))).toBe(1);
  expect(await tagsOfAnn()).toEqual([{ rival: '1' }, 5]);
});

it('a large write that loses every race is prepared outside at first, and is done in the end', async () => {
  await test.service.create(PERSON, person('ann'));
  expect(await disturbed(() => test.service.patch(PERSON, 'ann', note(70_000), 'merge'))).toBe(5);
  expect(await tagsOfAnn()).toEqual([{ rival: '5' }, 70_000]);
  expect(await disturbed(() => test.service.patch(PERSON, 'ann', note(7), 'merge'))).toBe(5);
  expect(await tagsOfAnn()).toEqual([{ rival: '5' }, 7]);
});

it('a batch that loses every race is done in the end, and its items see the earlier ones', async () => {
  const { service } = test;
  await service.create(PERSON, person('ann'));
  const commits = await disturbed(() =>
    service.batch([
      { verb: 'patch', resource: PERSON, name: 'ann', patch: note(1), type: 'merge' },
      { verb: 'create', resource: PERSON, object: person('bob') },
      { verb: 'patch', resource: PERSON, name: 'bob', patch: note(2), type: 'merge' },
      { verb: 'delete', resource: PERSON, name: 'bob' },
      { verb: 'create', resource: PERSON, object: person('bob') },
      { verb: 'patch', resource: PERSON, name: 'ann', patch: note(3), type: 'merge' },
    ]),
  );
  expect(commits).toBe(5);
  expect(await tagsOfAnn()).toEqual([{ rival: '5' }, 3]);
  expect((await service.get(PERSON, 'bob')).metadata.version).toBe(0);
});

it('a write with a lock on the earlier state is refused after a lost race', async () => {
  const { object } = await test.service.create(PERSON, person('ann'));
  const { resourceVersion } = object.metadata;
  const locked = { metadata: { resourceVersion, annotations: { [NOTE]: 'x' } } };
  await disturbed(() => expectCode('Conflict', test.service.patch(PERSON, 'ann', locked, 'merge')));
  expect(await tagsOfAnn()).toEqual([{ rival: '1' }, undefined]);
});
