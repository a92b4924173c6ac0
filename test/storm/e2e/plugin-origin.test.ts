import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { get } from 'node:https';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authority } from '../../helpers/certificates.js';
import {
  childrenOf,
  EXAMPLE_PLUGINS,
  freePort,
  killDaemons,
  runProgram,
  spawnDaemon,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { person, PERSONS, sendHttp, type HttpAnswer } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const PAGE = '/plugins/shop/assets/';
const ANY = 'http://127.0.0.1:0';

const plugins = temporaryDirectory();
const agent = new Agent();

beforeAll(() => {
  const files: Readonly<Record<string, string>> = {
    'plugin.yaml':
      'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: shop }\nspec: { version: 1.0.0 }\n',
    'index.js': "import { BasePlugin } from 'xsvc';\nexport default class extends BasePlugin {}\n",
    'public/index.html': '<h1>Shop</h1>',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(plugins, 'shop', name)), { recursive: true });
    writeFileSync(path.join(plugins, 'shop', name), text);
  }
});
afterAll(() => {
  agent.destroy();
  killDaemons();
  removeDirectories();
});

const start = (...flags: string[]): Promise<DaemonProcess> =>
  startDaemonProcess({
    dataDir: temporaryDirectory(),
    plugins: [plugins, path.join(EXAMPLE_PLUGINS, 'person')],
    flags,
  });

function originOf({ output }: Pick<DaemonProcess, 'output'>): string {
  return /pages of plugins are at (http[^"]+)/.exec(output.stderr)?.[1] ?? '';
}

function at(origin: string, target: string, method = 'GET', host?: string): Promise<HttpAnswer> {
  const headers = host === undefined ? {} : { host };
  return sendHttp(agent, Number(new URL(origin).port), method, target, { headers });
}

describe('the origin of plugins', () => {
  let daemon: DaemonProcess;
  let origin: string;
  beforeAll(async () => {
    daemon = await start('--plugin-origin', ANY);
    origin = originOf(daemon);
  });

  it('serves files of plugins without a sandbox, which those of the service keep', async () => {
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const own = await at(origin, PAGE);
    expect([own.status, own.text]).toEqual([200, '<h1>Shop</h1>']);
    expect(own.headers).toMatchObject({
      'content-security-policy': "frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    });
    expect((await daemon.get(PAGE)).headers['content-security-policy']).toContain('sandbox');
  });

  it('serves nothing else, and says where the API is', async () => {
    const targets = ['/', PERSONS, '/readyz', '/console/', '/metrics', '/plugins/', '/plugins/other/assets/'];
    for (const target of [...targets, `${PAGE}nothing`, `${PAGE}..%2f..%2fplugin.yaml`, '//evil/']) {
      const { status, text } = await at(origin, target);
      expect([target, status]).toEqual([target, 404]);
      expect(text).toContain(`the API is at ${daemon.url}`);
    }
    expect((await at(origin, PERSONS, 'POST')).status).toBe(404);
    expect((await at(origin, PAGE, 'POST')).status).toBe(405);
    expect((await at(origin, PAGE, 'GET', 'evil.example')).status).toBe(403);
  });

  it('may use the API, as no other origin may', async () => {
    const headers = { origin, 'sec-fetch-site': 'same-site' };
    const read = await daemon.send('GET', PERSONS, { headers });
    expect([read.status, read.headers['access-control-allow-origin']]).toEqual([200, origin]);
    const written = await daemon.send('POST', PERSONS, { headers, body: person('ann') });
    expect(written.status).toBe(201);
    for (const other of ['null', 'http://127.0.0.1:0', origin.replace('127.0.0.1', 'localhost')]) {
      const foreign = { ...headers, origin: other };
      expect((await daemon.send('GET', PERSONS, { headers: foreign })).status).toBe(403);
      expect((await daemon.send('DELETE', `${PERSONS}/ann`, { headers: foreign })).status).toBe(403);
    }
  });

  it('ends with the service', async () => {
    expect((await daemon.stop()).code).toBe(0);
    await expect(at(origin, PAGE)).rejects.toThrow('ECONNREFUSED');
  });
});

it('is an origin with a name and a port, by environment or file too', async () => {
  const port = await freePort();
  const file = path.join(temporaryDirectory(), 'xsvc.yaml');
  writeFileSync(file, `pluginOrigin: http://localhost:${port}\n`);
  const daemon = await start('--config', file);
  expect(originOf(daemon)).toBe(`http://localhost:${port}`);
  const headers = { origin: `http://localhost:${port}`, 'sec-fetch-site': 'same-site' };
  expect((await daemon.send('GET', PERSONS, { headers })).status).toBe(200);
  await daemon.stop();
});

it('speaks TLS when the service does', async () => {
  const authority = new Authority();
  const { certFile, keyFile } = authority.sign('daemon');
  const { child, output } = spawnDaemon({
    dataDir: temporaryDirectory(),
    plugins: [plugins],
    flags: ['--tls-cert', certFile, '--tls-key', keyFile, '--plugin-origin', 'https://127.0.0.1:0'],
  });
  await expect.poll(() => output.stdout).toContain('listening on https://');
  const ca = readFileSync(authority.caFile);
  const status = await new Promise((resolve, reject) => {
    const sent = get(`${originOf({ output })}${PAGE}`, { ca, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
  });
  expect(status).toBe(200);
  child.kill('SIGTERM');
});

it('that is used by another program ends the start like a used port of the service', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const address = taken.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const serve = (...flags: string[]): ReturnType<typeof runProgram> =>
    runProgram(['serve', '--data-dir', temporaryDirectory(), '--plugins', plugins, ...flags]);
  const own = await serve('--port', String(port));
  const second = await serve('--port', '0', '--plugin-origin', `http://127.0.0.1:${port}`);
  const first = await serve('--port', String(port), '--plugin-origin', ANY);
  expect([own.code, second.code, first.code]).toEqual([6, 6, 6]);
  for (const { stderr } of [own, second, first])
    expect(stderr).toContain(`cannot listen on 127.0.0.1:${port}`);
  taken.close();
});

it('is shared by all workers, also by a replacement', async () => {
  const daemon = await start('--plugin-origin', ANY, '--workers', '2');
  const origin = originOf(daemon);
  const origins = [...daemon.output.stderr.matchAll(/pages of plugins are at (http[^"]+)/g)].map(
    ([, one]) => one,
  );
  expect(origins).toEqual([origin, origin]);
  const headers = { origin, 'sec-fetch-site': 'same-site' };
  const readAll = async (): Promise<void> => {
    for (let i = 0; i < 10; i++) {
      expect((await at(origin, PAGE)).status).toBe(200);
      expect((await daemon.send('GET', PERSONS, { headers })).status).toBe(200);
    }
  };
  await readAll();
  const [worker = 0] = childrenOf(daemon.pid);
  process.kill(worker, 'SIGKILL');
  await expect.poll(() => daemon.output.stderr).toContain('is serving again');
  await readAll();
  expect((await daemon.stop()).code).toBe(0);
  await expect(at(origin, PAGE)).rejects.toThrow('ECONNREFUSED');
});
