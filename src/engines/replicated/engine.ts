import { randomUUID } from 'node:crypto';
import { getMessage, hasCode, ServiceError, unavailable } from '../../errors.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import type {
  CommitOptions,
  Engine,
  Freshness,
  SharedLogState,
  Snapshot,
  Transaction,
} from '../../store/engine.js';
import { GroupCommit } from '../../store/group-commit.js';
import { CatchUp } from './catch-up.js';
import { expireRevisions } from './expire-revisions.js';
import { foldLog } from './fold.js';
import { DeferredSnapshot } from './deferred-snapshot.js';
import { encodeRecord } from './log-record.js';
import { Overlay } from '../../store/overlay.js';
import { LogPositionLost, Replica } from './replica.js';
import { replicaDirectory, type ReplicaHome, type ReplicaOptions } from './replica-directory.js';
import type { Decided, LogPosition, SharedLog } from './shared-log.js';

/**
 * Time in milliseconds for which groups block other processes, after a group had to run again because others wrote.
 * Processes take turns then; otherwise the faster one would prevent the slower one from writing.
 */
const CONTENDED_MS = 1_000;

/**
 * Opens a store in a shared log, with a replica of it in a directory.
 * @throws ServiceError `ServiceUnavailable` when the log cannot be reached
 */
export function openReplicated(
  log: SharedLog,
  directory: string,
  options: ReplicaOptions = {},
): Promise<Engine> {
  return openWithReplica(log, replicaDirectory(directory, options), options);
}

