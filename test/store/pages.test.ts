import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { entryKey } from '../../src/store/index/keys.js';
import { copyLmdb } from '../../src/engines/lmdb/copy.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { openRootToRead } from '../../src/engines/lmdb/open-root.js';
import { countPages } from '../../src/engines/lmdb/pages.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const NOTHING = Buffer.alloc(0);
const objectKey = (i: number): Buffer => Buffer.from(`\x03${String(i).padStart(6, '0')}`, 'latin1');
/** Many ids of few values. */
const idKey = (i: number): Buffer =>
  entryKey(1, 'boolean', Buffer.from([i % 2]), { id: i, isSmallest: true, isLargest: true });

it('pages of a store that hold nothing are those that a copy leaves out', async () => {
  const directory = temporaryDirectory();
  const copy = path.join(temporaryDirectory(), 'copy');
  mkdirSync(copy);
  const engine = await openLmdb(directory, { relaxed: true });
  for (const part of [0, 1, 2]) {
    await engine.commit((tx) => {
      for (let i = 0; i < 20_000; i++) {
        tx.put(idKey(part * 20_000 + i), NOTHING);
        if (i < 4_000) tx.put(objectKey(part * 4_000 + i), Buffer.alloc(i === 7 ? 3_000_000 : 500));
      }
    });
  }
  await engine.commit((tx) => {
    for (let i = 3_000; i < 11_000; i++) tx.remove(objectKey(i));
    for (let i = 0; i < 50_000; i += 1) if (i % 5_000 > 500) tx.remove(idKey(i));
  });
  await engine.close();

  const root = await openRootToRead(directory);
  const { pageBytes, pages, freePages } = countPages(root, directory);
  await root.close();
  expect(pages * pageBytes).toBe(statSync(path.join(directory, 'data.mdb')).size);
  await copyLmdb(directory, copy, 0);
  const copied = statSync(path.join(copy, 'data.mdb')).size / pageBytes;
  expect(freePages).toBeGreaterThan(500);
  // The list of free pages takes some itself, which the copy has not.
  expect(pages - freePages - copied).toBeGreaterThanOrEqual(0);
  expect(pages - freePages - copied).toBeLessThan(10);
});
