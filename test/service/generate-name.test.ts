import { afterAll, expect, it, vi } from 'vitest';
import { PERSON, registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories } from '../helpers/store.js';
import { expectCode } from '../suites/verbs-helpers.js';

/** The bytes that chance gives next; all zeros when there are none. */
const chance = vi.hoisted(() => [] as number[]);

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  randomBytes: (length: number) => Buffer.alloc(length, chance.shift() ?? 0),
}));

afterAll(removeDirectories);

it('tries another generated name while the name is taken, and gives up in the end', async () => {
  const t = await openTestService();
  await registerModels(t);
  const draft = { metadata: { generateName: 'job-' }, spec: {} };
  const nameOfNext = async (): Promise<string> =>
    (await t.service.create(PERSON, draft)).object.metadata.name;
  expect(await nameOfNext()).toBe('job-aaaaaaaa');
  chance.push(0, 0, 0, 1);
  expect(await nameOfNext()).toBe('job-bbbbbbbb');
  await expectCode('AlreadyExists', t.service.create(PERSON, draft));
  expect(await t.check()).toEqual([]);
  await t.close();
});
