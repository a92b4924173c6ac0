import type pg from 'pg';
import { getMessage, unavailable } from '../../errors.js';
import type { KeyValue } from '../../store/engine.js';
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
import { ChangeNotifications, type OnAppend } from '../replicated/change-notifications.js';
import { ConnectionLost, RetryPolicy, type ServerOptions } from '../replicated/retry-policy.js';
import { formatPostgresAddress, type PostgresAddress } from './address.js';
import { CheckpointTables, type OpenSession, type PlaceRow, getPlace } from './checkpoint.js';
import { followNotifications } from './notices.js';
import { checkSafety, warnOfNetwork } from './safety.js';
import { prepareTables, type Sql, sqlFor } from './schema.js';
import { asUnavailable, BEGIN_ALONE, isFull, isSerializationConflict, Session } from './session.js';

/** Long, because the turns of other processes take time. */
const LOCK_MS = 15_000;

/**
 * Opens the log in a database; creates its tables when they do not exist.
 * @throws ServiceError `ServiceUnavailable` when the database cannot be reached in time, or is not safe
 */
export async function openPostgresLog(address: PostgresAddress, options: ServerOptions): Promise<SharedLog> {
  const until = performance.now() + options.timeoutMs;
  warnOfNetwork(address, options.warn);
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

class PostgresLog implements SharedLog {
  readonly #sql: Sql;
  readonly #writer: Session;
  readonly #reader: Session;
  readonly #listener: Session;
  readonly #notices: ChangeNotifications;
  readonly #retries: RetryPolicy;
  readonly #checkpoint: CheckpointTables;
  /** The reason why the last append was refused, while the disk of the server is full. */
  #full: string | undefined;
  #isClosed = false;

  constructor(
    private readonly address: PostgresAddress,
    private readonly options: ServerOptions,
    readonly storeId: string,
  ) {
    this.#sql = sqlFor(address.schema, address.notify);
    this.#writer = this.#session();
    this.#reader = this.#session();
    this.#listener = this.#session();
    this.#notices = new ChangeNotifications(address.notify ? followNotifications(this.#listener) : undefined);
    this.#retries = new RetryPolicy({
      name: 'PostgreSQL',
      ...options,
      warn: (message) => {
        // A connection that this process closes is no news.
        if (!this.#isClosed) options.warn(message);
      },
      toCallerError: asUnavailable,
      isSerializationConflict,
    });
    this.#checkpoint = new CheckpointTables(this.#sql, address, () => this.#opened());
  }

  append(after: LogPosition, record: NewRecord): Promise<'appended' | 'moved'> {
    let wasSent = false;
    return this.#retries.persist(
      async (until) => {
        const client = await this.#writer.client(until);
        const isSentAgain = wasSent;
        wasSent = true;
        if (await this.#insert(client, after, record)) return 'appended';
        // The head has moved, possibly to this record in an earlier attempt.
        return isSentAgain && (await this.#isStored(client, after, record)) ? 'appended' : 'moved';
      },
      () => wasSent,
    );
  }

  appendExclusively(after: LogPosition, decide: (missing: Tail) => Promise<Decided>): Promise<AppendOutcome> {
    let sent: Decided;
    return this.#retries.persist<AppendOutcome>(
      async (until) => {
        const client = await this.#writer.client(until);
        return this.#alone(client, async () => {
          // The lock is free, so the result of the previous attempt is final.
          if (sent !== undefined)
            return (await this.#isStored(client, sent.after, sent.record)) ? 'appended' : 'moved';
          const missing = await this.#tailOn(this.#writer, client, after, Number.MAX_SAFE_INTEGER);
          const decided = await decide(missing);
          if (decided === undefined) return 'nothing';
          sent = decided;
          return (await this.#insert(client, decided.after, decided.record)) ? 'appended' : 'moved';
        });
      },
      () => sent !== undefined,
    );
  }

  tail(after: LogPosition, bytesMax: number): Promise<Tail> {
    return this.#retries.persist(async (until) =>
      this.#tailOn(this.#reader, await this.#reader.client(until), after, bytesMax),
    );
  }

  onAppend(listener: OnAppend): () => void {
    return this.#notices.listen(listener);
  }

  checkpoint(): Promise<Checkpoint> {
    return this.#checkpoint.read();
  }

  checkpointAt(): Promise<LogPosition> {
    return this.#retries.persist(async (until) => {
      const client = await this.#reader.client(until);
      return getPlace((await this.#reader.query<PlaceRow>(client, { text: this.#sql.checkpointAt }))[0]);
    });
  }

  advanceCheckpoint(from: LogPosition, to: LogPosition, net: NetWrites): Promise<boolean> {
    return this.#checkpoint.fold(from, to, net);
  }

  async trim(checkpoint: LogPosition): Promise<void> {
    const statement = { text: this.#sql.trim, values: [checkpoint.seq, this.address.retainMs] };
    await this.#retries.persist(async (until) =>
      this.#reader.query(await this.#reader.client(until), statement),
    );
  }

  load(pairs: AsyncIterable<readonly KeyValue[]>, replaced: boolean): Promise<void> {
    return this.#checkpoint.load(pairs, replaced, this.storeId);
  }

  problem(): string | undefined {
    return this.#retries.problem() ?? this.#full;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#notices.close(), this.#listener.close()]);
    await Promise.all([this.#writer.close(), this.#reader.close()]);
  }

  #session(): Session {
    return new Session(this.address, {
      onConnect: (client) => this.#checkStore(client),
      onAway: (message) => this.#retries.isAway(message),
    });
  }

  /** Opens another session. @throws ServiceError `ServiceUnavailable` when no connection is available in time */
  async #opened(): Promise<OpenSession> {
    const session = this.#session();
    try {
      return { session, client: await session.client(performance.now() + this.options.timeoutMs) };
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  async #insert(client: pg.Client, after: LogPosition, { id, writes }: NewRecord): Promise<boolean> {
    const values = [after.seq, after.id, id, writes];
    try {
      const rows = await this.#writer.query(client, { text: this.#sql.append, values });
      this.#full = undefined;
      return rows.length > 0;
    } catch (error) {
      if (isFull(error)) this.#reportFull(getMessage(asUnavailable(error)));
      throw error;
    }
  }

  #reportFull(message: string): void {
    if (this.#full === undefined) this.options.warn(message);
    this.#full = message;
  }

  async #isStored(client: pg.Client, after: LogPosition, { id }: NewRecord): Promise<boolean> {
    const statement = { text: this.#sql.recordAt, values: [after.seq + 1] };
    const [row] = await this.#writer.query<{ id: string }>(client, statement);
    return row?.id === id;
  }

  /** Works in a transaction that blocks other writers. Rolls back when the work throws. */
  async #alone<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
    const end = (text: string): Promise<unknown> => this.#writer.query(client, { text });
    await end(BEGIN_ALONE);
    try {
      await this.#writer.query(client, { text: this.#sql.lockHead, query_timeout: LOCK_MS });
      const done = await work();
      await end('COMMIT');
      return done;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) await end('ROLLBACK');
      throw error;
    }
  }

  async #tailOn(session: Session, client: pg.Client, after: LogPosition, bytesMax: number): Promise<Tail> {
    const statement = { text: this.#sql.tail, values: [after.seq, bytesMax] };
    const rows = await session.query<TailRow>(client, statement);
    const [first, ...rest] = rows;
    // An append of another process succeeded, so the disk has room again.
    if (rest.length > 0) this.#full = undefined;
    if (first === undefined || (Number(first.seq) === after.seq && first.id !== after.id))
      return { kind: 'diverged' };
    if (Number(first.seq) !== after.seq) return { kind: 'trimmed' };
    return {
      kind: 'records',
      records: rest.map(getRecord),
      isEnd: (rest.at(-1) ?? first).seq === first.last,
    };
  }

  /** Another cluster may answer at an address after a failed fail-over. */
  async #checkStore(client: pg.Client): Promise<void> {
    const store = await prepareTables(client, this.address.schema);
    if (store === this.storeId) return;
    throw unavailable(
      `${formatPostgresAddress(this.address)} contains another store than before (${store}, not ${this.storeId})`,
    );
  }
}

function getRecord({ seq, id, writes }: TailRow): LogRecord {
  return { seq: Number(seq), id, writes: writes ?? Buffer.alloc(0) };
}
