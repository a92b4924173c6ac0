import type { KeyReads, Transaction } from '../../store/engine.js';
import type { LocalEngine } from '../lmdb/engine.js';
import { decodeRecord, type KeyWrite } from './log-record.js';
import type { ReplicaHome } from './replica-directory.js';
import type { LogPosition, LogRecord, NetWrites, SharedLog } from './shared-log.js';

/** The key of the replica's position. No family of keys begins with this byte. */
const PLACE_KEY = Buffer.from('\x00replica', 'latin1');

/** Writes of one commit to the replica; limits the time that the event loop is blocked. */
const WRITES_PART = 5_000;

interface StoredPlace extends LogPosition {
  readonly store: string;
}

/** All keys of the store as of a position in its log, on this machine. */
export class Replica {
  #at: LogPosition;
  /** The queue of applied records. */
  #applying: Promise<unknown> = Promise.resolve();

  private constructor(
    /** For reads. Only this class writes to it, because its writes stay local. */
    readonly engine: LocalEngine,
    private readonly store: string,
    at: LogPosition,
  ) {
    this.#at = at;
  }

  /**
   * Opens a replica.
   * @returns undefined when it does not exist or cannot be trusted: it belongs to another store, or is incomplete
   */
  static async open(home: ReplicaHome, store: string): Promise<Replica | undefined> {
    const engine = await home.open();
    if (engine === undefined) return undefined;
    const place = readPlace(await engine.get(PLACE_KEY));
    if (place?.store === store) return new Replica(engine, store, place);
    await engine.close();
    return undefined;
  }

  /** Creates a replica from the log's checkpoint. */
  static async make(home: ReplicaHome, log: SharedLog): Promise<Replica> {
    const engine = await home.renew();
    try {
      const { at, pairs } = await log.checkpoint();
      let stored: Promise<unknown> = Promise.resolve();
      for await (const part of pairs) {
        await stored;
        // The next part is read in the meantime.
        stored = engine.commit((tx) => {
          for (const { key, value } of part) tx.put(key, value);
        });
        stored.catch(() => undefined);
      }
      await stored;
      // Written last: without it this does not count as a replica.
      await engine.commit((tx) => writePlace(tx, log.storeId, at));
      await home.complete();
      return new Replica(engine, log.storeId, at);
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  /** The position of the last applied record. */
  get at(): LogPosition {
    return this.#at;
  }

  /** Runs a body on the current state, and passes its position. */
  read<T>(body: (reads: KeyReads, at: LogPosition) => T): T {
    return this.engine.readMoment((reads) => {
      const place = readPlace(reads.get(PLACE_KEY));
      if (place === undefined) throw new Error('the replica lost its position in the log');
      return body(reads, place);
    });
  }

  /** @throws ServiceError `ServiceUnavailable` when the disk of this machine has no room for writes */
  checkRoom(writes: NetWrites): void {
    let bytes = 0;
    for (const [key, value] of writes) bytes += key.length + (value?.length ?? 0);
    this.engine.checkRoom(bytes);
  }

  /**
   * Applies consecutive records, after those that are being applied; skips those already applied.
   * @returns true when any record was new
   * @throws LogPositionLost when a record differs from the one applied at its position
   */
  apply(records: readonly LogRecord[]): Promise<boolean> {
    return this.#inOrder(() => this.#applyRecords(records));
  }

  /** As {@link apply}, for a record of this process. */
  applyOwn(place: LogPosition, net: NetWrites): Promise<void> {
    const writes = Array.from(net, ([key, value]) => ({ key: Buffer.from(key, 'latin1'), value }));
    return this.#inOrder(async () => {
      // Another process has moved the replica, and the record was made on that state.
      if (place.seq > this.#at.seq + 1) this.#at = this.read((_reads, { seq, id }) => ({ seq, id }));
      while (this.#isNew(place)) await this.#write(writes, this.#at, place);
    });
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const applied = this.#applying.then(work);
    this.#applying = applied.catch(() => undefined);
    return applied;
  }

  /** False for a record that was applied before. */
  #isNew(place: LogPosition, at = this.#at): boolean {
    if (place.seq === at.seq && place.id !== at.id) throw new LogPositionLost('diverged');
    if (place.seq > at.seq + 1) throw new Error(`the log has a gap: record ${place.seq} follows ${at.seq}`);
    return place.seq > at.seq;
  }

  /**
   * Applies the writes between two positions, unless the replica is elsewhere: other processes with the same directory,
   * such as commands beside a daemon, apply records too.
   * @returns true when the replica was at the first position
   */
  async #write(writes: readonly KeyWrite[], after: LogPosition, to: LogPosition): Promise<boolean> {
    const at = await this.engine.commit((tx) => {
      const stored = readPlace(tx.get(PLACE_KEY));
      if (stored !== undefined && stored.id !== after.id) return stored;
      for (const { key, value } of writes) {
        if (value === undefined) tx.remove(key);
        else tx.put(key, value);
      }
      writePlace(tx, this.store, to);
      return undefined;
    });
    this.#at = at ?? { seq: to.seq, id: to.id };
    return at === undefined;
  }

  async #applyRecords(records: readonly LogRecord[]): Promise<boolean> {
    const before = this.#at.seq;
    while (!(await this.#applyFrom(this.#at, records)));
    return this.#at.seq > before;
  }

  /** @returns false when another process has moved the replica: the records that are still new must be applied */
  async #applyFrom(from: LogPosition, records: readonly LogRecord[]): Promise<boolean> {
    let part: KeyWrite[] = [];
    let [after, last] = [from, from];
    for (const record of records) {
      if (!this.#isNew(record, last)) continue;
      const writes = await decodeRecord(record.writes);
      if (part.length > 0 && part.length + writes.length > WRITES_PART) {
        if (!(await this.#write(part, after, last))) return false;
        [part, after] = [[], last];
      }
      for (const write of writes) part.push(write);
      last = record;
    }
    return last === after || this.#write(part, after, last);
  }

  async close(): Promise<void> {
    await this.#applying;
    await this.engine.close();
  }
}

/** The position of the replica is no longer in the log, so it cannot be followed from there. */
export class LogPositionLost extends Error {
  override readonly name = 'PlaceLost';

  /** @param why the log has another history than the applied one, or has removed the following records */
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
