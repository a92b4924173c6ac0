import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { HAS_ETCD, startEtcd, useEtcd } from '../../helpers/etcd.js';
import { startPostgres, usePostgres } from '../../helpers/postgres.js';

usePostgres();
useEtcd();

const run = promisify(execFile);

interface Results {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** The fast tests, and the longer ones of the gate. */
const CONFIGS = [
  ['--config', 'vitest.config.ts'],
  ['--config', 'vitest.gate.config.ts', '--project', 'sources'],
] as const;

async function expectPassing(
  suites: readonly string[],
  engine: Readonly<Record<string, string>>,
  least: number,
): Promise<void> {
  let passed = 0;
  for (const config of CONFIGS) passed += await runPassing([...config, ...suites], engine);
  expect(passed).toBeGreaterThan(least);
}

/** @returns the number of tests */
async function runPassing(
  args: readonly string[],
  engine: Readonly<Record<string, string>>,
): Promise<number> {
  const options = ['run', '--reporter=json', ...args];
  // Tests beside this one run the program: it must not be built again while they run.
  const env = { ...process.env, ...engine, VITEST: undefined, TEST_BUILT: 'yes' };
  const { stdout } = await run('node_modules/.bin/vitest', options, {
    env,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((failed: unknown) => failed as { stdout: string });
  const { numPassedTests, testResults } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Results;
  const failed = testResults.flatMap((file) =>
    file.assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  );
  expect(failed).toEqual([]);
  expect(testResults.filter(({ status }) => status === 'failed')).toEqual([]);
  return numPassedTests;
}

describe.each(['twice', 'replicated'])('on the engine "%s"', (engine) => {
  it('the suites of store, lists, watches and verbs pass', () =>
    expectPassing(
      ['test/store', 'test/list', 'test/watch', 'test/service', 'test/owners'],
      { TEST_ENGINE: engine },
      500,
    ));
});

describe('on a store in PostgreSQL', () => {
  it('the suites of watches and verbs pass', async () => {
    const { url } = await startPostgres({ settings: { max_connections: '300' } });
    await expectPassing(
      ['test/watch', 'test/service', 'test/owners'],
      { TEST_ENGINE: 'postgres', TEST_POSTGRES: url },
      200,
    );
  });
});

describe.skipIf(!HAS_ETCD)('on a store in etcd', () => {
  it('the suites of owners and references pass', async () => {
    const cluster = await startEtcd();
    const suites = ['test/owners', 'test/service/references.test.ts'];
    await expectPassing(suites, { TEST_ENGINE: 'etcd', TEST_ETCD: cluster.url('suites') }, 30);
  });
});
