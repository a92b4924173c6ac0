import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { putFiles } from '../helpers/cli.js';
import { filesOf, readDocuments, shownFiles } from '../helpers/documents.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const ROOT = new URL('../..', import.meta.url).pathname;
afterAll(removeDirectories);

/** Checks files below `plugins` against the declarations of the package. */
async function expectNoFault(files: Readonly<Record<string, string>>): Promise<void> {
  const directory = temporaryDirectory();
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2023',
    module: 'nodenext',
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
    types: ['node'],
    skipLibCheck: true,
    paths: {
      xsvc: [path.join(ROOT, 'dist/types/index.d.ts')],
      'xsvc/testing': [path.join(ROOT, 'dist/types/testing.d.ts')],
      vitest: [path.join(ROOT, 'node_modules/vitest/dist/index.d.ts')],
    },
  };
  await putFiles(directory, {
    ...files,
    'package.json': '{"type": "module"}',
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['plugins/**/*.ts'] }),
  });
  const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', directory], { encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(status).toBe(0);
}

it('The plugins that documents show have no fault for an editor', async () => {
  const files = filesOf(readDocuments(ROOT).flatMap(({ text }) => shownFiles(text)));
  expect(Object.keys(files)).toContain('plugins/note/index.ts');
  await expectNoFault(files);
});

it('A test that reads the body of an answer has no fault for an editor', async () => {
  await expectNoFault({
    'plugins/note/note.spec.ts': `import { expect, test } from 'vitest';
import type { EndpointRequest } from 'xsvc';
import { startTestService } from 'xsvc/testing';

export const sendsByExpress = ({ res }: EndpointRequest): void => void res.status(200).json({});

test('a body', async () => {
  await using service = await startTestService();
  const answer: Response = await service.fetch('/version');
  expect(await (await service.fetch('/version')).json()).toMatchObject({ gitVersion: '1' });
  expect([await answer.text(), answer.headers.get('etag'), answer.ok]).toEqual([]);
});
`,
  });
});
