import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const BUNDLE = new URL('../../dist/bundle/', import.meta.url);
const files = readdirSync(BUNDLE).filter((file) => file.endsWith('.js'));
const matches = (pattern: RegExp): (string | undefined)[] =>
  files.flatMap((file) =>
    [...readFileSync(new URL(file, BUNDLE), 'utf8').matchAll(pattern)].map(([, found]) => found),
  );

it('the program is a few files, which import none of those that `xsvc` is for others', () => {
  expect(files).toContain('main.js');
  const imported = matches(/(?:^import|^export|\} from|import\()[ (]?["'](\.[^"'$]+)["']/gm);
  expect(imported.length).toBeGreaterThan(files.length);
  expect(imported.filter((name) => !/^\.\/[\w-]+\.js$/.test(String(name)))).toEqual([]);
});

it('modules of the bundle look for files where they were compiled to', () => {
  const places = matches(/new URL\("([^"]+)", bundlePlace\)/g);
  expect(places).toContain('../engines/lmdb/read-ahead.js');
  expect(places.filter((place) => !existsSync(new URL(String(place), BUNDLE)))).toEqual([]);
});
