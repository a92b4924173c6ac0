import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/store/engine.js';
import { metaKey } from '../../../src/store/index/keys.js';
import type { SharedLog } from '../../../src/engines/replicated/shared-log.js';
import { HAS_PGBOUNCER, type Pooler, startPooler, usePoolers } from '../../helpers/pgbouncer.js';
import { IDENTITY, type PostgresServer, startPostgres, usePostgres } from '../../helpers/postgres.js';
import { mountSmallDisk, useSmallDisks } from '../../helpers/small-disk.js';
import { contents } from '../../store/helpers.js';
import { logAt, newSchema } from '../../engines/postgres-logs.js';
import { increment, KEY, numberIn } from '../../engines/engine-contract.js';
import { type OpenLog, sharedLogSuite, useEngines } from '../../engines/shared-log-suite.js';
import { expectExact, startStorm } from '../../engines/storm.js';

const MiB = 1024 * 1024;
/** Longer than anything here keeps a server away. */
const PATIENT_MS = 300_000;
/** A session that does nothing in a transaction for so long is ended by the server. */
const STILL_MS = 2_000;
/** Interval at which the log is read where the server sends no notifications. */
const LOOK_MS = 25;

// Hooks run from the last one to the first.
useSmallDisks();
usePostgres();
usePoolers();
const { open } = useEngines();

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});

/** A daemon stands still while it keeps the others out, and goes on when another one has written. */
async function expectOthersGoOn(log: OpenLog): Promise<void> {
  const [still, waiting] = [await log(), await log()];
  const at = await still.checkpointAt();
  let goOn = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (goOn = resolve));
  const writes = Buffer.alloc(0);
  let keepsOut = (): void => undefined;
  const keptOut = new Promise<void>((resolve) => (keepsOut = resolve));
  const late = still.appendExclusively(at, async () => {
    keepsOut();
    await stopped;
    return { after: at, record: { id: randomUUID(), writes } };
  });
  await keptOut;
  const since = performance.now();
  const record = { id: randomUUID(), writes };
  expect(await waiting.append(at, record)).toBe('appended');
  expect(performance.now() - since).toBeLessThan(10 * STILL_MS);
  goOn();
  expect(await late).toBe('moved');
  for (const opened of [still, waiting]) await opened.close();
}

describe('a daemon that stands still', () => {
  it('keeps the others out for a moment only, and what it appends late is refused', () =>
    expectOthersGoOn(logAt([server.port], newSchema(), { timeoutMs: PATIENT_MS })));
});

describe.skipIf(!HAS_PGBOUNCER)('PostgreSQL behind a pooler in transaction mode', () => {
  let pooler: Pooler;
  beforeAll(async () => {
    // Session settings of a client are lost with its next transaction.
    pooler = await startPooler(server, 4, 'server_reset_query_always = 1');
  });

  sharedLogSuite('in PostgreSQL behind a pooler', () => Promise.resolve(logAt([pooler.port], newSchema())));

  it('is looked at often, for it tells of nothing', async () => {
    const { port } = await startPooler(server, 1);
    const log = await logAt([port], newSchema())();
    let looks = 0;
    log.onAppend(() => (looks += 1));
    /** Number of pauses, each as long as the interval of the log, that this process makes during `count` looks. */
    const pausesDuring = async (count: number): Promise<number> => {
      const enough = looks + count;
      let pauses = 0;
      for (; looks < enough; pauses += 1) await sleep(LOOK_MS);
      return pauses;
    };
    const at = await log.checkpointAt();
    await log.append(at, { id: randomUUID(), writes: Buffer.alloc(0) });
    // Time in which a notification would arrive.
    await pausesDuring(20);
    // Where the server tells of appends it would be ten times as many.
    expect(await pausesDuring(40)).toBeLessThan(40 * 3);
    await log.close();
  });

  it('is kept from nobody for long by a daemon that stands still', () =>
    expectOthersGoOn(logAt([pooler.port], newSchema(), { timeoutMs: PATIENT_MS })));

  it('loses and repeats nothing when the pooler is killed again and again', async () => {
    const schema = newSchema();
    const log = logAt([pooler.port], schema, { timeoutMs: PATIENT_MS });
    const engines = [await open(log), await open(log)];
    const running = startStorm(engines, 16);
    for (let round = 0; round < 4; round += 1) {
      await running.answers(50);
      await pooler.kill();
      await pooler.start();
    }
    await running.answers(50);
    const reported = await running.end();
    expect({ refused: reported.refused.length, reason: reported.reason }).toEqual({ refused: 0, reason: '' });
    for (const engine of engines) await expectExact(engine, reported);
    // Past the pooler it is the same store.
    await expectExact(await open(logAt([server.port], schema)), reported);
  });
});

