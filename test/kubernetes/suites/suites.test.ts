import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { pageWith, ROOT } from '../../helpers/reference.js';
import { SUITES } from '../record/suites/suites.mjs';
import { REASONS } from './reasons.js';
import { CLIENT_ROWS, clientTable, covers, reasonTable, SUITE_ROWS, suiteTable } from './tables.js';

const FAILED = SUITE_ROWS.flatMap((row) => row.failed.map((name) => [row.package, name] as const));

describe('public suites', () => {
  it('have numbers for each of their packages', () => {
    const named = SUITES.flatMap(({ module, version, packages }) =>
      Object.keys(packages).map((name) => [path.posix.join(module, name), version]),
    );
    expect(SUITE_ROWS.map((row) => [row.package, row.version])).toEqual(named);
  });

  it.each(FAILED)('%s: one reason says why it fails: %s', (suite, name) => {
    expect(REASONS.filter((reason) => covers(reason, suite, name))).toHaveLength(1);
  });

  it.each(REASONS.map((reason) => [reason.reason, reason] as const))(
    'a test fails because %s',
    (_, reason) => {
      expect(FAILED.filter(([suite, name]) => covers(reason, suite, name))).not.toEqual([]);
    },
  );
});

it('all tests with clients have numbers', () => {
  const files = readdirSync(path.join(ROOT, 'test/clients')).filter((file) => file.endsWith('.test.ts'));
  const counted = CLIENT_ROWS.map(({ file }) => file);
  expect(counted).toEqual(expect.arrayContaining(files.map((file) => `test/clients/${file}`)));
});

test.each([
  ['suites', suiteTable],
  ['reasons', reasonTable],
  ['clients', clientTable],
])('docs/reference/fidelity.md is up to date in its %s', async (part, table) => {
  const file = path.join(ROOT, 'docs/reference/fidelity.md');
  const page = await pageWith('docs/reference/fidelity.md', part, table());
  if (process.env.RECORD === '1') writeFileSync(file, page);
  expect(readFileSync(file, 'utf8'), 'npm run docs writes it again').toBe(page);
});
