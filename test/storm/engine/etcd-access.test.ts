import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/store/engine.js';
import { Authority, type Certificate } from '../../helpers/certificates.js';
import { type EtcdCluster, HAS_ETCD, startEtcd, useEtcd } from '../../helpers/etcd.js';
import { temporaryDirectory } from '../../helpers/store.js';
import { useProxies } from '../../helpers/tcp-proxy.js';
import { contents } from '../../store/helpers.js';
import { etcdLogAt } from '../../engines/etcd-log.js';
import { increment, KEY, numberIn } from '../../engines/engine-contract.js';
import { useEngines } from '../../engines/shared-log-suite.js';
import { expectExact, startStorm } from '../../engines/storm.js';

useEtcd();
const { open } = useEngines();
const proxyTo = useProxies();
afterEach(() => {
  delete process.env['ETCD_PASSWORD'];
});

function withCertificates(url: string, caFile: string, client?: Certificate): string {
  const shown = client === undefined ? '' : `&cert=${client.certFile}&key=${client.keyFile}`;
  return `${url}?cacert=${caFile}${shown}`;
}

function tlsUrl(cluster: EtcdCluster, caFile: string, client?: Certificate): string {
  return withCertificates(cluster.url('store'), caFile, client);
}

/** The time for an outage: longer than any test here. */
const PATIENT_MS = 300_000;

/** The error of a store that cannot be opened. It comes at once, not after the time allowed for an outage. */
async function refusal(url: string): Promise<string> {
  const since = performance.now();
  const error: unknown = await etcdLogAt(url, { timeoutMs: PATIENT_MS })().then(
    () => undefined,
    (refused: unknown) => refused,
  );
  expect(error).toMatchObject({ code: 'ServiceUnavailable' });
  expect(performance.now() - since).toBeLessThan(PATIENT_MS / 5);
  return (error as Error).message;
}

describe.skipIf(!HAS_ETCD)('TLS to etcd', () => {
  const DAY_MS = 24 * 60 * 60 * 1000;

  it('is spoken with a certificate on both sides, and refused in words with a wrong one', async () => {
    const [authority, other] = [new Authority(), new Authority()];
    const tls = { ...authority.sign('member'), caFile: authority.caFile, asksClients: true };
    const cluster = await startEtcd(1, { tls });
    const client = authority.sign('client');
    const [engine, follower] = [
      await open(etcdLogAt(tlsUrl(cluster, authority.caFile, client))),
      await open(etcdLogAt(tlsUrl(cluster, authority.caFile, client))),
    ];
    const reported = new Promise<void>((resolve) => follower.onOtherCommit(resolve));
    expect(await increment(engine)).toBe(1);
    await reported;

    expect(await refusal(tlsUrl(cluster, other.caFile, client))).toContain('its certificate is not trusted');
    expect(await refusal(tlsUrl(cluster, authority.caFile))).toContain('add cert=FILE and key=FILE');
    const strange = other.sign('client');
    expect(await refusal(tlsUrl(cluster, authority.caFile, strange))).toContain(
      `rejects the certificate in ${strange.certFile}; the certificate must be a client certificate signed by`,
    );
    const old = authority.sign('old', -1_000);
    expect(await refusal(tlsUrl(cluster, authority.caFile, old))).toContain('which has expired');
    await expect(etcdLogAt(cluster.url('store'), { timeoutMs: 500 })()).rejects.toThrow('cannot reach etcd');
    const mixed = { certFile: client.certFile, keyFile: strange.keyFile };
    await expect(etcdLogAt(tlsUrl(cluster, authority.caFile, mixed))()).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining('cannot use the certificates for etcd') as string,
    });
  });

  it('is missed in words by a member that speaks none', async () => {
    const cluster = await startEtcd();
    const log = etcdLogAt(tlsUrl(cluster, new Authority().caFile), { timeoutMs: 500 });
    await expect(log()).rejects.toThrow('perhaps it does not use TLS');
  });

  it('goes to another member while the certificate of one has expired', async () => {
    const authority = new Authority();
    const { caFile } = authority;
    const expired = await startEtcd(1, { tls: { ...authority.sign('old', -1_000), caFile } });
    const valid = await startEtcd(1, { tls: { ...authority.sign('member'), caFile } });
    expect(await refusal(tlsUrl(expired, caFile))).toContain('certificate has expired');
    const ports = [expired.first.port, valid.first.port];
    const engine = await open(etcdLogAt(`${valid.url('store', ports)}?cacert=${caFile}`));
    expect(await increment(engine)).toBe(1);
  });

  it('is missed in words, or the certificate named that has expired, where a member only hangs up', async () => {
    const server = createTcpServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const authority = new Authority();
    const [old, valid] = [authority.sign('old', -1_000), authority.sign('valid')];
    const openWith = (client: Certificate): Promise<unknown> =>
      etcdLogAt(withCertificates(`etcd://127.0.0.1:${port}/store`, authority.caFile, client), {
        timeoutMs: 500,
      })();
    await expect(openWith(old)).rejects.toThrow(
      `the client certificate was ${old.certFile}, which has expired`,
    );
    await expect(openWith(valid)).rejects.toThrow('perhaps it does not use TLS');
    server.close();
  });

  it('goes on with the files of a certificate that was renewed after the one in use has expired', async () => {
    const authority = new Authority();
    const tls = { ...authority.sign('member'), caFile: authority.caFile, asksClients: true };
    const cluster = await startEtcd(1, { tls });
    // Long enough to open the store on any machine.
    const VALID_MS = 20_000;
    const client = authority.sign('client', VALID_MS);
    const since = performance.now();
    const warnings: string[] = [];
    const url = tlsUrl(cluster, authority.caFile, client);
    const engine = await open(etcdLogAt(url, { timeoutMs: 10_000, warnings }));
    expect(await increment(engine)).toBe(1);
    await sleep(since + VALID_MS + 1_000 - performance.now());
    // Connections that were made before go on.
    expect(await increment(engine)).toBe(2);
    await cluster.kill();
    cluster.start();
    await cluster.leader();
    // Now and then the connection is gone before the reason has arrived.
    await expect
      .poll(() => increment(engine).catch((error: unknown) => error))
      .toMatchObject({
        code: 'ServiceUnavailable',
        message: expect.stringContaining('which has expired') as string,
      });
    expect(engine.writeProblem()).toContain('which has expired');
    const renewed = authority.sign('renewed', DAY_MS);
    copyFileSync(renewed.certFile, client.certFile);
    copyFileSync(renewed.keyFile, client.keyFile);
    await expect.poll(() => increment(engine).catch(() => 0)).toBe(3);
    expect(engine.writeProblem()).toBeUndefined();
    expect(warnings.at(-1)).toContain('etcd answers again');
  });
});

