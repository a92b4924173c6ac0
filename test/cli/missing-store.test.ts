import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCli } from '../helpers/cli.js';
import { EXAMPLE_PLUGINS } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const PERSON = path.join(EXAMPLE_PLUGINS, 'person');

it.each([
  ['patch', 'persons', 'ann', '-p', '{"spec":{"age":3}}'],
  ['label', 'persons', 'ann', 'demo.example.com/team=red'],
  ['annotate', 'persons', 'ann', 'demo.example.com/note=x'],
  ['delete', 'persons', 'ann'],
  ['edit', 'persons', 'ann'],
])('xsvc %s finds no object where there is no store, and makes none', async (...argv) => {
  const cwd = temporaryDirectory();
  const { code, out, err } = await runCli([...argv, '--plugins', PERSON], { cwd });
  expect([code, out]).toEqual([3, '']);
  expect(err).toContain('"ann" not found');
  expect(readdirSync(cwd)).toEqual([]);
});

it.each([['model', 'plan'], ['model', 'list'], ['check']])(
  'xsvc %s %s needs a store, and makes none',
  async (...argv) => {
    const cwd = temporaryDirectory();
    const { code, out, err } = await runCli([...argv, '--plugins', PERSON], { cwd });
    expect([code, out]).toEqual([6, '']);
    expect(err).toMatch(/no store/);
    expect(readdirSync(cwd)).toEqual([]);
  },
);

it('a store that --store names is that of --data-dir', async () => {
  const cwd = temporaryDirectory();
  const create = ['apply', '-f', path.join(PERSON, 'extensions'), '--plugins', PERSON, '--data-dir', 'kept'];
  expect(await runCli(create, { cwd })).toMatchObject({ code: 0 });
  const list = ['get', 'persons', '-o', 'name'];
  const there = await runCli([...list, '--data-dir', 'kept'], { cwd });
  expect(there.out).toContain('persons/');
  expect(await runCli([...list, '--store', 'lmdb:kept'], { cwd })).toEqual(there);
});
