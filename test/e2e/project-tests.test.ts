import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { putFiles, runCli } from '../helpers/cli.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const ROOT = new URL('../..', import.meta.url).pathname;
afterAll(removeDirectories);

/** A directory that a command has filled, with the packages that `npm install` would add. */
async function make(...argv: readonly string[]): Promise<string> {
  const directory = temporaryDirectory();
  expect((await runCli(argv, { cwd: directory })).code).toBe(0);
  for (const name of ['vitest', '.bin'])
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(directory, 'node_modules', name));
  return directory;
}

function npmTest(cwd: string): { readonly status: number | null; readonly output: string } {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync('npm', ['test'], { cwd, env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

const testOf = (name: string): string =>
  `import { expect, test } from 'vitest';\nimport { Note } from './model.js';\ntest('${name}', () => expect(new Note().size).toBe(1));\n`;
const MODEL = `import { AbstractExtension, GVK } from 'xsvc';
@GVK({ group: 'note.example.com', version: 'v1', kind: 'Note', plural: 'notes', singular: 'note' })
export class Note extends AbstractExtension { size: number = 1; }
`;

describe('npm test of a project', () => {
  it('fails without a test', async () => {
    const { status, output } = npmTest(await make('init'));
    expect([status, output]).toEqual([1, expect.stringContaining('No test files found')]);
  });

  it('runs tests whose files end in .spec.ts and .test.ts', async () => {
    const project = await make('init');
    await putFiles(project, {
      'plugins/note/model.ts': MODEL,
      'plugins/note/first.spec.ts': testOf('first'),
      'plugins/note/test/model.ts': MODEL,
      'plugins/note/test/second.test.ts': testOf('second'),
    });
    const { status, output } = npmTest(project);
    expect([status, output]).toEqual([0, expect.stringMatching(/Tests +2 passed \(2\)/)]);
  });

  it('fails when one of them does', async () => {
    const project = await make('init');
    await putFiles(project, {
      'plugins/note/model.ts': MODEL.replace('= 1', '= 2'),
      'plugins/note/first.spec.ts': testOf('first'),
    });
    expect(npmTest(project).status).toBe(1);
  });
});

it.each([['--js'], ['--ts']])('npm test of a plugin runs its test (%s)', async (language) => {
  const plugin = await make('plugin', 'init', 'note', '--dir', '.', ...(language === '--js' ? ['--js'] : []));
  const { status, output } = npmTest(plugin);
  expect([status, output]).toEqual([0, expect.stringMatching(/Tests +4 passed \(4\)/)]);
});