describe.skipIf(!HAS_ETCD)('a user of etcd who is not root', () => {
  const ROOT = 'password of root';

  /** A cluster that asks for users, and one who may do all with the keys of a store, and nothing else. */
  async function startGuarded(flags: readonly string[] = []): Promise<EtcdCluster> {
    const cluster = await startEtcd(1, { flags: ['--bcrypt-cost=4', ...flags] });
    const { first } = cluster;
    await first.ask('auth/user/add', { name: 'root', password: ROOT });
    await first.ask('auth/role/add', { name: 'root' });
    await first.ask('auth/user/grant', { user: 'root', role: 'root' });
    await first.ask('auth/user/add', { name: 'app', password: 'of tests' });
    await first.ask('auth/role/add', { name: 'app' });
    await first.ask('auth/user/grant', { user: 'app', role: 'app' });
    await first.ask('auth/role/grant', { name: 'app', perm: permission() });
    await first.ask('auth/enable', {});
    process.env['ETCD_PASSWORD'] = 'of tests';
    return cluster;
  }

  function permission(): object {
    const [key, range_end] = ['store/', 'store0'].map((text) => Buffer.from(text).toString('base64'));
    return { permType: 'READWRITE', key, range_end };
  }

  async function askAsRoot({ first }: EtcdCluster, route: string, body: object): Promise<void> {
    const { token } = await first.ask('auth/authenticate', { name: 'root', password: ROOT });
    const answer = await first.ask(route, body, String(token));
    expect(answer).not.toHaveProperty('error');
  }

  it('needs no more than the keys below the prefix', async () => {
    const cluster = await startGuarded();
    const warnings: string[] = [];
    const log = etcdLogAt(`${cluster.url('store')}?user=app`, { warnings, retainMs: 0 });
    const engines = [await open(log), await open(log)];
    const running = startStorm(engines, 8);
    await running.answers(50);
    const reported = await running.end();
    for (const engine of engines) await expectExact(engine, reported);
    for (const engine of engines) {
      await engine.foldLog();
      await increment(engine);
    }
    const anew = await contents(await open(log));
    for (const engine of engines) {
      await engine.get(KEY);
      expect(await contents(engine)).toEqual(anew);
    }
    expect(warnings).toEqual([]);
  });

  it('is refused at once, in words, without rights or with a wrong password', async () => {
    const cluster = await startGuarded();
    expect(await refusal(cluster.url('store'))).toContain('add user=USER');
    expect(await refusal(`${cluster.url('elsewhere')}?user=app`)).toContain(
      'etcd rejected the request: permission denied; the user needs readwrite',
    );
    process.env['ETCD_PASSWORD'] = 'another';
    expect(await refusal(`${cluster.url('store')}?user=app`)).toContain(
      'authentication failed, invalid user ID or password; check user=app and ETCD_PASSWORD',
    );
  });

  it('gets one warning that it may not compact, and the store goes on', async () => {
    const cluster = await startGuarded();
    const gate = await startGate(cluster.first.port, /^\/v3\/(?:kv\/compaction|maintenance\/)/u);
    const warnings: string[] = [];
    const url = `${cluster.url('store', [gate.port])}?user=app`;
    const engine = await open(etcdLogAt(url, { warnings, retainMs: 0 }));
    for (let round = 1; round <= 4; round += 1) {
      expect(await increment(engine)).toBe(round);
      await engine.foldLog();
    }
    expect(gate.refused.filter((route) => route.includes('compaction')).length).toBeGreaterThan(1);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('--auto-compaction-mode=periodic');
    expect(engine.writeProblem()).toBeUndefined();
    await gate.close();
  });

  it('takes another token when one has expired, and nobody notices', async () => {
    // Many times what a request takes: a token must be taken that was given just before.
    const cluster = await startGuarded([`--auth-token=${jwt('5s')}`]);
    const warnings: string[] = [];
    /** Number of tokens that each of the engines was given. */
    const tokens = [0, 0];
    const engines: Engine[] = [];
    for (const index of tokens.keys()) {
      const proxy = await proxyTo(cluster.first.port);
      proxy.onSent = (bytes) => {
        if (bytes.includes('/v3/auth/authenticate')) tokens[index] = (tokens[index] ?? 0) + 1;
        return 'pass';
      };
      const url = `${cluster.url('store', [proxy.port])}?user=app`;
      engines.push(await open(etcdLogAt(url, { warnings, timeoutMs: PATIENT_MS })));
    }
    const running = startStorm(engines, 8);
    await expect.poll(() => Math.min(...tokens)).toBeGreaterThan(2);
    await running.answers(50);
    const reported = await running.end();
    expect({ refused: reported.refused, unsure: reported.unsure }).toEqual({ refused: [], unsure: [] });
    for (const engine of engines) await expectExact(engine, reported);
    // Also while nothing is written.
    const before = [...tokens];
    await expect.poll(() => tokens.every((count, index) => count > (before[index] ?? 0))).toBe(true);
    for (const engine of engines) expect(numberIn(await engine.get(KEY))).toBe(reported.answered.length);
    expect(warnings).toEqual([]);
  });

  it('takes another token when members were started again and know none', async () => {
    const cluster = await startGuarded();
    const engine = await open(etcdLogAt(`${cluster.url('store')}?user=app`));
    expect(await increment(engine)).toBe(1);
    await cluster.kill();
    cluster.start();
    expect(await increment(engine)).toBe(2);
  });

  it('gets the reason of failures while its rights or its password differ, and goes on afterwards', async () => {
    const cluster = await startGuarded();
    const warnings: string[] = [];
    const engine = await open(etcdLogAt(`${cluster.url('store')}?user=app`, { timeoutMs: 10_000, warnings }));
    expect(await increment(engine)).toBe(1);
    const { key, range_end } = permission() as { key: string; range_end: string };
    await askAsRoot(cluster, 'auth/role/revoke', { role: 'app', key, range_end });
    await expect(increment(engine)).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      message: expect.stringContaining('permission denied') as string,
    });
    expect(engine.writeProblem()).toContain('the user needs readwrite');
    await askAsRoot(cluster, 'auth/role/grant', { name: 'app', perm: permission() });
    await expect.poll(() => increment(engine).catch(() => 0)).toBe(2);

    await askAsRoot(cluster, 'auth/user/changepw', { name: 'app', password: 'changed' });
    await expect(increment(engine)).rejects.toThrow('check user=app and ETCD_PASSWORD');
    expect(engine.writeProblem()).toContain('ETCD_PASSWORD');
    await askAsRoot(cluster, 'auth/user/changepw', { name: 'app', password: 'of tests' });
    await expect.poll(() => increment(engine).catch(() => 0)).toBe(3);
    expect(engine.writeProblem()).toBeUndefined();
    expect(warnings.filter((text) => text.includes('rejected'))).toHaveLength(2);
  });
});

