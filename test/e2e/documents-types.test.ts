import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { putFiles } from '../helpers/cli.js';
import { filesOf, readDocuments, shownFiles } from '../helpers/documents.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const ROOT = new URL('../..', import.meta.url).pathname;
afterAll(removeDirectories);

it('The plugins that documents show have no fault for an editor', async () => {
  const directory = temporaryDirectory();
  const files = filesOf(readDocuments(ROOT).flatMap(({ text }) => shownFiles(text)));
  expect(Object.keys(files)).toContain('plugins/note/index.ts');
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
});
