import { execFile } from 'node:child_process';
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

describe('a plugin that xsvc plugin init made', () => {
  it.each([['in TypeScript'], ['in JavaScript', '--js'], ['of another kind', '--kind', 'BuildJob']])(
    '%s passes its own test',
    async (_language, ...flags) => {
      const cwd = await make(...flags);
      const { stdout } = await execute(process.execPath, ['--test'], { cwd, timeout: 300_000 });
      expect(stdout).toMatch(/pass 4\n/);
      expect(stdout).toMatch(/fail 0\n/);
    },
  );

  it('has no fault for an editor', async () => {
    const plugin = await make('--group', 'notes.example.org', '--kind', 'HTTPRoute');
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    await execute(process.execPath, [compiler, '-p', plugin], { timeout: 300_000 });
  });
});
