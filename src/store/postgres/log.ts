import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { conflict, unavailable } from '../../errors.js';
import type { KeyValue } from '../engine.js';
import type {
  AppendOutcome,
  Checkpoint,
  Decided,
  LogPosition,
  LogRecord,
  NetWrites,
  NewRecord,
  SharedLog,
  Tail,
} from '../replicated/shared-log.js';
import { Notices } from '../replicated/notices.js';
import { Lost, Reach } from '../replicated/reach.js';
import { formatPostgresAddress, type PostgresAddress } from './address.js';
import { byteaArray } from './bytea.js';
import { followNotifications } from './notices.js';
import { checkSafety } from './safety.js';
import { prepareTables, type Sql, sqlFor } from './schema.js';
import { asUnavailable, isInTheWay, Session } from './session.js';

export interface PostgresOptions {
  /** How long requests wait for the database before they are refused, in milliseconds. */
  readonly timeoutMs: number;
  /** Told what an operator should know. */
  readonly warn: (message: string) => void;
}

/** Waiting for the others' turns takes its time. */
const LOCK_MS = 15_000;

/**
 * Opens the log that a database holds; makes its tables where there are none.
 * @throws ServiceError `ServiceUnavailable` when the database cannot be reached in time, or is not to be trusted
 */
export async function openPostgresLog(
  address: PostgresAddress,
  options: PostgresOptions,
): Promise<SharedLog> {
  const until = performance.now() + options.timeoutMs;
  const first = new Session(address);
  try {
    const client = await first.client(until);
    await checkSafety(client, address, options.warn);
    return new PostgresLog(address, options, await prepareTables(client, address.schema));
  } catch (error) {
    throw asUnavailable(error);
  } finally {
    await first.close();
  }
}

interface TailRow extends pg.QueryResultRow {
  readonly seq: string;
  readonly id: string;
  readonly writes: Buffer | null;
  readonly last: string;
}

interface PlaceRow extends pg.QueryResultRow {
  readonly seq: string;
  readonly id: string;
}

class PostgresLog implements SharedLog {
  readonly #sql: Sql;
  readonly #writer: Session;
  readonly #reader: Session;
  readonly #listener: Session;
  readonly #notices: Notices;
  readonly #reach: Reach;

  constructor(
    private readonly address: PostgresAddress,
    private readonly options: PostgresOptions,
    readonly storeId: string,
  ) {
    this.#sql = sqlFor(address.schema, address.notify);
    this.#writer = this.#session();
    this.#reader = this.#session();
    this.#listener = this.#session();
    this.#notices = new Notices(address.notify ? followNotifications(this.#listener) : undefined);
    this.#reach = new Reach({ name: 'PostgreSQL', ...options, told: asUnavailable, isInTheWay });
  }

  append(after: LogPosition, record: NewRecord): Promise<'appended' | 'moved'> {
    let wasSent = false;
    return this.#reach.persist(
      async (until) => {
        const client = await this.#writer.client(until);
        const isSentAgain = wasSent;
        wasSent = true;
        if (await this.#insert(client, after, record)) return 'appended';
        // The head has moved: perhaps by this very record, when it was sent before.
        return isSentAgain && (await this.#isStored(client, after, record)) ? 'appended' : 'moved';
      },
      () => wasSent,
    );
  }

  appendExclusively(after: LogPosition, decide: (missing: Tail) => Promise<Decided>): Promise<AppendOutcome> {
    let sent: Decided;
    return this.#reach.persist<AppendOutcome>(
      async (until) => {
        const client = await this.#writer.client(until);
        await this.#lock(client);
        // The lock is free: whatever became of the attempt before is settled.
        if (sent !== undefined) {
          const isStored = await this.#isStored(client, sent.after, sent.record);
          await this.#writer.query(client, { text: 'ROLLBACK' });
          return isStored ? 'appended' : 'moved';
        }
        let decided: Decided;
        try {
          decided = await decide(await this.#tailOn(this.#writer, client, after, Number.MAX_SAFE_INTEGER));
        } catch (error) {
          await this.#writer.query(client, { text: 'ROLLBACK' });
          throw error;
        }
        if (decided === undefined) {
          await this.#writer.query(client, { text: 'ROLLBACK' });
          return 'nothing';
        }
        sent = decided;
        const isDone = await this.#insert(client, decided.after, decided.record);
        await this.#writer.query(client, { text: 'COMMIT' });
        return isDone ? 'appended' : 'moved';
      },
      () => sent !== undefined,
    );
  }

  tail(after: LogPosition, bytesMax: number): Promise<Tail> {
    return this.#reach.persist(async (until) =>
      this.#tailOn(this.#reader, await this.#reader.client(until), after, bytesMax),
    );
  }

  onAppend(listener: () => void): () => void {
    return this.#notices.listen(listener);
  }

  async checkpoint(): Promise<Checkpoint> {
    // A session of its own, whose one transaction sees one moment.
    const session = this.#session();
    const client = await session.client(performance.now() + this.options.timeoutMs);
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const { rows } = await client.query<PlaceRow>(this.#sql.checkpointAt);
      return { at: placeOf(rows[0]), pairs: this.#pairs(session, client) };
    } catch (error) {
      await session.close();
      throw asUnavailable(error);
    }
  }

  async *#pairs(session: Session, client: pg.Client): Checkpoint['pairs'] & AsyncGenerator {
    try {
      let next = this.#pairsAfter(client, Buffer.alloc(0));
      for (;;) {
        const pairs = await next;
        const last = pairs.at(-1);
        if (last === undefined) return;
        next = this.#pairsAfter(client, last.key);
        next.catch(() => undefined);
        yield pairs;
      }
    } finally {
      await session.close();
    }
  }

