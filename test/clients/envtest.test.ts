import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { PROGRAM, runProgram } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { fileOf, killClients, SITE, startProgram, titled } from './clients.js';

const programs = inject('go');
const suite = fileOf(programs, 'operator-suite');
const TESTS = ['TestOperator', 'TestInvalidSite', 'TestNamespaceDeletion', 'TestUsers'];

/** Runs the suite of the operator. @returns the exit code, and the outcome of each test */
async function run(command: readonly string[], env: Readonly<Record<string, string>>): Promise<object> {
  const [program = '', ...args] = command;
  const { ended, output } = startProgram(program, [...args, '-test.v'], {
    env: { ...process.env, KUBEBUILDER_ASSETS: '', SITE_CRD: SITE, ...env },
  });
  const code = await ended;
  const outcomes: Record<string, string> = {};
  for (const [, outcome = '', test = ''] of output.stdout.matchAll(/^--- (\w+): (\w+)/gm))
    outcomes[test] = outcome;
  return { code, outcomes, errors: code === 0 ? '' : output.stderr };
}

describe.skipIf('missing' in programs)(titled('a suite that uses envtest', programs), () => {
  const assets = path.join(temporaryDirectory(), 'assets');
  beforeAll(async () => {
    expect(await runProgram(['envtest', '--assets', assets])).toMatchObject({ code: 0, stdout: '' });
  });
  afterAll(() => {
    killClients();
    removeDirectories();
  });

  it('passes with the programs of KUBEBUILDER_ASSETS', async () => {
    expect(await run([suite], { KUBEBUILDER_ASSETS: assets })).toEqual({
      code: 0,
      outcomes: Object.fromEntries(TESTS.map((test) => [test, 'PASS'])),
      errors: '',
    });
  });

  it('passes below xsvc envtest, without those that add users', async () => {
    expect(await run([process.execPath, PROGRAM, 'envtest', '--', suite], {})).toEqual({
      code: 0,
      outcomes: { ...Object.fromEntries(TESTS.map((test) => [test, 'PASS'])), TestUsers: 'SKIP' },
      errors: '',
    });
  });
});
