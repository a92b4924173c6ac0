import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ServiceError } from '../../../src/errors.js';
import type { Engine } from '../../../src/store/engine.js';
import { parsePostgresAddress } from '../../../src/engines/postgres/address.js';
import { openPostgresLog } from '../../../src/engines/postgres/log.js';
import {
  type PostgresServer,
  startPostgres,
  startPostgresPair,
  usePostgres,
} from '../../helpers/postgres.js';
import { temporaryDirectory } from '../../helpers/store.js';
import { brokenNetworkSuite } from '../../engines/broken-network-suite.js';
import { logAt, newSchema } from '../../engines/postgres-logs.js';
import { increment, KEY, numberIn } from '../../engines/engine-contract.js';
import { sharedLogSuite, useEngines } from '../../engines/shared-log-suite.js';
import { expectExact, startStorm, type Storm } from '../../engines/storm.js';

usePostgres();
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});

sharedLogSuite('in PostgreSQL', () => Promise.resolve(logAt([server.port], newSchema())));
sharedLogSuite('in PostgreSQL that tells of nothing', () =>
  Promise.resolve(logAt([server.port], newSchema(), { query: '&notify=off' })),
);

const { open, close } = useEngines();

brokenNetworkSuite({
  name: 'PostgreSQL',
  port: () => server.port,
  newStore() {
    const schema = newSchema();
    return (port, timeoutMs) => logAt([port], schema, timeoutMs === undefined ? {} : { timeoutMs });
  },
  isAppend: (bytes) => bytes.includes('UPDATE'),
});

describe('commits to PostgreSQL', () => {
  it('are settled when the server ends their sessions again and again', async () => {
    const schema = newSchema();
    const engines = [await open(logAt([server.port], schema)), await open(logAt([server.port], schema))];
    const admin = await server.client();
    const running = startStorm(engines, 16);
    for (let round = 0; round < 40; round += 1) {
      await running.answers(1);
      await sleep(Math.random() * 100);
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'xsvc'",
      );
    }
    const reported = await running.end();
    await admin.end();
    for (const engine of engines) await expectExact(engine, reported);
  });
});

/** Longer than a fail-over takes on any machine. */
const PATIENT_MS = 300_000;
/** Number of times that a primary is killed; set higher by hand. */
const ROUNDS = Number(process.env['FAILOVER_ROUNDS'] ?? 1);

describe('a cluster with a standby', () => {
  /** Two daemons write; their primary is killed, and its standby is promoted half a second later. */
  async function killedPrimary(): Promise<{ reported: Storm; engines: readonly Engine[] }> {
    const { primary, standby } = await startPostgresPair(true);
    const warnings: string[] = [];
    const log = logAt([primary.port, standby.port], 'xsvc', { warnings, timeoutMs: PATIENT_MS });
    const engines = [await open(log), await open(log)];
    expect(warnings.filter((text) => text.includes('standby'))).toEqual([]);
    const running = startStorm(engines, 32);
    await running.answers(100);
    await primary.kill();
    await sleep(500);
    await standby.promote();
    await running.answers(100);
    return { reported: await running.end(), engines };
  }

  it(
    'loses, repeats and miscounts nothing when the primary is killed in a storm of writes',
    { timeout: ROUNDS * 900_000 },
    async () => {
      const sum = { answered: 0, refused: 0, unsure: 0, longestGapMs: 0 };
      for (let round = 0; round < ROUNDS; round += 1) {
        const { reported, engines } = await killedPrimary();
        expect({ refused: reported.refused.length, reason: reported.reason }).toEqual({
          refused: 0,
          reason: '',
        });
        for (const engine of engines) {
          await expectExact(engine, reported);
          await close(engine);
        }
        sum.answered += reported.answered.length;
        sum.unsure += reported.unsure.length;
        sum.longestGapMs = Math.max(sum.longestGapMs, reported.longestGapMs);
      }
      console.log(`${ROUNDS} rounds: ${JSON.stringify(sum)}`);
    },
  );

  it('answers for a commit that is found after a crash only when the standby has it', async () => {
    const { primary, standby } = await startPostgresPair(true);
    const engine = await open(logAt([primary.port], 'xsvc', { timeoutMs: PATIENT_MS }));
    await increment(engine);
    await standby.stop();
    let isAnswered = false;
    const late = increment(engine).finally(() => (isAnswered = true));
    // The server that is asked may just be starting again.
    const ask = async (statement: string): Promise<unknown> => {
      const client = await primary.client().catch(() => undefined);
      const asked = await client?.query<{ answer: unknown }>(statement).catch(() => undefined);
      await client?.end().catch(() => undefined);
      return asked?.rows[0]?.answer;
    };
    const askWaiting = (): Promise<unknown> =>
      ask(
        "SELECT pid AS answer FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'xsvc'",
      );
    let waiting: unknown;
    await expect.poll(async () => (waiting = await askWaiting())).toBeDefined();
    // The server starts again, with the commit.
    process.kill(Number(waiting), 'SIGKILL');
    await expect.poll(() => ask('SELECT seq AS answer FROM xsvc.head')).toBe('2');
    // The engine has found its commit, and waits for the standby again.
    await expect.poll(askWaiting).toBeDefined();
    expect(isAnswered).toBe(false);
    await standby.start();
    expect(await late).toBe(2);
  });

  it('is found out when its standby had not everything: the daemon ends, and older revisions expire', async () => {
    const { primary, standby } = await startPostgresPair(false);
    const directory = temporaryDirectory();
    let broken: ServiceError | undefined;
    const ports = [primary.port, standby.port];
    const a = await open(logAt(ports, 'xsvc'), { directory, onBroken: (error) => (broken = error) });
    await increment(a);
    await expect
      .poll(async () => {
        const client = await standby.client();
        const { rows } = await client
          .query<{ seq: string }>('SELECT seq FROM xsvc.head')
          .catch(() => ({ rows: [] }));
        await client.end();
        return rows[0]?.seq;
      })
      .toBe('1');
    const admin = await standby.client();
    await admin.query('SELECT pg_wal_replay_pause()');
    await admin.end();
    // The standby has the log of these, and is promoted without them: its files are laid back.
    await standby.stop();
    for (let i = 0; i < 5; i += 1) await increment(a);
    await primary.kill();
    await standby.start();
    await standby.promote();
    await expect
      .poll(() => increment(a).catch((error: unknown) => (error as Error).message))
      .toContain('lost acknowledged commits');
    expect(broken?.code).toBe('ServiceUnavailable');
    await close(a);
    const again = await open(logAt(ports, 'xsvc'), { directory });
    expect(numberIn(await again.get(KEY))).toBeLessThan(6);
    expect(await increment(again)).toBeLessThanOrEqual(6);
  });
});

