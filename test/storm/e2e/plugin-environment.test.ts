import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { killDaemons, runProgram, spawnDaemon, startDaemonProcess } from '../../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const SECRETS = { XSVC_TOKEN: 'token-secret', PGPASSWORD: 'pg-secret', ETCD_PASSWORD: 'etcd-secret' };

/** Writes down what it finds in its environment, and what a program finds that it starts. */
const PLUGIN = `
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { BasePlugin } from 'xsvc';
const child = execFileSync(process.execPath, ['-p', 'JSON.stringify(process.env)'], { encoding: 'utf8' });
writeFileSync(\`\${process.env.SEEN_BY_PLUGIN}/\${process.pid}\`, JSON.stringify(process.env) + child);
export default class extends BasePlugin {}
`;

const plugins = temporaryDirectory();
const seen = temporaryDirectory();
const outside = { ...process.env };

beforeAll(() => {
  const spy = path.join(plugins, 'spy');
  mkdirSync(spy);
  writeFileSync(
    path.join(spy, 'plugin.yaml'),
    'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: spy }\nspec: { version: 1.0.0 }\n',
  );
  writeFileSync(path.join(spy, 'index.js'), PLUGIN);
  Object.assign(process.env, SECRETS, { SEEN_BY_PLUGIN: seen });
});
beforeEach(() => {
  for (const name of readdirSync(seen)) writeFileSync(path.join(seen, name), '');
});
afterAll(() => {
  for (const name of [...Object.keys(SECRETS), 'SEEN_BY_PLUGIN']) {
    const before = outside[name];
    if (before === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = before;
  }
  killDaemons();
  removeDirectories();
});

function expectNoSecrets(processes: number): void {
  const reported = readdirSync(seen)
    .map((name) => readFileSync(path.join(seen, name), 'utf8'))
    .filter((text) => text !== '');
  expect(reported).toHaveLength(processes);
  for (const text of reported) expect(text).toContain('SEEN_BY_PLUGIN');
  for (const value of Object.values(SECRETS)) expect(reported.join()).not.toContain(value);
}

describe('the environment that code of plugins finds has no secrets', () => {
  it('of a daemon', async () => {
    const daemon = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins: [plugins] });
    await daemon.stop();
    expectNoSecrets(1);
  });

  it('of workers', async () => {
    const flags = ['--workers', '2'];
    const daemon = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins: [plugins], flags });
    await daemon.stop();
    expectNoSecrets(2);
  });

  it('of commands that look at models, also when they are used beside a server', async () => {
    const file = path.join(temporaryDirectory(), 'role.yaml');
    writeFileSync(
      file,
      'apiVersion: access.platform.run/v1alpha1\nkind: Role\nmetadata: { name: a }\nrules: []\n',
    );
    process.env['XSVC_SERVER'] = 'http://127.0.0.1:1';
    try {
      const validated = await runProgram(['validate', '-f', file, '--plugins', plugins]);
      expect([validated.code, validated.stderr]).toEqual([0, '']);
      expectNoSecrets(1);
    } finally {
      delete process.env['XSVC_SERVER'];
    }
    const dataDir = temporaryDirectory();
    const none = ['--plugins', temporaryDirectory(), '--data-dir', dataDir];
    expect((await runProgram(['apply', '-f', file, ...none])).code).toBe(0);
    const planned = await runProgram(['model', 'plan', '--plugins', plugins, '--data-dir', dataDir]);
    expect([planned.code, planned.stderr]).toEqual([0, '']);
    expectNoSecrets(2);
  });
});

describe('workers have the secrets all the same', () => {
  let server: Server;
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('and prove to a database that they know its password', async () => {
    let prove: (proof: string) => void;
    const proof = new Promise<string>((resolve) => (prove = resolve));
    // Asks for SCRAM, and answers the nonce of the client as RFC 5802 says.
    server = createServer((socket) => {
      let step = 0;
      socket.on('error', () => undefined);
      socket.on('data', (part) => {
        step++;
        if (step === 1) socket.write(asking(10, 'SCRAM-SHA-256\0\0'));
        else if (step === 2) {
          const nonce = /r=([^,]+)/.exec(part.toString('latin1'))?.[1] ?? '';
          socket.write(asking(11, `r=${nonce}more,s=c2FsdA==,i=4096`));
        } else {
          prove(part.toString('latin1'));
          socket.destroy();
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const store = `postgres://ann@127.0.0.1:${(server.address() as AddressInfo).port}/things`;
    const { child, exited } = spawnDaemon({
      dataDir: temporaryDirectory(),
      plugins: [plugins],
      flags: ['--store', store, '--workers', '2', '--store-timeout', '1s'],
    });
    expect(await proof).toMatch(/,p=[\w+/=]+/);
    child.kill('SIGKILL');
    await exited;
  });
});

/** An authentication request of PostgreSQL's protocol. */
function asking(kind: number, text: string): Buffer {
  const head = Buffer.alloc(9);
  head.write('R');
  head.writeInt32BE(text.length + 8, 1);
  head.writeInt32BE(kind, 5);
  return Buffer.concat([head, Buffer.from(text)]);
}