/** Tokens that are valid for so long, whether they are used or not. */
function jwt(ttl: string): string {
  const directory = temporaryDirectory();
  const [priv, pub] = [path.join(directory, 'token.key'), path.join(directory, 'token.pem')];
  execFileSync('openssl', ['genrsa', '-out', priv, '2048'], { stdio: 'pipe' });
  execFileSync('openssl', ['rsa', '-in', priv, '-pubout', '-out', pub], { stdio: 'pipe' });
  return `jwt,pub-key=${pub},priv-key=${priv},sign-method=RS256,ttl=${ttl}`;
}

interface Gate {
  readonly port: number;
  /** Of the requests that did not get through. */
  readonly refused: string[];
  readonly close: () => Promise<void>;
}

/** Stands before a member and refuses what some versions refuse to those who are not root. */
async function startGate(port: number, routes: RegExp): Promise<Gate> {
  const refused: string[] = [];
  const server = createServer((req, res) => {
    const { url = '', method, headers } = req;
    if (!routes.test(url)) {
      const asked = request({ host: '127.0.0.1', port, path: url, method, headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(res);
      });
      asked.on('error', () => res.destroy());
      req.pipe(asked);
      return;
    }
    refused.push(url);
    const message = 'etcdserver: permission denied';
    res.writeHead(403).end(JSON.stringify({ error: message, message, code: 7 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: address.port, refused, close };
}
