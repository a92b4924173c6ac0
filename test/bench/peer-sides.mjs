import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { PLUGIN, recordJson } from '../../dist/cli/bench/workload.js';
import { cpuMicros } from './cpu.mjs';
import { startDaemon, startProcess } from './daemon.mjs';
import { startPostgres } from './pg-server.mjs';
import { bytesIn } from './timing.mjs';

const ALL_CORES = { core: undefined };
const fileOf = (name) => new URL(name, import.meta.url).pathname;

const SCHEMA = `
  CREATE TABLE records (
    name text PRIMARY KEY, labels jsonb NOT NULL, title text, owner text, priority int, due timestamptz,
    object jsonb NOT NULL
  );
  CREATE INDEX ON records (title, name);
  CREATE INDEX ON records (owner, name);
  CREATE INDEX ON records (priority, name);
  CREATE INDEX ON records (due, name);
  CREATE INDEX ON records USING gin (labels jsonb_path_ops);
`;
const NOTIFY = `
  CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('records', json_build_object('type', TG_OP, 'object', NEW.object)::text);
    RETURN NULL;
  END $$;
  CREATE TRIGGER tell AFTER INSERT OR UPDATE ON records FOR EACH ROW EXECUTE FUNCTION tell();
`;

/** A server that is measured; it can be started again on what it stored. */
class Side {
  #process;

  /** @param start starts its process @param pids of other processes that work for it */
  constructor(start, { pids = [], bytesPerObject } = {}) {
    this.start = start;
    this.pids = pids;
    this.bytesPerObject = bytesPerObject;
  }

  static async open(start, more) {
    const side = new Side(start, more);
    await side.restart();
    return side;
  }

  get url() {
    return this.#process.url;
  }

  get rssBytes() {
    return this.#process.rssBytes();
  }

  get ownBytes() {
    return this.#process.ownBytes();
  }

  /** Microseconds of processor time of all its processes. */
  get cpu() {
    return this.cpuSinceStart + cpuMicros(...this.pids);
  }

  /** Of the process that `restart` starts. */
  get cpuSinceStart() {
    return cpuMicros(this.#process.pid);
  }

  /** @returns milliseconds from the start to the first line of output */
  async restart() {
    await this.#process?.stop();
    this.#process = await this.start();
    return this.#process.readyMs;
  }

  stop() {
    return this.#process.stop();
  }
}

/** The service and the thin server on PostgreSQL, with the same objects in them. */
export async function openSides(directory, objects) {
  const texts = Array.from({ length: objects }, (_, n) => recordJson(n));
  const dataDir = path.join(directory, 'data');
  const [bytesPerObject, imported] = await timed(() => importAll(dataDir, directory, texts));
  // It clears away what updates leave, as a server that is used does.
  const postgres = await startPostgres(directory, { autovacuum: 'on' });
  const [bytesOfTheirs, inserted] = await timed(() => insertAll(postgres.client, texts));
  const xsvc = await Side.open(() => startDaemon(dataDir, { plugins: PLUGIN, ...ALL_CORES }), {
    bytesPerObject,
  });
  const theirs = await Side.open(
    () => startProcess([fileOf('peer-server.mjs'), path.join(directory, 'postgres')], ALL_CORES),
    { pids: [postgres.pid], bytesPerObject: bytesOfTheirs },
  );
  return {
    sides: { xsvc, PostgreSQL: theirs },
    loaded:
      `PostgreSQL ${postgres.version}; loaded: import ${imported.toFixed(1)} s, ` +
      `PostgreSQL in parts of 1,000 ${inserted.toFixed(1)} s`,
    async stop() {
      await xsvc.stop();
      await theirs.stop();
      await postgres.stop();
    },
  };
}

/** A plain node:http server with the bytes that another one answers. */
export async function openPlain(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}`);
  const bytes = Buffer.from(await answer.arrayBuffer()).toString('base64');
  return Side.open(() => startProcess([fileOf('plain-server.mjs'), bytes], ALL_CORES));
}

async function timed(task) {
  const began = performance.now();
  return [await task(), (performance.now() - began) / 1000];
}

/** @returns bytes per object, of all files */
function importAll(dataDir, directory, texts) {
  const file = path.join(directory, 'records.ndjson');
  writeFileSync(file, texts.map((text) => `${text}\n`).join(''));
  const args = ['import', '-f', file, '--data-dir', dataDir, '--plugins', PLUGIN];
  execFileSync(process.execPath, [fileOf('../../bin/xsvc.js'), ...args]);
  return bytesIn(dataDir) / texts.length;
}

/** @returns bytes per object, of the table and its indexes, without the log */
async function insertAll(client, texts) {
  await client.query(SCHEMA);
  for (let from = 0; from < texts.length; from += 1_000) {
    await client.query(
      `INSERT INTO records SELECT o->'metadata'->>'name', o->'metadata'->'labels', o->'spec'->>'title',
         o->'spec'->>'owner', (o->'spec'->>'priority')::int, (o->'spec'->>'due')::timestamptz,
         jsonb_set(o, '{metadata,version}', '0')
       FROM unnest($1::jsonb[]) AS o`,
      [texts.slice(from, from + 1_000)],
    );
  }
  await client.query('VACUUM ANALYZE records');
  await client.query(NOTIFY);
  const { rows } = await client.query("SELECT pg_total_relation_size('records') AS bytes");
  return Number(rows[0].bytes) / texts.length;
}
