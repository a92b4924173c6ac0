import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const SUITES = ['test/store', 'test/list', 'test/watch', 'test/service'];

describe.each(['twice', 'replicated'])('on the engine "%s"', (engine) => {
  it('the suites of store, lists, watches and verbs pass', { timeout: 600_000 }, async () => {
    const options = ['run', '--config', 'vitest.config.ts', '--reporter=json', ...SUITES];
    const env = { ...process.env, TEST_ENGINE: engine, VITEST: undefined };
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
    expect(numPassedTests).toBeGreaterThan(500);
  });
});

interface Results {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}
