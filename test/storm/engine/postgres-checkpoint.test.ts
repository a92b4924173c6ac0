import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KeyValue } from '../../../src/store/engine.js';
import { metaKey } from '../../../src/store/index/keys.js';
import { type PostgresServer, startPostgres, usePostgres } from '../../helpers/postgres.js';
import { useProxies } from '../../helpers/tcp-proxy.js';
import { contents } from '../../store/helpers.js';
import { logAt, newSchema } from '../../engines/postgres-logs.js';
import { increment } from '../../engines/engine-contract.js';
import { useEngines } from '../../engines/shared-log-suite.js';

usePostgres();
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
const { open } = useEngines();
const proxyTo = useProxies();

const MIB = 1024 * 1024;

/** Bytes of one requested page. */
const PAGE_BYTES = 4 * MIB;
/** A session that does nothing in a transaction for so long is ended elsewhere. */
const IDLE_MS = 2_000;

function sizeOf(pairs: readonly KeyValue[]): number {
  return pairs.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
}

async function* inOne(pairs: readonly KeyValue[]): AsyncGenerator<readonly KeyValue[]> {
  yield pairs;
}

describe('the checkpoint in PostgreSQL', () => {
  it('is written and read over a link on which a few megabytes take longer than a dead connection is waited for', async () => {
    const schema = newSchema();
    const writer = await open(logAt([server.port], schema));
    // Little in the log, for it is deflated there.
    await writer.commit((tx) => {
      for (let i = 0; i < 120; i += 1) tx.put(metaKey(`migration/${i}`), Buffer.alloc(64 * 1024, i));
    });
    const proxy = await proxyTo(server.port);
    proxy.bytesPerSecond = MIB;
    await (await open(logAt([proxy.port], schema))).foldLog();
    const log = await logAt([server.port], schema)();
    expect((await log.checkpointAt()).seq).toBe(1);
    await log.close();
    const made = await open(logAt([proxy.port], schema));
    expect(await contents(made)).toEqual(await contents(writer));
  });

  it('is read in pages of few bytes, also by a reader with other work between them', async () => {
    const log = await logAt([server.port], newSchema())();
    const lengths = [
      ...Array.from({ length: 30 }, () => MIB),
      6 * MIB,
      ...Array.from({ length: 12_000 }, (_, i) => i % 100),
      2 * MIB,
      0,
    ];
    const pairs = lengths.map((length, i) => {
      const key = Buffer.from([3, 0, 0, 0, 0]);
      key.writeUInt32BE(i, 1);
      return { key, value: randomBytes(length) };
    });
    await log.load(inOne(pairs), false);
    const { pairs: pages } = await log.checkpoint();
    const read: KeyValue[] = [];
    for await (const page of pages) {
      expect(sizeOf(page.slice(0, -1))).toBeLessThan(PAGE_BYTES);
      if (read.length === 0) await sleep(IDLE_MS + 500);
      read.push(...page);
    }
    await log.close();
    expect(read.length).toBe(pairs.length);
    const isSame = read.every(({ key, value }, i) => {
      const pair = pairs[i];
      return pair?.key.equals(key) === true && pair.value.equals(value);
    });
    expect(isSame).toBe(true);
  });

  it('lets go records that have become old, also when none came after them', async () => {
    const schema = newSchema();
    const engine = await open(logAt([server.port], schema));
    for (let i = 0; i < 3; i += 1) await increment(engine);
    await engine.foldLog();
    const admin = await server.client();
    const records = async (): Promise<unknown> =>
      (await admin.query<{ seq: string }>(`SELECT seq FROM ${schema}.commits ORDER BY seq`)).rows;
    expect(await records()).toHaveLength(4);
    await admin.query(`UPDATE ${schema}.commits SET at = at - interval '1 hour'`);
    await engine.foldLog();
    expect(await records()).toEqual([{ seq: '3' }]);
    await admin.end();
  });
});
