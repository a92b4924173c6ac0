import { readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Engine, Transaction } from '../../store/engine.js';
import { openLmdb, type LmdbOptions } from '../lmdb/engine.js';
import { decodeRecord, type KeyWrite } from './log-record.js';
import type { LogPosition, LogRecord, NetWrites, SharedLog } from './shared-log.js';

/** Where the replica stands. No family of keys begins with this byte. */
const PLACE_KEY = Buffer.from('\x00replica', 'latin1');

const BOOT_FILE = 'boot';

/** Writes of one commit to the replica: bounds how long the event loop is held. */
const WRITES_PART = 5_000;

/** How replicas are opened. */
export type ReplicaOptions = Pick<LmdbOptions, 'readAhead' | 'diskReserveBytes' | 'onBroken'>;

interface StoredPlace extends LogPosition {
  readonly store: string;
}

/** All keys of the store as of a place in its log, in a directory of this machine. */
export class Replica {
  #at: LogPosition;
  /** What is applied one after another. */
  #applying: Promise<unknown> = Promise.resolve();

  private constructor(
    /** Reads and decides by what is here. Its writes stay here, so only this class makes any. */
    readonly engine: Engine,
    private readonly store: string,
    at: LogPosition,
  ) {
    this.#at = at;
  }

  /**
   * Opens what is in a directory.
   * @returns undefined when there is nothing, or nothing that can be trusted: of another store, half made, or from before
   *   the machine was started the last time, for it is not written to disk at once
   */
  static async open(directory: string, store: string, options: ReplicaOptions): Promise<Replica | undefined> {
    const known = await readFile(path.join(directory, BOOT_FILE), 'utf8').catch(() => undefined);
    if (known !== bootId()) return undefined;
    const engine = await openLmdb(directory, { ...options, relaxed: true });
    const place = readPlace(await engine.get(PLACE_KEY));
    if (place?.store === store) return new Replica(engine, store, place);
    await engine.close();
    return undefined;
  }

  /** Makes a replica of the log's checkpoint, in place of what the directory holds. */
  static async make(directory: string, log: SharedLog, options: ReplicaOptions): Promise<Replica> {
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const engine = await openLmdb(directory, { ...options, relaxed: true });
    try {
      const { at, pairs } = await log.checkpoint();
      let stored: Promise<unknown> = Promise.resolve();
      for await (const part of pairs) {
        await stored;
        // The next part is on its way meanwhile.
        stored = engine.commit((tx) => {
          for (const { key, value } of part) tx.put(key, value);
        });
        stored.catch(() => undefined);
      }
      await stored;
      // Written last: without it the directory is not taken for a replica.
      await engine.commit((tx) => writePlace(tx, log.storeId, at));
      await writeFile(path.join(directory, BOOT_FILE), bootId());
      return new Replica(engine, log.storeId, at);
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  /** Of the last record that is applied. */
  get at(): LogPosition {
    return this.#at;
  }

  /** Where the state stands that a transaction sees. */
  placeIn(tx: Transaction): LogPosition {
    const place = readPlace(tx.get(PLACE_KEY));
    if (place === undefined) throw new Error('the replica lost its position in the log');
    return place;
  }

  /**
   * Puts writes into a transaction that is undone, to find out whether they could be applied.
   * @throws ServiceError `ServiceUnavailable` when the disk of this machine has no room for them
   */
  tryIn(tx: Transaction, writes: NetWrites): void {
    for (const [key, value] of writes) if (value !== undefined) tx.put(Buffer.from(key, 'latin1'), value);
  }

  /**
   * Applies records that follow one another, after those that are being applied; skips those that it has.
   * @returns whether there was anything new
   * @throws PlaceLost when a record is another than the one that was applied in its place
   */
  apply(records: readonly LogRecord[]): Promise<boolean> {
    const applied = this.#applying.then(() => this.#apply(records));
    this.#applying = applied.catch(() => undefined);
    return applied;
  }

  async #apply(records: readonly LogRecord[]): Promise<boolean> {
    let part: KeyWrite[] = [];
    let last: LogRecord | undefined;
    const flush = async (): Promise<void> => {
      if (last === undefined) return;
      const [writes, { seq, id }] = [part, last];
      [part, last] = [[], undefined];
      await this.engine.commit((tx) => {
        for (const { key, value } of writes) {
          if (value === undefined) tx.remove(key);
          else tx.put(key, value);
        }
        writePlace(tx, this.store, { seq, id });
      });
      this.#at = { seq, id };
    };
    const before = this.#at.seq;
    for (const record of records) {
      const at = last ?? this.#at;
      if (record.seq < at.seq) continue;
      if (record.seq === at.seq && record.id !== at.id) throw new LogPositionLost('diverged');
      if (record.seq === at.seq) continue;
      if (record.seq !== at.seq + 1)
        throw new Error(`the log has a gap: record ${record.seq} follows ${at.seq}`);
      const writes = await decodeRecord(record.writes);
      if (part.length > 0 && part.length + writes.length > WRITES_PART) await flush();
      for (const write of writes) part.push(write);
      last = record;
    }
    await flush();
    return this.#at.seq > before;
  }

  async close(): Promise<void> {
    await this.#applying;
    await this.engine.close();
  }
}

/** The place of the replica is not in the log any more, so it cannot be followed from there. */
export class LogPositionLost extends Error {
  override readonly name = 'PlaceLost';

  /** @param why the log has another history than the one that was applied here, or has forgotten what came after it */
  constructor(readonly why: 'diverged' | 'trimmed') {
    super(
      why === 'diverged'
        ? 'the shared log has lost acknowledged commits'
        : 'the shared log no longer has commits that this process has not read yet',
    );
  }
}

function readPlace(bytes: Buffer | undefined): StoredPlace | undefined {
  return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as StoredPlace);
}

function writePlace(tx: Transaction, store: string, { seq, id }: LogPosition): void {
  tx.put(PLACE_KEY, Buffer.from(JSON.stringify({ store, seq, id } satisfies StoredPlace)));
}

/** Changes when the machine starts; where the system does not tell, each process has one of its own. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return `process ${process.pid} ${performance.timeOrigin}`;
  }
}
