import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { getMessage, ServiceError, unavailable } from '../../errors.js';
import { findSecret } from '../../lib/process/secrets.js';
import { ConnectionLost, unreachable } from '../replicated/retry-policy.js';
import { keepPassword } from './password.js';
import { type PostgresAddress, type PostgresHost, readPassword } from './address.js';

/** Time for one server to accept a connection, in milliseconds. */
const CONNECT_MS = 2_000;
/** Time without an answer after which a connection counts as dead, in milliseconds. */
export const ANSWER_MS = 5_000;
/** Delay before all servers are tried again, in milliseconds; a random part is added. */
const RETRY_MS = 100;

/** The time limits of the server for a session that hangs. */
const SETTINGS = `
  SET statement_timeout = '30s';
  SET lock_timeout = '10s';
  SET idle_in_transaction_session_timeout = '2s';
  SET client_min_messages = 'warning'`;

/**
 * Begins a transaction that blocks other writers. Without its limits, a stopped process would block them for ever.
 * They are set each time, because a pooler may use another session for each transaction.
 */
export const BEGIN_ALONE = `BEGIN; SET LOCAL lock_timeout = '10s'; SET LOCAL idle_in_transaction_session_timeout = '2s'`;

/** Time limit for a statement that transfers a few megabytes, in milliseconds. */
export const BULK_MS = 60_000;
/** Follows the `BEGIN` of a transaction with many such statements, between which this process does other work. */
export const FOR_BULK = `SET LOCAL statement_timeout = ${BULK_MS}; SET LOCAL idle_in_transaction_session_timeout = ${BULK_MS}`;

export interface SessionHooks {
  /** Runs first on each new connection. Its error is passed to the caller that wanted the connection. */
  readonly onConnect?: (client: pg.Client) => Promise<void>;
  /** Called each time that no server accepted the connection. */
  readonly onAway?: (message: string) => void;
}

/** A connection that is opened on demand and again after a loss, to the server that accepts writes. */
export class Session {
  #client: pg.Client | undefined;
  #connecting: Promise<pg.Client> | undefined;
  readonly #closing = new AbortController();
  /** The last statement: a client takes one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly address: PostgresAddress,
    private readonly hooks: SessionHooks = {},
  ) {}

  /**
   * The connection.
   * @param until deadline for the wait, by `performance.now()`
   * @throws ConnectionLost when no server accepted the connection until then
   */
  async client(until: number): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client;
    this.#connecting ??= this.#connect(until).finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /**
   * Runs a statement on the connection, after those before.
   * @throws ConnectionLost when the connection broke, so that the result of the statement is unknown; the connection
   * is dropped
   */
  async query<R extends pg.QueryResultRow>(client: pg.Client, statement: Statement): Promise<R[]> {
    const answer = this.#last.then(() => client.query<R>(statement));
    this.#last = answer.catch(() => undefined);
    try {
      return (await answer).rows;
    } catch (error) {
      if (!isLost(error)) throw error;
      this.#drop(client);
      throw new ConnectionLost(getMessage(error), { cause: error });
    }
  }

  #drop(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    // With a running query the socket is closed at once.
    client.end().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort(unavailable('the store is closed'));
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #connect(until: number): Promise<pg.Client> {
    for (;;) {
      const failures: string[] = [];
      for (const host of this.address.hosts) {
        this.#closing.signal.throwIfAborted();
        try {
          const client = await this.#connectTo(host);
          if (this.#isClosed()) await client.end();
          this.#closing.signal.throwIfAborted();
          this.#client = client;
          return client;
        } catch (error) {
          if (!isLost(error)) throw asUnavailable(error);
          failures.push(`${host.host}:${host.port}: ${getMessage(error)}`);
        }
      }
      this.hooks.onAway?.(failures.join('; '));
      if (performance.now() > until) throw new ConnectionLost(failures.join('; '));
      await sleep(RETRY_MS + Math.random() * RETRY_MS);
    }
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #connectTo({ host, port }: PostgresHost): Promise<pg.Client> {
    const { user, database } = this.address;
    const password = readPassword(this.address) ?? findSecret('PGPASSWORD');
    const client = new pg.Client({
      host,
      port,
      user,
      database,
      ...(password !== undefined && { password }),
      ssl: findSsl(this.address, host),
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      application_name: 'xsvc',
    });
    if (this.address.sslMode === 'disable') keepPassword(client, `${host}:${port}`);
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined;
    });
    try {
      await client.connect();
      const { rows } = await client.query<{ standby: boolean; reads: string }>(
        "SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS reads",
      );
      if (rows[0]?.standby !== false || rows[0].reads !== 'off') throw new NotPrimary();
      await client.query(SETTINGS);
      await this.hooks.onConnect?.(client);
      return client;
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
  }
}

export interface Statement extends pg.QueryConfig {
  /** Longest time without an answer, in milliseconds. */
  readonly query_timeout?: number;
}

class NotPrimary extends Error {
  constructor() {
    super('is read-only');
  }
}

/**
 * SQL states: the server ends, cannot be reached, has no room for a connection, or does not accept writes any more.
 */
const LOST = /^(?:08...|57P0[1-3]|25006|53300)$/u;
const DISK_FULL = '53100';
/** SQL states for a conflict of two transactions. */
const IN_THE_WAY = /^(?:40001|40P01|55P03)$/u;

function isLost(error: unknown): boolean {
  const state = findSqlState(error);
  return state === undefined ? !isOurs(error) : LOST.test(state);
}

/** True when a statement failed because of other writes, and may be repeated. */
export function isSerializationConflict(error: unknown): boolean {
  return IN_THE_WAY.test(findSqlState(error) ?? '');
}

/** True when the server refused a statement because its disk is full. */
export function isFull(error: unknown): boolean {
  return findSqlState(error) === DISK_FULL;
}

/** Converts an error of the database, or of the connection to it, to one for callers. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof ConnectionLost) return unreachable('PostgreSQL', error);
  const state = findSqlState(error);
  if (state === DISK_FULL)
    return unavailable(
      `the disk of PostgreSQL is full: ${getMessage(error)}; writes resume when it has free space`,
    );
  return state === undefined
    ? error
    : unavailable(`PostgreSQL rejected the request: ${getMessage(error)} (${state})`);
}

function isOurs(error: unknown): boolean {
  return error instanceof ServiceError;
}

/**
 * The SQL state from the server; undefined when it did not answer, or when it died of the reported error and may have
 * committed.
 */
function findSqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.severity !== 'PANIC' ? error.code : undefined;
}

function findSsl({ sslMode, sslRootCert }: PostgresAddress, host: string): pg.ClientConfig['ssl'] {
  if (sslMode === 'disable') return false;
  if (sslMode === 'require' && sslRootCert === undefined) return { rejectUnauthorized: false };
  return {
    ...(sslRootCert !== undefined && { ca: readFileSync(sslRootCert, 'utf8') }),
    servername: host,
    // Only `verify-full` checks the names in the certificate.
    ...(sslMode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}
