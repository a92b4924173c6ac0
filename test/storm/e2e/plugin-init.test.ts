import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const execute = promisify(execFile);
const ROOT = new URL('../../..', import.meta.url).pathname;
afterAll(removeDirectories);

/** Makes a plugin, with the program of the clone. */
async function make(...flags: readonly string[]): Promise<string> {
  const plugin = path.join(temporaryDirectory(), 'my-notes');
  const made = await runProgram(['plugin', 'init', 'my-notes', '--dir', plugin, ...flags]);
  expect(made).toMatchObject({ code: 0 });
  return plugin;
}

/** As `npm install` would; xsvc is linked already. */
async function linkVitest(plugin: string): Promise<void> {
  for (const name of ['vitest', '.bin'])
    await symlink(path.join(ROOT, 'node_modules', name), path.join(plugin, 'node_modules', name));
}

describe('a plugin that xsvc plugin init made', () => {
  it.each([['in TypeScript'], ['in JavaScript', '--js'], ['of another kind', '--kind', 'BuildJob']])(
    '%s passes its own test',
    async (_language, ...flags) => {
      const cwd = await make(...flags);
      await linkVitest(cwd);
      const env = { ...process.env, NO_COLOR: '1' };
      const { stdout } = await execute('npm', ['test'], { cwd, env, timeout: 300_000 });
      expect(stdout).toMatch(/Tests +4 passed \(4\)/);
    },
  );

  it('has no fault for an editor', async () => {
    const plugin = await make('--group', 'notes.example.org', '--kind', 'HTTPRoute');
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    await execute(process.execPath, [compiler, '-p', plugin], { timeout: 300_000 });
  });
});