/** {@link openReplicated} with a replica in any place. */
export async function openWithReplica(
  log: SharedLog,
  home: ReplicaHome,
  options: Pick<ReplicaOptions, 'onBroken'>,
): Promise<Engine> {
  try {
    const replica = await Replica.open(home, log.storeId);
    if (replica === undefined) return new ReplicatedEngine(log, await newReplica(home, log), options);
    const { kind } = await log.tail(replica.at, 1);
    if (kind === 'records') return new ReplicatedEngine(log, replica, options);
    await replica.close();
    const engine = new ReplicatedEngine(log, await newReplica(home, log), options);
    if (kind === 'diverged') await engine.commit(expireRevisions);
    return engine;
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** A replica of the checkpoint at the end of the log. Some keys of a checkpoint may be newer than its position. */
async function newReplica(home: ReplicaHome, log: SharedLog): Promise<Replica> {
  const replica = await Replica.make(home, log);
  try {
    await new CatchUp(log, replica, () => undefined).latest();
    return replica;
  } catch (error) {
    await replica.close();
    if (!(error instanceof LogPositionLost)) throw error;
    throw unavailable(
      error.why === 'diverged'
        ? 'the store was replaced while it was loaded; restart this process'
        : 'the log no longer has the changes made while the store was loaded, or the store was replaced; restart this process; ' +
            'if the error repeats, add retain=1h or more to the address of the store in all daemons',
    );
  }
}

/** The writes of a group, based on a position of the log. */
interface Group {
  readonly after: LogPosition;
  /** The position of its record. */
  readonly at: LogPosition;
  readonly overlay: Overlay;
  /** Since it was appended: settles when the replica has it. */
  applied?: Promise<void>;
}

/**
 * An engine whose commits are records of a log that processes share. Each process has all keys in a separate replica.
 * Commit bodies read the replica. Their writes are stored only when the replica was at the end of the log. Otherwise
 * the log has moved on, the replica follows, and the bodies run again.
 *
 * The bodies of the next group need not wait until the replica has the last group: they read it on top of the replica.
 * It is in the log already, so nothing that they read can be undone.
 */
class ReplicatedEngine implements Engine {
  readonly #group = new GroupCommit((body) => this.#commitGroup(body));
  readonly #catchUp: CatchUp;
  readonly #listeners = new Set<() => void>();
  readonly #stopListening: () => void;
  /** The group whose bodies run. */
  #running: Group | undefined;
  /** The last appended group, until the replica has it. */
  #last: Group | undefined;
  /** The id of the group whose bodies ran last. */
  #newestId: string | undefined;
  #contendedUntil = 0;
  readonly #outcomes = { appended: 0, moved: 0, unknown: 0 };
  #broken: ServiceError | undefined;

  constructor(
    private readonly log: SharedLog,
    private readonly replica: Replica,
    private readonly options: Pick<ReplicaOptions, 'onBroken'>,
  ) {
    this.#catchUp = new CatchUp(log, replica, () => this.#notifyListeners());
    this.#stopListening = log.onAppend((id) => {
      if (!this.#isKnown(id)) this.#latest().catch(() => undefined);
    });
  }

  get(key: Uint8Array, freshness: Freshness = 'latest'): MaybePromise<Buffer | undefined> {
    const read = (): MaybePromise<Buffer | undefined> => this.replica.engine.get(key);
    return freshness === 'local' ? read() : this.#latest().then(read);
  }

  follow(key: Uint8Array, next: (value: Buffer) => Uint8Array): MaybePromise<Buffer | undefined> {
    return this.#latest().then(() => this.replica.engine.follow(key, next));
  }

  snapshot(freshness: Freshness = 'latest'): Snapshot {
    if (freshness === 'local') return this.replica.engine.snapshot();
    return new DeferredSnapshot(() => this.#latest().then(() => this.replica.engine.snapshot()));
  }

  async commit<T>(body: (tx: Transaction) => T, { dryRun = false }: CommitOptions = {}): Promise<T> {
    let group: Group | undefined;
    try {
      return await this.#group.run(() => {
        group = this.#running;
        if (group === undefined) throw new Error('a writer runs outside of a commit');
        const own = new Overlay(group.overlay);
        const value = body(own);
        if (!dryRun) group.overlay.merge(own);
        return value;
      });
    } finally {
      await group?.applied;
    }
  }

  onOtherCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  writeProblem(): string | undefined {
    return this.#broken?.message ?? this.log.problem() ?? this.replica.engine.writeProblem();
  }

  countSetbacks(): () => number {
    return this.replica.engine.countSetbacks();
  }

  clearDeadReaders(): void {
    this.replica.engine.clearDeadReaders();
  }

  sharedLog(): SharedLogState {
    const { looks, lookMs } = this.#catchUp;
    const isReachable = this.#broken === undefined && this.log.problem() === undefined;
    return {
      isReachable,
      seq: this.replica.at.seq,
      ...this.#outcomes,
      looks,
      lookMs,
      space: this.log.space?.(),
    };
  }

  foldLog(): Promise<void> {
    return foldLog(this.log);
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#group.idle();
    await this.log.close();
    await this.replica.close();
  }

  /** True for a record that this process has, or is about to have. */
  #isKnown(id: string | undefined): boolean {
    return id !== undefined && [this.#newestId, this.#last?.at.id, this.replica.at.id].includes(id);
  }

  async #latest(): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      await this.#catchUp.latest();
    } catch (error) {
      throw this.#toCallerError(error);
    }
  }

  async #commitGroup(body: () => void): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      while (!(await this.#attempt(body))) {
        this.#outcomes.moved += 1;
        await this.#latest();
      }
    } catch (error) {
      if (hasCode(error, 'OutcomeUnknown')) this.#outcomes.unknown += 1;
      throw this.#toCallerError(error);
    }
  }

  /**
   * @returns true when the writes of the group are stored, or it only read the latest state; otherwise it must run
   * again
   */
  async #attempt(body: () => void): Promise<boolean> {
    if (performance.now() < this.#contendedUntil) return this.#attemptAlone(body);
    const group = this.#decide(body);
    const decided = await encodeGroup(group);
    if (decided === undefined) return this.#isEnd(group.after);
    if ((await this.log.append(decided.after, decided.record)) === 'appended') {
      await this.#beginToApply(group);
      return true;
    }
    this.#contendedUntil = performance.now() + CONTENDED_MS;
    return false;
  }

  /** As `#attempt`, with other processes blocked from the read of the log to the end of the append. */
  async #attemptAlone(body: () => void): Promise<boolean> {
    await this.#last?.applied?.catch(() => undefined);
    let group: Group | undefined;
    const outcome = await this.log.appendExclusively(this.replica.at, async (missing) => {
      if (missing.kind !== 'records') throw new LogPositionLost(missing.kind);
      if (!missing.isEnd) return undefined;
      if (await this.replica.apply(missing.records)) this.#notifyListeners();
      group = this.#decide(body);
      return encodeGroup(group);
    });
    if (outcome === 'appended' && group !== undefined) await this.#beginToApply(group);
    // The bodies have not run when one read did not return all missing records.
    return outcome === 'appended' || (outcome === 'nothing' && group !== undefined);
  }

  /** Begins to apply an appended group, when the replica has the group before it. */
  async #beginToApply(group: Group): Promise<void> {
    this.#outcomes.appended += 1;
    await this.#last?.applied?.catch(() => undefined);
    this.#last = group;
    group.applied = this.#apply(group).finally(() => {
      if (this.#last === group) this.#last = undefined;
    });
    group.applied.catch(() => undefined);
  }

  /** Applies a record that this process has appended. The record is stored, even when this fails. */
  async #apply({ at, overlay }: Group): Promise<void> {
    try {
      await this.replica.applyOwn(at, overlay.writes);
    } catch (error) {
      if (error instanceof LogPositionLost) throw this.#toCallerError(error);
      this.#outcomes.unknown += 1;
      throw new ServiceError(
        'OutcomeUnknown',
        `the write is stored, but this process cannot read it yet: ${getMessage(error)}`,
        {},
        { cause: error },
      );
    }
  }

  /**
   * Runs the bodies on the state after the last group; nothing is written.
   * @throws ServiceError `ServiceUnavailable` when the replica has no room for their writes
   */
  #decide(body: () => void): Group {
    return this.replica.read((reads, place) => {
      // The replica may have it already.
      const last = this.#last?.after.id === place.id ? this.#last : undefined;
      const after = last?.at ?? place;
      const overlay = new Overlay(last?.overlay.rebase(reads) ?? reads);
      const group: Group = { after, at: { seq: after.seq + 1, id: randomUUID() }, overlay };
      this.#running = group;
      this.#newestId = group.at.id;
      try {
        body();
      } finally {
        this.#running = undefined;
      }
      this.replica.checkRoom(overlay.writes);
      return group;
    });
  }

  /** True when the log ends at a position, so that reads at that position are the latest. */
  async #isEnd(place: LogPosition): Promise<boolean> {
    const tail = await this.log.tail(place, 1);
    if (tail.kind !== 'records') throw new LogPositionLost(tail.kind);
    return tail.records.length === 0;
  }

  /**
   * Converts an error for callers. When the position is lost, all data of this process may be invalid, so it ends.
   */
  #toCallerError(error: unknown): unknown {
    if (!(error instanceof LogPositionLost)) return error;
    if (this.#broken === undefined) {
      this.#broken = unavailable(
        `${error.message}; the program exits, and reloads the log when it is restarted`,
      );
      this.options.onBroken?.(this.#broken);
    }
    return this.#broken;
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Undefined for a group without writes. */
async function encodeGroup({ after, at: { id }, overlay }: Group): Promise<Decided> {
  return overlay.writes.size === 0
    ? undefined
    : { after, record: { id, writes: await encodeRecord(overlay.writes) } };
}