describe('opening a store in PostgreSQL', () => {
  it('ends in words when nothing answers', async () => {
    const opening = logAt([1], 'xsvc', { timeoutMs: 500 })();
    await expect(opening).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    await expect(opening).rejects.toThrow('127.0.0.1:1');
  });

  it('refuses tables of another layout, and leaves them alone', async () => {
    const schema = newSchema();
    await close(await open(logAt([server.port], schema)));
    const admin = await server.client();
    await admin.query(`UPDATE ${schema}.head SET layout = 99`);
    await admin.end();
    await expect(logAt([server.port], schema)()).rejects.toThrow('layout 99');
  });

  it('refuses a user without rights, with the error of PostgreSQL', async () => {
    const admin = await server.client();
    await admin.query("CREATE ROLE poor LOGIN PASSWORD 'a password of tests'");
    await admin.end();
    const address = parsePostgresAddress(
      `postgres://poor@127.0.0.1:${server.port}/postgres?schema=forbidden`,
    );
    const opening = openPostgresLog(address, { timeoutMs: PATIENT_MS, warn: () => undefined });
    await expect(opening).rejects.toThrow('permission denied');
  });

  it('refuses a wrong password at once', async () => {
    const address = parsePostgresAddress(`postgres://nobody@127.0.0.1:${server.port}/postgres`);
    const since = performance.now();
    const opening = openPostgresLog(address, { timeoutMs: PATIENT_MS, warn: () => undefined });
    await expect(opening).rejects.toThrow('password');
    expect(performance.now() - since).toBeLessThan(PATIENT_MS / 2);
  });

  it('refuses a server that may lose what it answered, unless that is meant', async () => {
    const admin = await server.client();
    await admin.query("ALTER ROLE postgres SET synchronous_commit = 'off'");
    try {
      await expect(logAt([server.port], newSchema())()).rejects.toThrow('synchronous_commit=off');
      await (await logAt([server.port], newSchema(), { query: '&unsafe=1' })()).close();
    } finally {
      await admin.query('ALTER ROLE postgres RESET synchronous_commit');
      await admin.end();
    }
  });

  it('makes the tables once when several come at the same time', async () => {
    const schema = newSchema();
    const logs = await Promise.all([1, 2, 3, 4].map(() => logAt([server.port], schema)()));
    expect(new Set(logs.map(({ storeId }) => storeId)).size).toBe(1);
    for (const log of logs) await log.close();
  });
});
