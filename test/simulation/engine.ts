import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalEngine } from '../../src/engines/lmdb/engine.js';
import { ReadOrder } from '../../src/engines/lmdb/read-order.js';
import { LockWait, TICK_MS } from '../../src/engines/lmdb/lock-wait.js';
import { unavailable } from '../../src/errors.js';
import type { MaybePromise } from '../../src/lib/work/maybe-promise.js';
import type { CommitOptions, KeyReads, Snapshot, Transaction } from '../../src/store/engine.js';
import { GroupCommit } from '../../src/store/group-commit.js';
import { Overlay } from '../../src/store/overlay.js';
import type { Disk } from './disk.js';
import type { Pairs } from './pairs.js';
import type { SimulatedProcess } from './scheduler.js';
import { SimulatedSnapshot } from './snapshot.js';

const WRITER_WAIT_MS = 5_000;
const POLL_MS = 250;
const REPAIR_MS = 5;

/** The engine of one process on a simulated disk. */
export class SimulatedEngine implements LocalEngine {
  openSnapshots = 0;
  readonly #group = new GroupCommit((body) => this.#commitGroup(body));
  readonly #lockWait = new LockWait(WRITER_WAIT_MS, () => 'another process holds the lock of writers');
  readonly #listeners = new Set<() => void>();
  readonly #ticking: NodeJS.Timeout;
  readonly #readOrder = new ReadOrder(() => this.disk.visible.commits);
  #transaction: Overlay | undefined;
  #isCommitting = false;
  #isClosed = false;

  constructor(
    private readonly disk: Disk,
    readonly process: SimulatedProcess,
    /** The share of reads that wait for the disk. */
    private readonly waitingReads: number,
  ) {
    disk.engines.add(this);
    this.#ticking = setInterval(() => this.#tick(), TICK_MS);
  }

  /** The result of a read, now or later. */
  read<T>(read: () => T): MaybePromise<T> {
    const { scheduler } = this.process;
    scheduler.noteRead();
    if (this.#isClosed) throw new Error('the store is closed');
    if (!scheduler.random.chance(this.waitingReads)) return read();
    const ms = scheduler.random.next() ** 4 * 10;
    return new Promise((resolve) => this.process.later(ms, 'has read', () => resolve(read())));
  }

  get(key: Uint8Array): MaybePromise<Buffer | undefined> {
    return this.read(() => this.#beginToRead().get(key));
  }

  follow(key: Uint8Array, next: (value: Buffer) => Uint8Array): MaybePromise<Buffer | undefined> {
    return this.read(() => {
      const visible = this.#beginToRead();
      const value = visible.get(key);
      return value && visible.get(next(value));
    });
  }

  snapshot(): Snapshot {
    this.process.scheduler.noteRead();
    return new SimulatedSnapshot(this, this.#beginToRead());
  }

  readMoment<T>(body: (reads: KeyReads) => T): T {
    this.process.scheduler.noteRead();
    if (this.#isClosed) throw unavailable('the store is closed');
    return body(readsOf(this.#beginToRead()));
  }

  #beginToRead(): Pairs {
    const { visible } = this.disk;
    this.#readOrder.note();
    return visible;
  }

  countSetbacks(): () => number {
    return this.#readOrder.count();
  }

  checkRoom(): void {
    if (this.disk.isFull) throw unavailable('the disk is full');
  }

  async commit<T>(body: (tx: Transaction) => T, { dryRun = false }: CommitOptions = {}): Promise<T> {
    const { problem } = this.#lockWait;
    if (problem !== undefined) throw unavailable(problem);
    return this.#group.run(() => {
      const group = this.#transaction;
      if (group === undefined) throw new Error('no transaction is open');
      const isRepeated = this.process.scheduler.random.chance(0.1);
      if (isRepeated) body(new Overlay(group));
      const tx = new Overlay(group);
      const answer = body(tx);
      if (!dryRun) group.merge(tx);
      return answer;
    });
  }

  async #commitGroup(body: () => void): Promise<void> {
    if (this.#isClosed) throw unavailable('the store is closed');
    this.checkRoom();
    this.#isCommitting = true;
    try {
      while (!(await this.#withLock(() => this.#write(body)))) await sleep(REPAIR_MS);
    } finally {
      this.#isCommitting = false;
    }
  }

  /** @returns false when readers had an older commit, which is repaired now: nothing was done */
  async #withLock(work: () => Promise<void>): Promise<boolean> {
    const hasLock = this.#lockWait.begin();
    await this.disk.lock(this.process);
    hasLock();
    try {
      if (this.disk.repair(this.process.scheduler.nowMs)) return false;
      if (!this.#isClosed) await work();
      return true;
    } finally {
      this.disk.unlock(this.process);
    }
  }

  async #write(body: () => void): Promise<void> {
    const { disk, process } = this;
    const newest = disk.answersEarly ? disk.visible : disk.durable;
    const tx = new Overlay(readsOf(newest));
    this.#transaction = tx;
    body();
    this.#transaction = undefined;
    if (tx.writes.size === 0) return;
    const next = newest.with(tx.writes);
    if (disk.answersEarly) process.later(this.#flushMs(), 'has written', () => disk.store(disk.visible));
    else {
      disk.beginWrite(next);
      await this.#wait(this.#flushMs(), 'has written');
      disk.store(next);
      await this.#wait(0.05, 'publishes the commit');
    }
    disk.visible = next;
    for (const other of disk.engines) if (other !== this) other.notify();
  }

  #flushMs(): number {
    return this.disk.flushMs * (0.5 + this.process.scheduler.random.next());
  }

  #wait(ms: number, label: string): Promise<void> {
    return new Promise((resolve) => this.process.later(ms, label, resolve));
  }

  #tick(): void {
    const problem = this.#lockWait.tick();
    if (problem !== undefined) this.#group.refuse(unavailable(problem));
    if (!this.#isCommitting && !this.#lockWait.isWaiting) void this.#withLock(() => Promise.resolve());
  }

  /** Calls the listeners, late or not at all. */
  notify(): void {
    const { random } = this.process.scheduler;
    if (this.#listeners.size === 0 || random.chance(0.1)) return;
    this.process.later(random.next() ** 3 * 100, 'notices a commit', () => {
      for (const listener of this.#listeners) listener();
    });
  }

  onOtherCommit(listener: () => void): () => void {
    const call = (): void => listener();
    this.#listeners.add(call);
    const poll = setInterval(call, POLL_MS);
    return () => {
      this.#listeners.delete(call);
      clearInterval(poll);
    };
  }

  writeProblem(): string | undefined {
    return this.disk.isFull ? 'the disk is full' : this.#lockWait.problem;
  }

  clearDeadReaders(): void {
    // Snapshots of dead processes keep nothing.
  }

  sharedLog(): undefined {
    return undefined;
  }

  async foldLog(): Promise<void> {
    // There is no log.
  }

  async close(): Promise<void> {
    await this.#group.idle();
    this.#isClosed = true;
    clearInterval(this.#ticking);
    this.disk.engines.delete(this);
  }
}

function readsOf(pairs: Pairs): KeyReads {
  return { get: (key) => pairs.get(key), first: (range) => pairs.scan(range, 1)[0] };
}
