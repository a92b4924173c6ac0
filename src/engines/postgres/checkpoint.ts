import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { conflict, unavailable } from '../../errors.js';
import type { KeyValue } from '../../store/engine.js';
import type { Checkpoint, LogPosition, NetWrites } from '../replicated/shared-log.js';
import { formatPostgresAddress, type PostgresAddress } from './address.js';
import { byteaArray, iterateParts } from './bytea.js';
import type { Sql } from './schema.js';
import { asUnavailable, BULK_MS, FOR_BULK, type Session } from './session.js';

/** Bytes of pairs that are read or put at once. They are read as text, which is twice as long. */
const PAIRS_BYTES = 4 * 1024 * 1024;

export interface OpenSession {
  readonly session: Session;
  readonly client: pg.Client;
}

export interface PlaceRow extends pg.QueryResultRow {
  readonly seq: string;
  readonly id: string;
}

export function getPlace(row: PlaceRow | undefined): LogPosition {
  if (row === undefined)
    throw unavailable('the store in PostgreSQL has no checkpoint; its tables were changed manually');
  return { seq: Number(row.seq), id: row.id };
}

interface PairRow extends pg.QueryResultRow {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Runs a statement of a transaction. */
type Run = (text: string, values?: unknown[]) => Promise<pg.QueryResultRow[]>;

/** The checkpoint of a log: its position, and the table of all pairs. */
export class CheckpointTables {
  /** @param open opens a session for one long call */
  constructor(
    private readonly sql: Sql,
    private readonly address: PostgresAddress,
    private readonly open: () => Promise<OpenSession>,
  ) {}

  async read(): Promise<Checkpoint> {
    const opened = await this.open();
    const { session, client } = opened;
    try {
      // The only transaction, so that all reads are of one moment.
      const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${FOR_BULK}`;
      await session.query(client, { text: begin });
      const [place] = await session.query<PlaceRow>(client, { text: this.sql.checkpointAt });
      return { at: getPlace(place), pairs: this.#pairs(opened) };
    } catch (error) {
      await session.close();
      throw asUnavailable(error);
    }
  }

  async *#pairs({ session, client }: OpenSession): Checkpoint['pairs'] & AsyncGenerator {
    const pairsAfter = (key: Buffer): Promise<PairRow[]> => {
      const values = [key, PAIRS_BYTES];
      return session.query(client, { text: this.sql.pairsAfter, values, query_timeout: BULK_MS });
    };
    try {
      let next = pairsAfter(Buffer.alloc(0));
      for (;;) {
        const pairs = await next;
        const last = pairs.at(-1);
        if (last === undefined) return;
        next = pairsAfter(last.key);
        next.catch(() => undefined);
        yield pairs;
      }
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      await session.close();
    }
  }

  /** See {@link SharedLog.advanceCheckpoint}. */
  async fold(from: LogPosition, to: LogPosition, net: NetWrites): Promise<boolean> {
    const puts: KeyValue[] = [];
    const removed: Buffer[] = [];
    for (const [text, value] of net) {
      const key = Buffer.from(text, 'latin1');
      if (value === undefined) removed.push(key);
      else puts.push({ key, value });
    }
    return this.#inTransaction(async (run) => {
      const moved = await run(this.sql.moveCheckpoint, [from.seq, from.id, to.seq, to.id]);
      if (moved.length === 0) return false;
      await this.#put(run, puts);
      for (const part of iterateParts(removed, (key) => key.length, PAIRS_BYTES))
        await run(this.sql.removeKeys, [byteaArray(part)]);
      await run(this.sql.trim, [to.seq, this.address.retainMs]);
      return true;
    });
  }

  /** See {@link SharedLog.load}. @param store id of the log */
  async load(pairs: AsyncIterable<readonly KeyValue[]>, replaced: boolean, store: string): Promise<void> {
    await this.#inTransaction(async (run) => {
      const [head] = await run(this.sql.isEmpty);
      const isEmpty = head?.['empty'] === true;
      if (!isEmpty && !replaced)
        throw conflict(
          `${formatPostgresAddress(this.address)} already contains a store; --force replaces it`,
        );
      await run(this.sql.clear);
      for await (const part of pairs) await this.#put(run, part);
      await run(this.sql.restart, [isEmpty ? store : randomUUID(), randomUUID()]);
    });
  }

  async #put(run: Run, pairs: readonly KeyValue[]): Promise<void> {
    const size = ({ key, value }: KeyValue): number => key.length + value.length;
    for (const part of iterateParts(pairs, size, PAIRS_BYTES)) {
      const [keys, values] = [part.map(({ key }) => key), part.map(({ value }) => value)];
      await run(this.sql.putPairs, [byteaArray(keys), byteaArray(values)]);
    }
  }

  /** Rolls back when the work throws. */
  async #inTransaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const { session, client } = await this.open();
    try {
      const run: Run = (text, values = []) => session.query(client, { text, values, query_timeout: BULK_MS });
      await session.query(client, { text: `BEGIN; ${FOR_BULK}` });
      const done = await work(run);
      await run('COMMIT');
      return done;
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      // Ends a transaction that was not committed.
      await session.close();
    }
  }
}
