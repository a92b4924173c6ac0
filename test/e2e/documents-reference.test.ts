import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readConfig, SETTING_NAMES } from '../../src/config.js';
import { folderTable } from '../helpers/folders.js';
import { kindReference } from '../helpers/kind-reference.js';
import {
  auditReference,
  commandReference,
  pageWith,
  ROOT,
  settingReference,
  documentedSettings,
} from '../helpers/reference.js';

it.each([
  ['docs/reference/cli.md', 'commands', commandReference],
  ['docs/reference/configuration.md', 'settings', settingReference],
  ['docs/internals/map.md', 'folders', folderTable],
  ['docs/reference/kubernetes-kinds.md', 'kinds', kindReference],
  ['docs/guides/audit.md', 'fields', auditReference],
])('%s is up to date in its %s', { timeout: 120_000 }, async (file, part, reference) => {
  const page = await pageWith(file, part, await reference());
  if (process.env.RECORD === '1') writeFileSync(path.join(ROOT, file), page);
  expect(readFileSync(path.join(ROOT, file), 'utf8'), 'npm run docs writes it again').toBe(page);
});

it('The help of serve has every setting, with the default that it has', async () => {
  const reported = await documentedSettings();
  const names = reported.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(SETTING_NAMES.filter((name) => name !== 'pluginConfig')));
  const config = (flags: Readonly<Record<string, unknown>>): object => ({
    ...readConfig({ flags, env: {}, cwd: '/' }),
    pluginsGiven: undefined,
  });
  const plain = reported.flatMap(({ name, fallback }) =>
    fallback !== undefined && /^\S+$/.test(fallback) && fallback !== 'off' && SETTING_NAMES.includes(name)
      ? [[name, fallback] as const]
      : [],
  );
  expect(plain.length).toBeGreaterThan(10);
  expect(config(Object.fromEntries(plain))).toEqual(config({}));
});

it('The page of kinds of Kubernetes says of each what is left out', async () => {
  const page = readFileSync(path.join(ROOT, 'docs/reference/kubernetes-kinds.md'), 'utf8');
  const acting = (await kindReference()).replaceAll(/^.*inert.*$/gm, '');
  const served = acting.matchAll(/^\| (\w+) +\| `/gm);
  const described = page.matchAll(/^- \*\*(\w+)\*\*: /gm);
  const kinds = new Set([...served].map(([, kind]) => kind));
  expect([...described].map(([, kind]) => kind)).toEqual([...kinds].sort());
});
