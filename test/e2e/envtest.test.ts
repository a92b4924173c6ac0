import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { killClients, SITE, startProgram, type Client } from '../clients/clients.js';
import { PROGRAM, runProgram } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const NODE = process.execPath;

afterEach(killClients);
afterAll(removeDirectories);

/** Starts the command, whose files are in a directory of the test. */
function envtest(args: readonly string[], temporary = temporaryDirectory()): Client {
  return startProgram(NODE, [PROGRAM, 'envtest', ...args], { env: { ...process.env, TMPDIR: temporary } });
}

async function outcome({ ended, output }: Client): Promise<object> {
  return { code: await ended, ...output };
}

const sites = `
const fs = require('node:fs');
const { KUBECONFIG, USE_EXISTING_CLUSTER } = process.env;
const server = /server: (.*)/.exec(fs.readFileSync(KUBECONFIG, 'utf8'))[1];
fetch(server + '/apis/web.example.com/v1/sites').then(async (answer) => {
  console.log(USE_EXISTING_CLUSTER, answer.status, (await answer.json()).kind);
  process.exitCode = 3;
});`;

describe('xsvc envtest', () => {
  it('runs a command that finds the control plane, and ends with its code', async () => {
    const ran = envtest(['--crds', SITE, '--', NODE, '-e', sites]);
    expect(await outcome(ran)).toEqual({ code: 3, stdout: 'true 200 SiteList\n', stderr: '' });
  });

  it('passes signals on, and removes its files when the command has ended', async () => {
    const temporary = temporaryDirectory();
    const script = `process.on('SIGTERM', () => process.exit(42)); setInterval(() => {}, 1000);
      console.log(process.env.KUBECONFIG);`;
    const running = envtest(['--', NODE, '-e', script], temporary);
    await expect.poll(() => running.output.stdout).toContain('kubeconfig\n');
    const kubeconfig = running.output.stdout.trim();
    expect([path.dirname(path.dirname(kubeconfig)), existsSync(kubeconfig)]).toEqual([temporary, true]);
    running.signal('SIGTERM');
    expect(await running.ended).toBe(42);
    expect(existsSync(path.dirname(kubeconfig))).toBe(false);
  });

  it('reports a command that a signal has ended as shells do', async () => {
    expect(await outcome(envtest(['--', 'sh', '-c', 'kill -KILL $$']))).toMatchObject({ code: 137 });
  });

  it('stays without a command until it is stopped, and prints the path of the kubeconfig', async () => {
    const running = envtest([]);
    await expect.poll(() => running.output.stdout).toMatch(/^\/.*kubeconfig\n$/);
    const kubeconfig = running.output.stdout.trim();
    expect(existsSync(kubeconfig)).toBe(true);
    running.signal('SIGTERM');
    expect(await running.ended).toBe(0);
    expect(existsSync(path.dirname(kubeconfig))).toBe(false);
  });

  it('removes its files when a signal ends a program with several control planes', async () => {
    const temporary = temporaryDirectory();
    const testing = new URL('../../dist/bundle/testing.js', import.meta.url).href;
    const program = `import { startControlPlane } from ${JSON.stringify(testing)};
      await Promise.all([startControlPlane(), startControlPlane()]);
      console.log('started');`;
    const running = startProgram(NODE, ['--input-type=module', '-e', program], {
      env: { ...process.env, TMPDIR: temporary },
    });
    await expect.poll(() => running.output.stdout).toBe('started\n');
    expect(readdirSync(temporary)).toHaveLength(2);
    running.signal('SIGTERM');
    // A signal has ended it.
    expect(await running.ended).toBe(null);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('says what is wrong with the command line', async () => {
    const bad = path.join(temporaryDirectory(), 'bad.yaml');
    writeFileSync(bad, 'kind: CustomResourceDefinition\nmetadata: { name: sites.web.example.com }\n');
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const failures: readonly (readonly [args: readonly string[], code: number, message: string])[] = [
      [['--port', `${port}`, '--', 'true'], 6, `error: cannot listen on 127.0.0.1:${port}: `],
      [['--', 'no-such-command'], 127, 'error: no-such-command: command not found\n'],
      [['--', bad], 126, `error: ${bad}: cannot be run (EACCES)\n`],
      [['--crds', '/missing', '--', 'true'], 3, 'error: /missing: there is no such file or directory\n'],
      [['--crds', bad, '--', 'true'], 5, `error: ${bad}:1: `],
      [['--server', 'http://127.0.0.1:1'], 2, 'error: envtest starts the server itself'],
    ];
    const ran = await Promise.all(failures.map(([args]) => runProgram(['envtest', ...args])));
    other.close();
    expect(ran.map(({ code, stderr }, i) => [code, stderr.slice(0, failures[i]?.[2].length)])).toEqual(
      failures.map(([, code, message]) => [code, message]),
    );
  });
});
