import { afterAll, expect, it } from 'vitest';
import { isOwnerAlive, ownerName } from '../../src/lib/process/process-identity.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { Models } from '../../src/service/models.js';
import type { RawList } from '../../src/service/read/list.js';
import { LongObjects } from '../../src/service/read/listed-objects.js';
import { Service } from '../../src/service/service.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { ModelLifecycle } from '../../src/lifecycle/model-lifecycle.js';
import { declarePersonIndexes, Person, PERSON } from '../helpers/models.js';
import { countSnapshots } from '../helpers/snapshots.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { person } from '../suites/verbs-helpers.js';

afterAll(removeDirectories);

function generatorOf({ objects }: RawList): AsyncGenerator<readonly Buffer[], undefined> {
  if (objects instanceof LongObjects) return objects.copies();
  throw new Error('the list is not streamed');
}

it('every list gives its snapshot back, however far it is read', async () => {
  const snapshots = countSnapshots(await openLmdb(temporaryDirectory()));
  const lifecycle = await ModelLifecycle.open(snapshots.engine, {
    now: Date.now,
    owner: ownerName(),
    isAlive: isOwnerAlive,
  });
  const models = new Models(lifecycle);
  const { store } = lifecycle;
  const service = new Service({ store, models });
  await models.open(new SchemeRegistry().register(Person, 'test', declarePersonIndexes));
  for (const name of ['ann', 'bob']) await service.create(PERSON, person(name));
  expect(snapshots.open()).toBe(0);

  const unread = await service.listRaw(PERSON);
  expect(snapshots.open()).toBe(1);
  await generatorOf(unread).return(undefined);
  expect(snapshots.open()).toBe(0);

  for await (const _ of service.listAll(PERSON)) break;
  expect(snapshots.open()).toBe(0);

  const objects = generatorOf(await service.listRaw(PERSON));
  const first = await objects.next();
  expect(first.value).toHaveLength(2);
  await objects.return(undefined);
  expect(snapshots.open()).toBe(0);

  await service.list(PERSON, { page: 9, size: 1 });
  await service.listNames(PERSON);
  await service.count(PERSON);
  await service.getMany(PERSON, ['ann']);
  await service.list(PERSON, { sort: 'spec.code' }).catch(() => undefined);
  await service.list(PERSON, { fieldSelector: 'spec.age=x' }).catch(() => undefined);
  expect(snapshots.open()).toBe(0);
  await service.close();
});
