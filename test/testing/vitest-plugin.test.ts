import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { vitestPlugin } from 'xsvc/testing';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const MODULE = `
const named = (given: string) => (_: undefined, { name }: { name: string | symbol }) => {
  found.push(given + ' ' + String(name));
};
export const found: string[] = [];
export class Spec {
  @named('field') title!: string;
}
`;

it('compiles decorators and types to a module that Node.js can run, whatever Vite does', async () => {
  const directory = temporaryDirectory();
  const compiled = await vitestPlugin().transform(MODULE, path.join(directory, 'spec.ts?v=1'));
  const file = path.join(directory, 'spec.mjs');
  await writeFile(file, compiled?.code ?? '');
  expect(await import(pathToFileURL(file).href)).toMatchObject({ found: ['field title'] });
  expect(JSON.parse(compiled?.map ?? '')).toMatchObject({
    version: 3,
    sources: [expect.stringMatching(/spec\.ts$/)],
  });
});

it('leaves other files as they are', async () => {
  expect(await vitestPlugin().transform('@a {}', '/a/page.css')).toBeUndefined();
  expect(await vitestPlugin().transform('@a class {}', '/a/index.js')).toBeUndefined();
});
