import { expect, it } from 'vitest';
import { openRoot } from '../../src/engines/lmdb/open-root.js';
import { FAMILY } from '../../src/store/index/keys.js';
import { TEST_ENGINE } from '../engines/engines.js';
import { temporaryDirectory } from '../helpers/store.js';
import { byColor, Thing, thing, THING, useStores } from './helpers.js';

const stores = useStores();

/** True when an environment has log entries in its root database. */
async function hasLogInRoot(directory: string): Promise<boolean> {
  const root = await openRoot(directory, { readOnly: true });
  try {
    const keys = root.getKeys({
      start: Buffer.from([FAMILY.LOG]),
      end: Buffer.from([FAMILY.LOG + 1]),
      limit: 1,
    });
    return [...keys].length > 0;
  } finally {
    await root.close();
  }
}

it.skipIf(TEST_ENGINE !== 'lmdb').each([
  ['a new directory has its log in the root database', false],
  ['a directory of an earlier version keeps its separate database of the log', true],
])('%s', async (_name, isEarlier) => {
  const directory = temporaryDirectory();
  if (isEarlier) {
    const root = await openRoot(directory, {});
    root.openDB({ name: 'log', keyEncoding: 'binary', encoding: 'binary' });
    await root.close();
  }
  for (const color of ['red', 'green', 'blue']) {
    const t = await stores.open(directory);
    await t.register(Thing, byColor);
    const verb = color === 'red' ? t.service.create(THING, thing('a', { color })) : undefined;
    await (verb ?? t.service.update(THING, 'a', thing('a', { color })));
    expect(await t.check()).toEqual([]);
    await t.close();
  }
  expect(await hasLogInRoot(directory)).toBe(!isEarlier);
  const t = await stores.open(directory);
  await t.register(Thing, byColor);
  expect((await t.service.history(THING, 'a')).items).toHaveLength(3);
});
