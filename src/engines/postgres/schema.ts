import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { unavailable } from '../../errors.js';

/** Version of the tables below. Tables of another version are not changed. */
const LAYOUT = 1;

/** Statements on the tables of one store, in a separate schema. */
export interface Sql {
  readonly append: string;
  readonly tail: string;
  readonly recordAt: string;
  readonly lockHead: string;
  readonly checkpointAt: string;
  readonly pairsAfter: string;
  readonly moveCheckpoint: string;
  readonly putPairs: string;
  readonly removeKeys: string;
  readonly trim: string;
  readonly isEmpty: string;
  readonly clear: string;
  readonly restart: string;
}

/** The channel for notifications of appends. Their payload is the id of the record: a hint, never data. */
export const CHANNEL = 'xsvc';

export function sqlFor(schema: string, notify: boolean): Sql {
  const notifyColumn = notify ? `, pg_notify('${CHANNEL}', id::text)` : '';
  return {
    append: `WITH h AS (UPDATE ${schema}.head SET seq = seq + 1, id = $3 WHERE one = 1 AND seq = $1 AND id = $2 RETURNING seq),
      c AS (INSERT INTO ${schema}.commits (seq, id, writes) SELECT seq, $3, $4 FROM h RETURNING seq, id)
      SELECT seq${notifyColumn} FROM c`,
    tail: `SELECT seq, id, CASE WHEN seq > $1 THEN writes END AS writes, last FROM (
        SELECT c.seq, c.id, c.writes, h.seq AS last,
          sum(CASE WHEN c.seq > $1 THEN octet_length(c.writes) ELSE 0 END) OVER (ORDER BY c.seq)
            - octet_length(c.writes) AS before
        FROM ${schema}.commits c, ${schema}.head h WHERE c.seq >= $1 ORDER BY c.seq LIMIT 65) AS following
      WHERE before < $2 ORDER BY seq`,
    // It writes, because a commit waits until the standbys have everything before it: a server that crashed returns
    // more than they have.
    recordAt: `WITH h AS (UPDATE ${schema}.head SET one = one WHERE one = 1 RETURNING one)
      SELECT id FROM ${schema}.commits, h WHERE seq = $1`,
    lockHead: `SELECT 1 FROM ${schema}.head WHERE one = 1 FOR UPDATE`,
    checkpointAt: `SELECT seq, id FROM ${schema}.checkpoint WHERE one = 1`,
    pairsAfter: `SELECT key, value FROM (
        SELECT key, value, sum(octet_length(key) + octet_length(value)) OVER (ORDER BY key ROWS UNBOUNDED PRECEDING)
            - octet_length(key) - octet_length(value) AS before
        FROM ${schema}.kv WHERE key > $1 ORDER BY key LIMIT 5000) AS following
      WHERE before < $2 ORDER BY key`,
    moveCheckpoint: `UPDATE ${schema}.checkpoint SET seq = $3, id = $4 WHERE one = 1 AND seq = $1 AND id = $2 RETURNING seq`,
    putPairs: `INSERT INTO ${schema}.kv SELECT * FROM unnest($1::bytea[], $2::bytea[])
      ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    removeKeys: `DELETE FROM ${schema}.kv WHERE key = ANY($1::bytea[])`,
    isEmpty: `SELECT NOT EXISTS (SELECT FROM ${schema}.kv) AND seq = 0 AS empty FROM ${schema}.head WHERE one = 1 FOR UPDATE`,
    clear: `TRUNCATE ${schema}.kv, ${schema}.commits`,
    restart: `WITH c AS (INSERT INTO ${schema}.commits (seq, id, writes) VALUES (1, $2, '')),
      p AS (UPDATE ${schema}.checkpoint SET seq = 1, id = $2)
      UPDATE ${schema}.head SET store = $1, seq = 1, id = $2`,
    // The position of the checkpoint remains, because reads continue from there.
    trim: `DELETE FROM ${schema}.commits WHERE seq < $1 AND at < now() - $2 * interval '1 millisecond'`,
  };
}

/**
 * Creates the tables if they do not exist, and returns the store's id. Concurrent processes wait for each other.
 * @throws ServiceError `ServiceUnavailable` when the tables have another version
 */
export async function prepareTables(client: pg.Client, schema: string): Promise<string> {
  const found = await findStore(client, schema);
  if (found !== undefined) return found;
  await client.query('BEGIN');
  try {
    await client.query("SELECT pg_advisory_xact_lock(hashtext('xsvc ' || $1))", [schema]);
    const made = (await findStore(client, schema)) ?? (await makeTables(client, schema));
    await client.query('COMMIT');
    return made;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function findStore(client: pg.Client, schema: string): Promise<string | undefined> {
  // Not `to_regclass`, which may answer from before the wait for the lock.
  const { rowCount } = await client.query(
    'SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2',
    [schema, 'head'],
  );
  if (rowCount === 0) return undefined;
  const head = await client.query<{ store: string; layout: number }>(
    `SELECT store, layout FROM ${schema}.head WHERE one = 1`,
  );
  const { store, layout } = head.rows[0] ?? {};
  if (layout === LAYOUT && store !== undefined) return store;
  throw unavailable(
    `the schema ${schema} contains a store of layout ${layout ?? 'unknown'}, this version supports layout ${LAYOUT}; ` +
      'use the version that created it, or another schema (?schema=NAME)',
  );
}

async function makeTables(client: pg.Client, schema: string): Promise<string> {
  const [store, first] = [randomUUID(), randomUUID()];
  await client.query(`
    CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE ${schema}.head (one int PRIMARY KEY CHECK (one = 1), store uuid NOT NULL, layout int NOT NULL,
      seq bigint NOT NULL, id uuid NOT NULL) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 1000);
    CREATE TABLE ${schema}.commits (seq bigint PRIMARY KEY, id uuid NOT NULL,
      at timestamptz NOT NULL DEFAULT now(), writes bytea NOT NULL);
    ALTER TABLE ${schema}.commits ALTER COLUMN writes SET STORAGE EXTERNAL;
    CREATE TABLE ${schema}.checkpoint (one int PRIMARY KEY CHECK (one = 1), seq bigint NOT NULL, id uuid NOT NULL);
    CREATE TABLE ${schema}.kv (key bytea PRIMARY KEY, value bytea NOT NULL);
    INSERT INTO ${schema}.head VALUES (1, '${store}', ${LAYOUT}, 0, '${first}');
    INSERT INTO ${schema}.commits VALUES (0, '${first}', now(), '');
    INSERT INTO ${schema}.checkpoint VALUES (1, 0, '${first}')`);
  return store;
}
