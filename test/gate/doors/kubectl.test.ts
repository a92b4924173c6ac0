import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFiles, runCli } from '../../helpers/cli.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { findKubectl, killKubectls, kubectlFor, type Kubectl } from '../../helpers/kubectl.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const program = findKubectl();
const title = `kubectl${program === undefined ? ' (left out: there is none on the PATH)' : ''}`;

function manifest(age: number): string {
  return JSON.stringify({
    apiVersion: 'demo.example.com/v1alpha1',
    kind: 'Person',
    metadata: { name: 'ann' },
    spec: { name: 'Ann', age },
  });
}

/** In order: what is typed, what is printed, and how it ends. The other kubectl tests have the rest. */
const STEPS: readonly {
  readonly command: string;
  readonly stdin?: string;
  readonly code?: number;
  readonly out?: RegExp;
  readonly err?: RegExp;
}[] = [
  { command: 'api-resources', out: /^persons +pe +demo\.example\.com\/v1alpha1 +false +Person$/m },
  { command: 'get pe', out: /^NAME +FULL NAME +YEARS +AGE\nada +Ada Example +36 +\d+s\nbert /m },
  { command: 'apply -f -', stdin: manifest(3), out: /^person\.demo\.example\.com\/ann created\n$/ },
  { command: 'apply -f -', stdin: manifest(3), out: /ann unchanged\n$/ },
  { command: 'diff -f -', stdin: manifest(4), code: 1, out: /^- {2}age: 3\n\+ {2}age: 4$/m },
  { command: 'apply -f -', stdin: manifest(4), out: /ann configured\n$/ },
  { command: 'apply -f -', stdin: manifest(-4), code: 1, err: /spec\.age: must be >= 0, got -4/ },
  { command: 'explain pe.spec.age', out: /FIELD: age <integer>[^]*Age in years/ },
  { command: "get pe ann -o jsonpath='{.spec.age}'", out: /^4$/ },
  { command: 'delete pe ann', out: /^person\.demo\.example\.com "ann" deleted/ },
  {
    command: 'get pe ann',
    code: 1,
    err: /^Error from server \(NotFound\): persons\.demo\.example\.com "ann"/,
  },
];

describe.skipIf(program === undefined)(title, () => {
  let daemon: DaemonProcess;
  let kubectl: Kubectl;
  let directory = '';
  beforeAll(async () => {
    directory = temporaryDirectory();
    const plugins = [path.join(EXAMPLE_PLUGINS, 'person')];
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins });
    kubectl = kubectlFor(program ?? '', daemon.url, path.join(directory, 'home'));
  });
  afterAll(async () => {
    killKubectls();
    await daemon.stop();
    killDaemons();
    removeDirectories();
  });

  it.each(STEPS)('$command', async ({ command, stdin, code = 0, out = /^$/, err = /^$/ }) => {
    const result = await kubectl.run(command, stdin === undefined ? {} : { stdin });
    expect(result, result.err).toEqual({
      code,
      out: expect.stringMatching(out) as unknown,
      err: expect.stringMatching(err) as unknown,
    });
  });

  it('a kubeconfig of the command line works at once', async () => {
    const { out: text } = await runCli(['kubeconfig', '--server', daemon.url, '-n', 'team-a'], {
      cwd: directory,
    });
    await putFiles(directory, { kubeconfig: text });
    const run = async (...args: readonly string[]): Promise<string> => {
      const env = { HOME: directory, KUBECONFIG: path.join(directory, 'kubeconfig') };
      return (await promisify(execFile)(program ?? '', args, { env })).stdout;
    };
    expect(await run('get', 'persons', '-o', 'name')).toContain('person.demo.example.com/ada\n');
    expect(await run('config', 'view', '--minify', '-o', 'jsonpath={..namespace}')).toBe('team-a');
  });
});
