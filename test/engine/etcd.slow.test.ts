import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import type { Engine } from '../../src/store/engine.js';
import { parseEtcdAddress } from '../../src/store/etcd/address.js';
import { openEtcdLog } from '../../src/store/etcd/log.js';
import { metaKey } from '../../src/store/keys.js';
import { type EtcdCluster, HAS_ETCD, startEtcd, useEtcd } from '../helpers/etcd.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { temporaryDirectory } from '../helpers/store.js';
import { startProxy, type TcpProxy } from '../helpers/tcp-proxy.js';
import { contents } from '../store/helpers.js';
import { increment, KEY, numberIn, type OpenLog, sharedLogSuite, useEngines } from './shared-log-suite.js';
import { after, expectExact, storm } from './storm.js';

useEtcd();

let prefixes = 0;
/** Each store has a prefix of its own. */
function newPrefix(): string {
  prefixes += 1;
  return `stores/${prefixes}`;
}

interface LogGiven {
  readonly timeoutMs?: number;
  readonly warnings?: string[];
  readonly retainMs?: number;
}

function logAt(url: string, { timeoutMs = 20_000, warnings = [], ...given }: LogGiven = {}): OpenLog {
  const address = { ...parseEtcdAddress(url), ...given };
  return () => openEtcdLog(address, { timeoutMs, warn: (message) => warnings.push(message) });
}

const { open, close } = useEngines();
const proxies: TcpProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});

async function proxyTo(port: number): Promise<TcpProxy> {
  const proxy = await startProxy(port);
  proxies.push(proxy);
  return proxy;
}

