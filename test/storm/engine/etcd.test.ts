import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.js';
import { metaKey } from '../../../src/store/index/keys.js';
import { type EtcdCluster, HAS_ETCD, startEtcd, useEtcd } from '../../helpers/etcd.js';
import { temporaryDirectory } from '../../helpers/store.js';
import { type TcpProxy, useProxies } from '../../helpers/tcp-proxy.js';
import { contents } from '../../store/helpers.js';
import { brokenNetworkSuite } from '../../engines/broken-network-suite.js';
import { etcdLogAt } from '../../engines/etcd-log.js';
import { increment, KEY, numberIn } from '../../engines/engine-contract.js';
import { sharedLogSuite, useEngines } from '../../engines/shared-log-suite.js';

useEtcd();

let prefixes = 0;
/** Each store has a unique prefix. */
function newPrefix(): string {
  prefixes += 1;
  return `stores/${prefixes}`;
}

/** Longer than anything here keeps a member away. */
const PATIENT_MS = 300_000;

const { open, close } = useEngines();
const proxyTo = useProxies();

describe.skipIf(!HAS_ETCD)('etcd', () => {
  let one: EtcdCluster;
  beforeAll(async () => {
    one = await startEtcd();
  });

  sharedLogSuite('in etcd', () => Promise.resolve(etcdLogAt(one.url(newPrefix()))));

  describe('the checkpoint in etcd', () => {
    it('has values and records that are longer than a request, and forgets their parts', async () => {
      const prefix = newPrefix();
      const log = etcdLogAt(one.url(prefix), { retainMs: 0 });
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

    it('lets go records that have become old, also when none came after them', async () => {
      const prefix = newPrefix();
      const engine = await open(etcdLogAt(one.url(prefix), { retainMs: 500 }));
      for (let i = 0; i < 3; i += 1) await increment(engine);
      await engine.foldLog();
      expect(await keysUnder(one, prefix)).toEqual({ checkpoint: 1, kv: 1, log: 4 });
      await expect
        .poll(() => engine.foldLog().then(() => keysUnder(one, prefix)))
        .toEqual({ checkpoint: 1, kv: 1, log: 1 });
    });

    it('is whole for a daemon that begins while a fold was given up in its middle', async () => {
      const prefix = newPrefix();
      const proxy = await proxyTo(one.first.port);
      const cut = await open(etcdLogAt(one.url(prefix, [proxy.port]), { timeoutMs: 10_000 }));
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
      const other = await open(etcdLogAt(one.url(prefix)));
      expect(numberIn(await other.get(metaKey('migration/899')))).toBeNaN();
      expect((await other.get(metaKey('migration/899')))?.toString()).toBe('2 899');
      await other.commit((tx) => tx.remove(metaKey('migration/5')));
      await other.foldLog();
      const anew = await open(etcdLogAt(one.url(prefix)));
      expect(await contents(anew)).toEqual(await contents(other));
    });

    it('is taken by a daemon whose place is older than the log', async () => {
      const directory = temporaryDirectory();
      const log = etcdLogAt(one.url(newPrefix()), { retainMs: 0 });
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

  brokenNetworkSuite({
    name: 'etcd',
    port: () => one.first.port,
    newStore() {
      const prefix = newPrefix();
      return (port, timeoutMs) =>
        etcdLogAt(one.url(prefix, [port]), timeoutMs === undefined ? {} : { timeoutMs });
    },
    isAppend: (bytes) => bytes.includes('compare'),
  });

  describe('commits to etcd', () => {
    it('go soon to the member that answers, past two that say nothing', async () => {
      const members: TcpProxy[] = [];
      for (let i = 0; i < 3; i += 1) members.push(await proxyTo(one.first.port));
      const ports = members.map(({ port }) => port);
      const engine = await open(etcdLogAt(one.url(newPrefix(), ports), { timeoutMs: PATIENT_MS }));
      expect(await increment(engine)).toBe(1);
      const askedMs: (number | undefined)[] = [];
      for (const [index, member] of members.entries()) {
        member.onSent = () => {
          askedMs[index] ??= performance.now();
          return 'pass';
        };
        member.blackHole = index < 2;
      }
      expect(await increment(engine)).toBe(2);
      const [first = NaN, second = NaN, third = NaN] = askedMs;
      // The first is waited for in patience, each of the next a third of that.
      expect(third - second).toBeLessThan((second - first) * 0.67);
    });

    it('keep nobody out for long when a daemon stands still in its turn', async () => {
      const prefix = newPrefix();
      const log = etcdLogAt(one.url(prefix), { timeoutMs: PATIENT_MS });
      const [still, waiting] = [await log(), await log()];
      const at = await still.checkpointAt();
      let [begin, goOn] = [(): void => undefined, (): void => undefined];
      const begun = new Promise<void>((resolve) => (begin = resolve));
      const stopped = new Promise<void>((resolve) => (goOn = resolve));
      const late = still.appendExclusively(at, async () => {
        begin();
        await stopped;
        return { after: at, record: { id: 'late', writes: Buffer.alloc(0) } };
      });
      await begun;
      expect(await keysUnder(one, prefix)).toMatchObject({ turn: 1 });
      const record = { id: 'in-time', writes: Buffer.alloc(0) };
      expect(await waiting.appendExclusively(at, () => Promise.resolve({ after: at, record }))).toBe(
        'appended',
      );
      // The turn was taken from the one that stands still: who only loses patience leaves it there.
      expect(await keysUnder(one, prefix)).not.toHaveProperty('turn');
      goOn();
      expect(await late).toBe('moved');
      for (const opened of [still, waiting]) await opened.close();
    });
  });

  describe('opening a store in etcd', () => {
    it('ends in words when nothing answers', async () => {
      const opening = etcdLogAt('etcd://127.0.0.1:1/xsvc', { timeoutMs: 500 })();
      await expect(opening).rejects.toMatchObject({ code: 'ServiceUnavailable' });
      await expect(opening).rejects.toThrow('cannot reach etcd: 127.0.0.1:1');
    });

    it('refuses a store of another layout, and leaves it alone', async () => {
      const prefix = newPrefix();
      const key = Buffer.from(`${prefix}/head`).toString('base64');
      await one.first.ask('kv/put', { key, value: Buffer.from('99 x 1 y').toString('base64') });
      await expect(etcdLogAt(one.url(prefix))()).rejects.toThrow('layout 99');
    });

    it('makes one store when several come at the same time', async () => {
      const log = etcdLogAt(one.url(newPrefix()));
      const logs = await Promise.all([log(), log(), log(), log()]);
      expect(new Set(logs.map(({ storeId }) => storeId)).size).toBe(1);
      for (const opened of logs) await opened.close();
    });
  });
});

/** The number of keys of each family in a store. */
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
