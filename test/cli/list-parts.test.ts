import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCli } from '../helpers/cli.js';
import { EXAMPLE_PLUGINS } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const PERSON = path.join(EXAMPLE_PLUGINS, 'person');

it('a list is read on with the token of the part before, up to its end', async () => {
  const cwd = temporaryDirectory();
  const apply = ['apply', '-f', path.join(PERSON, 'extensions'), '--plugins', PERSON];
  expect(await runCli(apply, { cwd })).toMatchObject({ code: 0 });
  const get = async (...flags: string[]): Promise<string> =>
    (await runCli(['get', 'persons', '--sort', 'spec.age,desc', ...flags], { cwd })).out;
  const all = await get('-o', 'name');
  let seen = '';
  let from: string[] = [];
  do {
    seen += await get('-o', 'name', '--limit', '1', ...from);
    const part = await get('-o', 'json', '--limit', '1', ...from);
    const { metadata } = JSON.parse(part) as { metadata: { continue?: string } };
    from = metadata.continue === undefined ? [] : ['--continue', metadata.continue];
  } while (from.length > 0);
  expect(seen).toBe(all);
  expect(all.trim().split('\n').length).toBeGreaterThan(1);
});
