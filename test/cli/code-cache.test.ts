import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const IS_ROOT = process.getuid?.() === 0;
const OTHER_USER = 12_345;

afterAll(removeDirectories);

/** An installed program, the directory of its code beside it, and that of the user's code. */
let program = '';
let beside = '';
let home = '';
let ofUser = '';

beforeEach(() => {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o755);
  const installed = path.join(directory, 'a place with spaces');
  for (const part of ['bin', 'dist/bundle', 'package.json'])
    cpSync(path.join(ROOT, part), path.join(installed, part), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(installed, 'node_modules'));
  program = path.join(directory, 'xsvc');
  symlinkSync(path.join(installed, 'bin/xsvc.js'), program);
  beside = path.join(installed, 'dist/cache');
  home = path.join(directory, 'home');
  mkdirSync(home);
  ofUser = path.join(home, 'cached', 'xsvc');
});

/** Runs a command that must succeed as ever. */
function run(args: readonly string[] = ['version'], uid?: number): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: home,
    env: { HOME: home, XDG_CACHE_HOME: path.join(home, 'cached') },
    encoding: 'utf8',
    ...(uid !== undefined && { uid, gid: uid }),
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/\S/);
}

/** The files of a directory, each with what changes when it is written again. */
function filesIn(directory: string): Record<string, number> {
  if (!existsSync(directory)) return {};
  return Object.fromEntries(
    readdirSync(directory).map((name) => [name, statSync(path.join(directory, name)).ino]),
  );
}

/** The only file of a directory. */
function fileIn(directory: string): string {
  const [name = '', ...others] = readdirSync(directory);
  expect(others).toEqual([]);
  return path.join(directory, name);
}

describe('compiled code', () => {
  it('is stored beside the program, named after Node.js and V8, and the second start uses it', () => {
    run();
    const first = filesIn(beside);
    expect(Object.keys(first)).toEqual([
      expect.stringContaining(`${process.version}_${process.versions.v8}_${process.arch}_`),
    ]);
    expect(statSync(beside).mode & 0o777).toBe(0o700);
    run();
    expect(filesIn(beside)).toEqual(first);
    expect(existsSync(ofUser)).toBe(false);
  });

  it('is stored for each command, but not for one that does not exist', () => {
    run();
    run(['explain', '--help']);
    const names = Object.keys(filesIn(beside)).sort();
    expect(names).toEqual([expect.stringMatching(/_explain$/), expect.stringMatching(/_version$/)]);
    spawnSync(process.execPath, [program, 'unknown'], { cwd: home });
    expect(Object.keys(filesIn(beside)).sort()).toEqual(names);
  });

  it.each([
    ['is cut off', (file: string) => truncateSync(file, 100_000)],
    ['is empty', (file: string) => truncateSync(file, 0)],
    [
      'has one other byte',
      (file: string) => {
        const bytes = readFileSync(file);
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
        writeFileSync(file, bytes);
      },
    ],
    ['may be written by others', (file: string) => chmodSync(file, 0o666)],
  ])('that %s is ignored and written again', (_how, damage) => {
    run();
    const file = fileIn(beside);
    damage(file);
    const damaged = filesIn(beside);
    run();
    expect(fileIn(beside)).toBe(file);
    const repaired = filesIn(beside);
    expect(repaired).not.toEqual(damaged);
    run();
    expect(filesIn(beside)).toEqual(repaired);
  });

  it('of other Node.js versions is left alone, up to a number of files', () => {
    mkdirSync(beside, { mode: 0o700 });
    for (let i = 0; i < 30; i++) writeFileSync(path.join(beside, `v99.0.${i}`), '');
    run();
    const names = Object.keys(filesIn(beside));
    expect(names).toHaveLength(16);
    expect(names.filter((name) => name.startsWith(`${process.version}_`))).toHaveLength(1);
  });

  it('is stored nowhere when there is no place for it', () => {
    writeFileSync(beside, '');
    writeFileSync(path.join(home, 'cached'), '');
    run();
    expect(readdirSync(home)).toEqual(['cached']);
  });
});

describe.runIf(IS_ROOT)('compiled code and other users', () => {
  it('is stored in the cache directory of a user who cannot write beside the program', () => {
    chownSync(home, OTHER_USER, OTHER_USER);
    run(['version'], OTHER_USER);
    expect(existsSync(beside)).toBe(false);
    expect(statSync(ofUser)).toMatchObject({ uid: OTHER_USER, mode: 0o40700 });
    const first = filesIn(ofUser);
    run(['version'], OTHER_USER);
    expect(filesIn(ofUser)).toEqual(first);
  });

  it('of another user is not read, and nothing is stored in that directory', () => {
    run();
    const first = filesIn(beside);
    for (const name of Object.keys(first)) chownSync(path.join(beside, name), OTHER_USER, OTHER_USER);
    run();
    expect(filesIn(beside)).not.toEqual(first);
    chownSync(beside, OTHER_USER, OTHER_USER);
    const foreign = filesIn(beside);
    run();
    expect(filesIn(beside)).toEqual(foreign);
    fileIn(ofUser);
  });

  it('is not stored below the home directory of another user', () => {
    chownSync(home, OTHER_USER, OTHER_USER);
    chownSync(path.dirname(beside), OTHER_USER, OTHER_USER);
    run();
    expect([existsSync(beside), readdirSync(home)]).toEqual([false, []]);
  });
});