describe.skipIf(!HAS_ETCD)('etcd', () => {
  let one: EtcdCluster;
  beforeAll(async () => {
    one = await startEtcd();
  });

  sharedLogSuite('in etcd', () => Promise.resolve(logAt(one.url(newPrefix()))));

  describe('the checkpoint in etcd', () => {
    it('has values and records that are longer than a request, and forgets their parts', async () => {
      const prefix = newPrefix();
      const log = logAt(one.url(prefix), { retainMs: 0 });
      const [a, b] = [await open(log), await open(log)];
      const long = randomBytes(3 * 1024 * 1024 + 17);
      await a.commit((tx) => tx.put(KEY, long));
      expect(Buffer.compare((await b.get(KEY)) ?? Buffer.alloc(0), long)).toBe(0);
      await a.foldLog();
      expect(await contents(await open(log))).toEqual(await contents(a));
      await increment(a, metaKey('migration/2'));
      await a.commit((tx) => tx.put(KEY, Buffer.from('short')));
      await a.foldLog();
      expect(await contents(await open(log))).toEqual(await contents(a));
      expect(await keysUnder(one, prefix)).toEqual({ checkpoint: 1, kv: 2, log: 1 });
    });

    it('is whole for a daemon that begins while a fold was given up in its middle', async () => {
      const prefix = newPrefix();
      const proxy = await proxyTo(one.first.port);
      const cut = await open(logAt(one.url(prefix, [proxy.port]), { timeoutMs: 1_000 }));
      for (let round = 0; round < 3; round += 1)
        await cut.commit((tx) => {
          for (let i = 0; i < 900; i += 1) tx.put(metaKey(`migration/${i}`), Buffer.from(`${round} ${i}`));
        });
      let puts = 0;
      proxy.onSent = (bytes) => {
        if (bytes.includes('request_put')) puts += 1;
        if (puts > 4) proxy.blackHole = true;
        return 'pass';
      };
      await expect(cut.foldLog()).rejects.toBeInstanceOf(ServiceError);
      const other = await open(logAt(one.url(prefix)));
      expect(numberIn(await other.get(metaKey('migration/899')))).toBeNaN();
      expect((await other.get(metaKey('migration/899')))?.toString()).toBe('2 899');
      await other.commit((tx) => tx.remove(metaKey('migration/5')));
      await other.foldLog();
      const anew = await open(logAt(one.url(prefix)));
      expect(await contents(anew)).toEqual(await contents(other));
    });

    it('is taken by a daemon whose place is older than the log', async () => {
      const directory = temporaryDirectory();
      const log = logAt(one.url(newPrefix()), { retainMs: 0 });
      const [a, behind] = [await open(log), await open(log, { directory })];
      await increment(behind);
      await close(behind);
      for (let round = 0; round < 3; round += 1) {
        await increment(a);
        await a.foldLog();
      }
      const again = await open(log, { directory });
      expect(numberIn(await again.get(KEY))).toBe(4);
    });
  });

  describe('commits to etcd whose connection breaks', () => {
    const seed = seedOfRun();

    it(`are stored once or not at all, and told so, when sockets are cut around appends (seed ${seed})`, async () => {
      const random = new Random(seed);
      const proxy = await proxyTo(one.first.port);
      const prefix = newPrefix();
      const engines = [await open(logAt(one.url(prefix, [proxy.port]))), await open(logAt(one.url(prefix)))];
      let cuts = 0;
      proxy.onSent = (bytes) => {
        if (!bytes.includes('compare') || !random.chance(0.4)) return 'pass';
        cuts += 1;
        return random.pick(['cut before', 'cut after']);
      };
      const told = await storm(engines, 16, after(6_000));
      proxy.onSent = undefined;
      expect(cuts).toBeGreaterThan(5);
      expect(told.answered.length).toBeGreaterThan(50);
      for (const engine of engines) await expectExact(engine, told);
      expect(await contents(engines[0] as Engine)).toEqual(await contents(engines[1] as Engine));
    });

    it('are refused when the network swallows everything, and go on when it is back', async () => {
      const proxy = await proxyTo(one.first.port);
      const prefix = newPrefix();
      const [cut, other] = [
        await open(logAt(one.url(prefix, [proxy.port]), { timeoutMs: 2_000 })),
        await open(logAt(one.url(prefix))),
      ];
      await increment(cut);
      proxy.blackHole = true;
      await expect(increment(cut)).rejects.toBeInstanceOf(ServiceError);
      await expect(Promise.resolve(cut.get(KEY))).rejects.toMatchObject({ code: 'ServiceUnavailable' });
      expect(cut.writeProblem()).toContain('etcd cannot be reached');
      const before = numberIn(await other.get(KEY));
      expect(await increment(other)).toBe(before + 1);
      proxy.blackHole = false;
      proxy.cut();
      await expect.poll(() => increment(cut).catch(() => 0)).toBe(before + 2);
    });

    it('keep nobody out for long when a daemon stands still in its turn', async () => {
      const log = logAt(one.url(newPrefix()));
      const [still, waiting] = [await log(), await log()];
      const at = await still.checkpointAt();
      let goOn = (): void => undefined;
      const stopped = new Promise<void>((resolve) => (goOn = resolve));
      const late = still.appendExclusively(at, async () => {
        await stopped;
        return { after: at, record: { id: 'late', writes: Buffer.alloc(0) } };
      });
      await sleep(200);
      const since = performance.now();
      const record = { id: 'in-time', writes: Buffer.alloc(0) };
      expect(await waiting.appendExclusively(at, () => Promise.resolve({ after: at, record }))).toBe(
        'appended',
      );
      expect(performance.now() - since).toBeLessThan(4_000);
      goOn();
      expect(await late).toBe('moved');
      for (const opened of [still, waiting]) await opened.close();
    });
  });

  describe('opening a store in etcd', () => {
    it('ends in words when nothing answers', async () => {
      const opening = logAt('etcd://127.0.0.1:1/xsvc', { timeoutMs: 500 })();
      await expect(opening).rejects.toMatchObject({ code: 'ServiceUnavailable' });
      await expect(opening).rejects.toThrow('etcd cannot be reached: 127.0.0.1:1');
    });

    it('refuses a store of another layout, and leaves it alone', async () => {
      const prefix = newPrefix();
      const key = Buffer.from(`${prefix}/head`).toString('base64');
      await one.first.ask('kv/put', { key, value: Buffer.from('99 x 1 y').toString('base64') });
      await expect(logAt(one.url(prefix))()).rejects.toThrow('layout 99');
    });

    it('makes one store when several come at the same time', async () => {
      const log = logAt(one.url(newPrefix()));
      const logs = await Promise.all([log(), log(), log(), log()]);
      expect(new Set(logs.map(({ storeId }) => storeId)).size).toBe(1);
      for (const opened of logs) await opened.close();
    });

    it('speaks TLS, and asks for the password of a user', async () => {
      const tls = certificates();
      const cluster = await startEtcd(1, { tls });
      const url = `${cluster.url('secret')}?cacert=${tls.caFile}`;
      const plain = await logAt(url)();
      await plain.close();
      const ask = (route: string, body: object): void => {
        const { port } = cluster.first;
        execFileSync('curl', [
          '-sf',
          '--cacert',
          tls.caFile,
          `https://127.0.0.1:${port}/v3/${route}`,
          '-d',
          JSON.stringify(body),
        ]);
      };
      ask('auth/user/add', { name: 'root', password: 'of tests' });
      ask('auth/role/add', { name: 'root' });
      ask('auth/user/grant', { user: 'root', role: 'root' });
      ask('auth/enable', {});
      await expect(logAt(url)()).rejects.toThrow('etcd refuses: user name is empty');
      process.env['ETCD_PASSWORD'] = 'another';
      await expect(logAt(`${url}&user=root`)()).rejects.toThrow('authentication failed');
      process.env['ETCD_PASSWORD'] = 'of tests';
      const engine = await open(logAt(`${url}&user=root`));
      expect(await increment(engine)).toBe(1);
      // Its tokens are gone when it starts again.
      await cluster.kill();
      cluster.start();
      expect(await increment(engine)).toBe(2);
      await expect(logAt(cluster.url('secret'), { timeoutMs: 500 })()).rejects.toThrow(
        'etcd cannot be reached',
      );
    });
  });

  it('refuses in words when it is full, is not ready then, and goes on when there is room again', async () => {
    const cluster = await startEtcd(1, { flags: ['--quota-backend-bytes=16777216'] });
    const warnings: string[] = [];
    const engine = await open(logAt(cluster.url('full'), { warnings }));
    const write = (): Promise<void> => engine.commit((tx) => tx.put(KEY, randomBytes(900_000)));
    const filling = (async () => {
      for (let i = 0; i < 40; i += 1) await write();
    })();
    await expect(filling).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    expect(engine.writeProblem()).toContain('the database of etcd is full');
    expect(warnings.filter((text) => text.includes('--quota-backend-bytes'))).toHaveLength(1);
    expect((await engine.get(KEY))?.length).toBe(900_000);
    const { alarms } = await cluster.first.ask('maintenance/alarm', { action: 'GET' });
    for (const alarm of alarms as object[])
      await cluster.first.ask('maintenance/alarm', { ...alarm, action: 'DEACTIVATE' });
    await expect.poll(() => engine.writeProblem()).toBeUndefined();
  });
});

/** An authority and a certificate for 127.0.0.1. */
function certificates(): { caFile: string; certFile: string; keyFile: string } {
  const directory = temporaryDirectory();
  const [keyFile, certFile] = [path.join(directory, 'key.pem'), path.join(directory, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      keyFile,
    ].concat(['-out', certFile, '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']),
    { stdio: 'pipe' },
  );
  return { caFile: certFile, certFile, keyFile };
}

/** How many keys of each family a store has. */
async function keysUnder(cluster: EtcdCluster, prefix: string): Promise<Record<string, number>> {
  const [start, end] = [`${prefix}/store/`, `${prefix}/store0`].map((key) =>
    Buffer.from(key).toString('base64'),
  );
  const { kvs } = await cluster.first.ask('kv/range', { key: start, range_end: end, keys_only: true });
  const counts: Record<string, number> = {};
  for (const { key } of kvs as { key: string }[]) {
    const family = Buffer.from(key, 'base64').toString().slice(prefix.length).split('/')[3] ?? '';
    counts[family] = (counts[family] ?? 0) + 1;
  }
  return counts;
}