  async #pairsAfter(client: pg.Client, key: Buffer): Promise<{ key: Buffer; value: Buffer }[]> {
    const { rows } = await client.query<{ key: Buffer; value: Buffer }>(this.#sql.pairsAfter, [key]);
    return rows;
  }

  checkpointAt(): Promise<LogPosition> {
    return this.#reach.persist(async (until) => {
      const client = await this.#reader.client(until);
      return placeOf((await this.#reader.query<PlaceRow>(client, { text: this.#sql.checkpointAt }))[0]);
    });
  }

  async fold(from: LogPosition, to: LogPosition, net: NetWrites): Promise<boolean> {
    const session = this.#session();
    try {
      const client = await session.client(performance.now() + this.options.timeoutMs);
      await client.query('BEGIN');
      const moved = await client.query(this.#sql.moveCheckpoint, [from.seq, from.id, to.seq, to.id]);
      if (moved.rowCount === 0) return false;
      const puts = [...net].flatMap(([key, value]) =>
        value === undefined ? [] : [{ key: bytesOf(key), value }],
      );
      const removed = [...net].flatMap(([key, value]) => (value === undefined ? [bytesOf(key)] : []));
      await this.#put(client, puts);
      await client.query(this.#sql.removeKeys, [byteaArray(removed)]);
      await client.query(this.#sql.trim, [to.seq, this.address.retainMs]);
      await client.query('COMMIT');
      return true;
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      // Ends the transaction where it was not committed.
      await session.close();
    }
  }

  async load(pairs: AsyncIterable<readonly KeyValue[]>, replaced: boolean): Promise<void> {
    const session = this.#session();
    try {
      const client = await session.client(performance.now() + this.options.timeoutMs);
      await client.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = '60s'");
      const { rows } = await client.query<{ empty: boolean }>(this.#sql.isEmpty);
      const isEmpty = rows[0]?.empty === true;
      if (!isEmpty && !replaced)
        throw conflict(`there is a store in ${formatPostgresAddress(this.address)}; --force replaces it`);
      await client.query(this.#sql.clear);
      for await (const part of pairs) await this.#put(client, part);
      await client.query(this.#sql.restart, [isEmpty ? this.storeId : randomUUID(), randomUUID()]);
      await client.query('COMMIT');
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      await session.close();
    }
  }

  async #put(client: pg.Client, pairs: readonly KeyValue[]): Promise<void> {
    await client.query(this.#sql.putPairs, [
      byteaArray(pairs.map(({ key }) => key)),
      byteaArray(pairs.map(({ value }) => value)),
    ]);
  }

  problem(): string | undefined {
    return this.#reach.problem();
  }

  async close(): Promise<void> {
    await Promise.all([this.#notices.close(), this.#listener.close()]);
    await Promise.all([this.#writer.close(), this.#reader.close()]);
  }

  #session(): Session {
    return new Session(this.address, {
      onConnect: (client) => this.#checkStore(client),
      onAway: (message) => this.#reach.isAway(message),
    });
  }

  async #insert(client: pg.Client, after: LogPosition, { id, writes }: NewRecord): Promise<boolean> {
    const values = [after.seq, after.id, id, writes];
    const rows = await this.#writer.query(client, { text: this.#sql.append, values });
    return rows.length > 0;
  }

  async #isStored(client: pg.Client, after: LogPosition, { id }: NewRecord): Promise<boolean> {
    const statement = { text: this.#sql.recordAt, values: [after.seq + 1] };
    const [row] = await this.#writer.query<{ id: string }>(client, statement);
    return row?.id === id;
  }

  async #lock(client: pg.Client): Promise<void> {
    await this.#writer.query(client, { text: 'BEGIN' });
    try {
      await this.#writer.query(client, { text: this.#sql.lockHead, query_timeout: LOCK_MS });
    } catch (error) {
      if (!(error instanceof Lost)) await this.#writer.query(client, { text: 'ROLLBACK' });
      throw error;
    }
  }

  async #tailOn(session: Session, client: pg.Client, after: LogPosition, bytesMax: number): Promise<Tail> {
    const statement = { text: this.#sql.tail, values: [after.seq, bytesMax] };
    const rows = await session.query<TailRow>(client, statement);
    const [first, ...rest] = rows;
    if (first === undefined || (Number(first.seq) === after.seq && first.id !== after.id))
      return { kind: 'diverged' };
    if (Number(first.seq) !== after.seq) return { kind: 'trimmed' };
    return { kind: 'records', records: rest.map(recordOf), isEnd: (rest.at(-1) ?? first).seq === first.last };
  }

  /** Another cluster may answer at an address after a fail-over gone wrong. */
  async #checkStore(client: pg.Client): Promise<void> {
    const store = await prepareTables(client, this.address.schema);
    if (store === this.storeId) return;
    throw unavailable(
      `${formatPostgresAddress(this.address)} holds another store than before (${store}, not ${this.storeId})`,
    );
  }
}

function recordOf({ seq, id, writes }: TailRow): LogRecord {
  return { seq: Number(seq), id, writes: writes ?? Buffer.alloc(0) };
}

function placeOf(row: PlaceRow | undefined): LogPosition {
  if (row === undefined)
    throw unavailable('the store in PostgreSQL has no checkpoint; its tables were changed by hand');
  return { seq: Number(row.seq), id: row.id };
}

function bytesOf(key: string): Buffer {
  return Buffer.from(key, 'latin1');
}
