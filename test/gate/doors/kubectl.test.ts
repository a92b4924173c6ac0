import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFiles, runCli } from '../../helpers/cli.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  PROGRAM,
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
  { command: 'create ns shop', out: /^namespace\/shop created\n$/ },
  { command: 'create configmap c -n shop --from-literal=a=b', out: /^configmap\/c created\n$/ },
  { command: 'create secret generic s -n shop --from-literal=a=b', out: /^secret\/s created\n$/ },
  { command: 'create sa robot -n shop', out: /^serviceaccount\/robot created\n$/ },
  {
    command: 'get secret,sa -n shop',
    out: /^NAME +TYPE +DATA +AGE\nsecret\/s +Opaque +1 +\d+s\n[^]*serviceaccount\/robot/m,
  },
  { command: 'get cm -A', out: /^NAMESPACE +NAME +DATA +AGE\nshop +c +1 +\d+s\n$/ },
  { command: 'get ns', out: /^NAME +STATUS +AGE\ndefault +Active/ },
  { command: 'explain cm.immutable', out: /FIELD: immutable <boolean>/ },
  { command: 'create configmap c -n nowhere', code: 1, err: /namespaces "nowhere" not found/ },
  { command: 'delete ns default', code: 1, err: /Forbidden/ },
  { command: 'delete ns shop', out: /^namespace "shop" deleted/ },
  { command: 'get cm,secret,sa -n shop', err: /No resources found/ },
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

  it('a token works with the certificate for this machine that the guide makes', async () => {
    const shown = readFileSync(
      new URL('../../../docs/guides/kubernetes-clients.md', import.meta.url),
      'utf8',
    );
    const [, chapter = ''] = shown.split('## kubectl with a token\n');
    const [certificate, serve = '', ...calls] = [...chapter.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(
      ([, block = '']) => block.trim().split('\n'),
    );
    const run = async (commands: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const script = [`xsvc() { '${process.execPath}' '${PROGRAM}' "$@"; }`, ...commands].join('\n');
      const bin = `${path.dirname(program ?? '')}:${process.env.PATH ?? ''}`;
      const options = { cwd: directory, env: { PATH: bin, HOME: directory, ...env } };
      return (await promisify(execFile)('bash', ['-ec', script], options)).stdout;
    };
    await run([certificate ?? '']);
    const flags = (/^xsvc serve (.*?) +#/.exec(serve)?.[1] ?? '').split(' ');
    const guarded = await startDaemonProcess({
      dataDir: path.join(directory, 'guarded'),
      plugins: [path.join(EXAMPLE_PLUGINS, 'person')],
      flags: flags.map((flag) => (flag.endsWith('.pem') ? path.join(directory, flag) : flag)),
    });
    const TOKEN = await run([`xsvc token create --user admin --data-dir guarded 2>/dev/null`]);
    const out = await run(
      calls.map((call) => call.replaceAll('127.0.0.1:8090', `127.0.0.1:${guarded.port}`)),
      { TOKEN: TOKEN.trim() },
    );
    expect(out.match(/^ada +Ada Example /gm)).toHaveLength(2);
    await guarded.stop();
  });
});
