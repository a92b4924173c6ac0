import { afterAll, expect, it } from 'vitest';
import { SILENT } from '../../src/lib/log/logger.js';
import { modelKey } from '../../src/model/resource.js';
import { Objects } from '../../src/owners/objects.js';
import { ADMIT_ALL, CollectorWriter, type ObjectName } from '../../src/owners/writer.js';
import { passOver } from '../helpers/passed-over.js';
import { removeDirectories } from '../helpers/store.js';
import { thing, THING } from '../store/helpers.js';
import { usePrograms } from '../watch/helpers.js';

afterAll(removeDirectories);
const programs = usePrograms();

it('the collector reads no state from before one that it has read', async () => {
  const { service } = await programs.start();
  for (const name of ['a', 'b', 'c']) await service.create(THING, thing(name));
  const objects = new Objects(service.store, SILENT, new AbortController().signal);
  const read = (): Promise<number> => objects.now(({ view }) => view.revision());
  expect(await read()).toBe(3);
  passOver(programs.directory);
  expect(await service.store.revision()).toBe(2);
  expect(await read()).toBe(3);
});

it('the collector looks again at an object that its deletion did not find', async () => {
  const { service } = await programs.start();
  await service.create(THING, thing('a'));
  const { object } = await service.create(THING, thing('b'));
  const again: ObjectName[] = [];
  const writer = new CollectorWriter(service, SILENT, ADMIT_ALL, (one) => again.push(one));
  passOver(programs.directory);
  const { resource } = service.models.view(THING);
  const change = { kind: 'delete', policy: undefined } as const;
  expect(await writer.write({ resource, object, change })).toBe(false);
  expect(again).toEqual([{ model: modelKey(THING), name: 'b' }]);
});
