import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import clients from '../../vitest.clients.config.js';
import gate from '../../vitest.gate.config.js';
import storm from '../../vitest.storm.config.js';
import main from '../../vitest.config.js';

/** The directories of `test` in the patterns of all suites. */
const inSuites = new Set(
  [...JSON.stringify([main, gate, storm, clients]).matchAll(/"test\/(?:\{([\w,-]+)\}|([\w-]+))\//g)].flatMap(
    ([, several = '', one = '']) => [...several.split(','), one],
  ),
);

it('each directory with tests belongs to a suite', () => {
  const files = readdirSync(new URL('..', import.meta.url), { recursive: true, encoding: 'utf8' });
  const tested = files
    .filter((file) => /\/.*\.test\.ts$/.test(file))
    .map((file) => file.split('/', 1)[0] ?? '');
  expect(tested.length).toBeGreaterThan(100);
  expect([...new Set(tested)].filter((directory) => !inSuites.has(directory))).toEqual([]);
});
