import { afterAll, expect, it } from 'vitest';
import { PERSON, registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { expectCode, person } from '../suites/verbs-helpers.js';

afterAll(removeDirectories);

it('a list goes on after a restart, and its token cannot be made up or changed', async () => {
  const directory = temporaryDirectory();
  const before = await openTestService(directory);
  await registerModels(before);
  for (const [i, name] of ['ann', 'bob', 'cid', 'dan'].entries()) {
    await before.service.create(PERSON, person(name, { age: 40 - i }));
  }
  const options = { sort: 'spec.age,asc', limit: 2 };
  const first = await before.service.list(PERSON, options);
  expect(first.items.map((item) => item.metadata.name)).toEqual(['dan', 'cid']);
  await before.close();

  const after = await openTestService(directory);
  await registerModels(after);
  const token = first.metadata.continue ?? '';
  const rest = await after.service.list(PERSON, { ...options, continue: token });
  expect(rest.items.map((item) => item.metadata.name)).toEqual(['bob', 'ann']);
  expect(rest.metadata.continue).toBeUndefined();
  expect(rest).toMatchObject({ first: false, hasPrevious: true, last: true, hasNext: false, total: 4 });

  const changed = `${token.slice(0, -2)}${token.at(-2) === 'A' ? 'B' : 'A'}${token.slice(-1)}`;
  const otherSpellings = [
    `${token}x`,
    `${token}=`,
    ` ${token}`,
    `${token}\n`,
    `${token.slice(0, 9)}!${token.slice(9)}`,
  ];
  const foreign = ['x', token.slice(0, 10), Buffer.from('{"v":1}').toString('base64url')];
  for (const wrong of [changed, ...otherSpellings, ...foreign]) {
    await expectCode('BadRequest', after.service.list(PERSON, { ...options, continue: wrong }));
  }
  await after.close();
});
