import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/store/engine.js';
import { type EtcdCluster, HAS_ETCD, makeRoom, startEtcd, useEtcd } from '../../helpers/etcd.js';
import { etcdLogAt } from '../../engines/etcd-log.js';
import { KEY } from '../../engines/engine-contract.js';
import { useEngines } from '../../engines/shared-log-suite.js';

useEtcd();
const { open } = useEngines();

const MIB = 1024 * 1024;
const QUOTA_MIB = 32;
const QUOTA_BYTES = QUOTA_MIB * MIB;
const VALUE_BYTES = 900_000;

function startSmall(): Promise<EtcdCluster> {
  return startEtcd(1, { flags: [`--quota-backend-bytes=${QUOTA_BYTES}`] });
}

/** Writes a value again and again, and has the log folded. */
async function write(engine: Engine, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    await engine.commit((tx) => tx.put(KEY, randomBytes(VALUE_BYTES)));
    if (i % 3 === 2) await engine.foldLog();
  }
}

describe.skipIf(!HAS_ETCD)('the space of etcd', () => {
  it('is warned of at three quarters; full, writes are refused in words, and go on when there is room', async () => {
    const cluster = await startSmall();
    const warnings: string[] = [];
    const url = `${cluster.url('full')}?compact=off`;
    const engine = await open(etcdLogAt(url, { warnings, retainMs: 0 }));
    const idle = await open(etcdLogAt(url));
    expect(engine.sharedLog()?.space?.quotaBytes).toBe(QUOTA_BYTES);
    await expect(write(engine, 100)).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    const [early, full] = warnings;
    expect(early).toMatch(
      /^the etcd database uses (2[4-9]|3[0-2]) MiB and rejects writes at its quota of 32 MiB/u,
    );
    expect(full).toContain('the etcd database is full');
    expect(full).toContain('etcdctl alarm disarm');
    expect(warnings).toHaveLength(2);
    expect(engine.sharedLog()?.space?.usedBytes).toBeGreaterThan(0.75 * QUOTA_BYTES);

    expect(engine.writeProblem()).toContain('the etcd database is full');
    await expect(write(idle, 1)).rejects.toThrow('the etcd database is full');
    const log = await etcdLogAt(url)();
    const isFolded = (await log.checkpointAt()).seq === engine.sharedLog()?.seq;
    await log.close();
    // It has nothing to write when the last thing that still had room was a fold.
    if (isFolded) await engine.foldLog();
    else await expect(engine.foldLog()).rejects.toThrow('the etcd database is full');
    for (const one of [engine, idle]) expect((await one.get(KEY))?.length).toBe(VALUE_BYTES);

    const begun = await open(etcdLogAt(url));
    expect((await begun.get(KEY))?.length).toBe(VALUE_BYTES);
    await expect(etcdLogAt(cluster.url('another'))()).rejects.toThrow('the etcd database is full');

    await makeRoom(cluster.first);
    for (const one of [engine, idle]) await expect.poll(() => one.writeProblem()).toBeUndefined();
    expect(warnings.at(-1)).toBe('the etcd database has free space again');
    await write(engine, 6);
    await write(idle, 1);
  });

  it('is enough for any number of writes while etcd is compacted', async () => {
    const cluster = await startSmall();
    const warnings: string[] = [];
    const engine = await open(etcdLogAt(cluster.url('busy'), { warnings, retainMs: 0 }));
    await write(engine, Math.ceil((4 * QUOTA_BYTES) / VALUE_BYTES));
    expect(warnings.filter((text) => text.includes('full'))).toEqual([]);
  });
});
