import { afterAll, expect, it } from 'vitest';
import { SILENT } from '../../src/lib/log/logger.js';
import { Objects } from '../../src/owners/objects.js';
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
