import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lmdbFileFault } from '../../src/engines/lmdb/files.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

describe('a data file that is none', () => {
  it.each([
    ['short', 'x'],
    ['long', 'x'.repeat(100_000)],
  ])('is refused when it is %s', async (_what, text) => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, 'data.mdb'), text);
    for (const readOnly of [true, false])
      await expect(openLmdb(directory, { readOnly })).rejects.toThrow(/data\.mdb is not an LMDB file/);
    expect(lmdbFileFault(directory)).toBe('it is not an LMDB file');
  });
});
