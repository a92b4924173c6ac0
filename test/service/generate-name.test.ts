import { afterAll, expect, it, vi } from 'vitest';
import { PERSON, registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories } from '../helpers/store.js';
import { expectCode } from '../suites/verbs-helpers.js';

/** The ends of the uids that chance gives next; all zeros when there are none. */
const chance = vi.hoisted(() => ({ isFixed: false, next: [] as string[] }));

vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  return {
    ...crypto,
    randomUUID: () =>
      chance.isFixed ? `00000000-0000-4000-8000-${chance.next.shift() ?? ZEROS}` : crypto.randomUUID(),
  };
});
const ZEROS = '000000000000';

afterAll(removeDirectories);

it('tries another generated name while the name is taken, and gives up in the end', async () => {
  const t = await openTestService();
  await registerModels(t);
  chance.isFixed = true;
  const draft = { metadata: { generateName: 'job-' }, spec: {} };
  const nameOfNext = async (): Promise<string> =>
    (await t.service.create(PERSON, draft)).object.metadata.name;
  expect(await nameOfNext()).toBe('job-uaaaaaaa');
  chance.next.push(ZEROS, ZEROS, ZEROS, '010101010101');
  expect(await nameOfNext()).toBe('job-uabbbbbb');
  await expectCode('AlreadyExists', t.service.create(PERSON, draft));
  expect(await t.check()).toEqual([]);
  await t.close();
});
