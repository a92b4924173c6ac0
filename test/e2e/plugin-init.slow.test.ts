import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { runProgram } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const execute = promisify(execFile);
const ROOT = new URL('../..', import.meta.url).pathname;
afterAll(removeDirectories);

/** Makes a plugin, and a command `xsvc` for the PATH. */
async function make(...flags: readonly string[]): Promise<{ plugin: string; bin: string }> {
  const bin = temporaryDirectory();
  symlinkSync(path.join(ROOT, 'bin/xsvc.js'), path.join(bin, 'xsvc'));
  const plugin = path.join(temporaryDirectory(), 'my-notes');
  const made = await runProgram(['plugin', 'init', 'my-notes', '--dir', plugin, ...flags]);
  expect(made).toMatchObject({ code: 0 });
  return { plugin, bin };
}

describe('a plugin that xsvc plugin init made', () => {
  it.each([['in TypeScript'], ['in JavaScript', '--js']])(
    '%s passes its own test',
    async (_language, ...flags) => {
      const { plugin, bin } = await make(...flags);
      const env = { PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` };
      const { stdout } = await execute(process.execPath, ['--test'], { cwd: plugin, env, timeout: 60_000 });
      expect(stdout).toMatch(/pass 4\n/);
      expect(stdout).toMatch(/fail 0\n/);
    },
  );

  it('has no fault for an editor', async () => {
    const { plugin } = await make('--group', 'notes.example.org');
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    await execute(process.execPath, [compiler, '-p', plugin], { timeout: 60_000 });
  });
});
