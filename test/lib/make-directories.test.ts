import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeDirectories } from '../../src/lib/make-directories.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

describe('makeDirectories', () => {
  it('makes all missing parents with the mode, also when it is called twice at once', async () => {
    const directory = path.join(temporaryDirectory(), 'a/b/c');
    await Promise.all([makeDirectories(directory, 0o700), makeDirectories(directory, 0o700)]);
    const parent = path.dirname(directory);
    expect([directory, parent].map((made) => statSync(made).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it('accepts a directory that is there, and a link to one', async () => {
    const directory = temporaryDirectory();
    const link = `${directory}-link`;
    symlinkSync(directory, link);
    await makeDirectories(link);
    await makeDirectories(path.join(link, 'below'));
    expect(existsSync(path.join(directory, 'below'))).toBe(true);
  });

  it.skipIf(process.platform !== 'linux')('ends below /proc, with the directory in the message', async () => {
    await expect(makeDirectories('/proc/xsvc/a/b')).rejects.toThrow(
      /cannot create the directory \/proc\/xsvc: ENOENT.*; choose another directory/,
    );
  });

  it.skipIf(process.platform !== 'linux')('ends at a link to a directory that is not there', async () => {
    const link = path.join(temporaryDirectory(), 'link');
    symlinkSync('/proc/xsvc/a', link);
    for (const directory of [link, path.join(link, 'b')])
      await expect(makeDirectories(directory)).rejects.toThrow(`cannot create the directory ${link}: EEXIST`);
  });

  it('names the file that is in the way', async () => {
    const file = path.join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    await expect(makeDirectories(file)).rejects.toThrow(`cannot create the directory ${file}: EEXIST`);
    await expect(makeDirectories(path.join(file, 'a'))).rejects.toThrow(/ENOTDIR/);
  });
});
