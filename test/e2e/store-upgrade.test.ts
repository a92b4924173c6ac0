import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

/** A backup that a program of format 4 wrote, with persons, packages, users and a token. */
const OLDER = new URL('../fixtures/format-4.backup.gz', import.meta.url);

let cwd: string;
beforeAll(() => {
  cwd = temporaryDirectory();
  writeFileSync(path.join(cwd, 'older'), gunzipSync(readFileSync(OLDER)));
});
afterAll(removeDirectories);

async function xsvc(line: string): Promise<{ code: number | null; out: string; err: string }> {
  const place = ['--data-dir', path.join(cwd, 'data')];
  const { code, stdout: out, stderr: err } = await runProgram([...line.split(' '), ...place]);
  return { code, out, err };
}

const data = (): Buffer => readFileSync(path.join(cwd, 'data', 'data.mdb'));

it('a store of an older format is read, checked, backed up and copied as it is, then upgraded', async () => {
  expect((await xsvc(`restore ${cwd}/older`)).code).toBe(0);
  const before = data();

  const preview = await xsvc('store upgrade --dry-run');
  expect(preview).toMatchObject({ code: 0, err: '' });
  expect(preview.out).toContain('format 4 to 5: every object gets metadata.updateTimestamp');
  expect(preview.out).toMatch(/the store has \d+ objects of \d+ models\n/);
  expect(preview.out).toContain('nothing was changed; write a backup first: xsvc backup FILE');

  const ada = await xsvc('get person ada -o json');
  expect(ada.code).toBe(0);
  const { metadata } = JSON.parse(ada.out) as { metadata: Record<string, string> };
  expect(metadata.updateTimestamp).toBe(metadata.creationTimestamp);
  expect(await xsvc('check')).toMatchObject({ code: 0, out: '' });
  expect((await xsvc(`backup ${cwd}/again`)).code).toBe(0);
  const plan = await xsvc('model plan');
  expect(plan.out).toContain('the store is upgraded from format 4 to 6 first');
  const refused = await xsvc('serve --port 0 --upgrade never');
  expect(refused.code).toBe(6);
  expect(refused.err).toContain('the store has format 4, this version needs format 6; write a backup');
  expect(data().equals(before)).toBe(true);

  const upgraded = await xsvc('store upgrade');
  expect(upgraded.code).toBe(0);
  expect(upgraded.out).toMatch(/upgraded \d+ objects of \d+ models\n$/);
  expect((await xsvc('store upgrade')).out).toBe('the store has format 6: nothing to upgrade\n');
  expect((await xsvc('get person ada -o json')).out).toBe(ada.out);
  const sorted = await xsvc('get persons --sort metadata.updateTimestamp -o name');
  expect(sorted.out).toContain('persons/ada\n');

  expect((await xsvc(`restore ${cwd}/again --force`)).code).toBe(0);
  expect((await xsvc('store upgrade --dry-run')).out).toContain('format 4 to 5');
});
