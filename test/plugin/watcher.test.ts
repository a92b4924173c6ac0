import { expect, it } from 'vitest';
import { getDirectories } from '../../src/plugin/watcher.js';

const PLUGINS = ['/plugins/note', '/plugins/test'];
const changedBy = (...files: string[]): string[] => [...getDirectories(new Set(files), PLUGINS)];

it.each(['/plugins/note/index.ts', '/plugins/note/extensions/a.yaml', '/plugins/note'])(
  'a change of %s concerns its plugin',
  (file) => {
    expect(changedBy(file)).toEqual(['/plugins/note']);
  },
);

it.each([
  'README.md',
  'docs/use.md',
  'test/note.test.js',
  'test/data.json',
  'note.spec.ts',
  'src/note.test.mts',
])('a change of %s concerns no plugin', (file) => {
  expect(changedBy(`/plugins/note/${file}`)).toEqual([]);
});

it('a plugin may be named test', () => {
  expect(changedBy('/plugins/test/index.ts')).toEqual(['/plugins/test']);
});