/** Both ways of appending are refused, also the one after the other. */
async function expectRefused(log: SharedLog): Promise<void> {
  let after = await log.checkpointAt();
  for (let isEnd = false; !isEnd;) {
    const tail = await log.tail(after, Number.MAX_SAFE_INTEGER);
    if (tail.kind !== 'records') throw new Error(`the log is ${tail.kind}`);
    after = tail.records.at(-1) ?? after;
    isEnd = tail.isEnd;
  }
  const record = { id: randomUUID(), writes: randomBytes(200_000) };
  const appends = [
    () => log.appendExclusively(after, () => Promise.resolve({ after, record })),
    () => log.append(after, record),
  ];
  for (const append of [...appends, ...appends])
    await expect(append()).rejects.toThrow('the disk of PostgreSQL is full');
  await log.close();
}

describe('PostgreSQL whose disk is full', () => {
  const put = (engine: Engine, i: number): Promise<void> =>
    engine.commit((tx) => tx.put(metaKey(`migration/${1_000 + i}`), randomBytes(200_000)));

  it('refuses writes in words, is not ready then, and goes on when there is room again', async (context) => {
    const disk = mountSmallDisk(24 * MiB, IDENTITY.uid);
    if (disk === undefined) return context.skip('a small file system can only be mounted by root');
    const admin = await server.client();
    await admin.query(`CREATE TABLESPACE small LOCATION '${disk.directory}'`);
    await admin.query('ALTER DATABASE postgres SET default_tablespace = small');
    const [schema, warnings] = [newSchema(), [] as string[]];
    const writer = await open(logAt([server.port], schema, { warnings }));
    const other = await open(logAt([server.port], schema));
    await admin.query('ALTER DATABASE postgres RESET default_tablespace');
    await admin.end();
    disk.fill(8 * MiB);
    let stored = 0;
    const filling = (async () => {
      for (;;) {
        await put(writer, stored);
        stored += 1;
      }
    })();
    await expect(filling).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    await expect(filling).rejects.toThrow(/the disk of PostgreSQL is full: .*No space left on device/);
    expect(stored).toBeGreaterThan(10);
    expect(writer.writeProblem()).toContain('the disk of PostgreSQL is full');
    expect(warnings.filter((text) => text.includes('is full'))).toHaveLength(1);
    await expectRefused(await logAt([server.port], schema)());
    // Reads go on.
    expect(await contents(other)).toEqual(await contents(writer));
    expect(await contents(other)).toHaveLength(stored);
    disk.empty();
    expect(await increment(other)).toBe(1);
    expect(numberIn(await writer.get(KEY))).toBe(1);
    expect(writer.writeProblem()).toBeUndefined();
    await put(other, stored);
    expect(await contents(writer)).toEqual(await contents(other));
  });

  it('loses nothing when it ends because its write-ahead log has no room', async (context) => {
    const disk = mountSmallDisk(24 * MiB, IDENTITY.uid);
    if (disk === undefined) return context.skip('a small file system can only be mounted by root');
    const small = await startPostgres({
      initdb: ['--waldir', disk.directory, '--wal-segsize=1'],
      // As when a standby is away that was promised the log.
      settings: { wal_keep_size: '1GB', min_wal_size: '2MB' },
    });
    const log = logAt([small.port], newSchema(), { timeoutMs: PATIENT_MS });
    const engines = [await open(log), await open(log)];
    const running = startStorm(engines, 16);
    await running.answers(50);
    const admin = await small.client();
    await admin.query('CREATE TABLE filler (text text)');
    const filling = (async () => {
      for (;;) {
        await admin.query('INSERT INTO filler SELECT md5(i::text) FROM generate_series(1, 5000) i');
        await sleep(50);
      }
    })();
    await expect(filling).rejects.toThrow();
    await expect.poll(() => small.isRunning).toBe(false);
    await expect.poll(() => engines[0]?.writeProblem()).toContain('cannot reach PostgreSQL');
    disk.resize(256 * MiB);
    await small.start();
    await running.answers(50);
    const reported = await running.end();
    expect({ refused: reported.refused.length, reason: reported.reason }).toEqual({ refused: 0, reason: '' });
    for (const engine of engines) await expectExact(engine, reported);
  });
});
