import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError, unavailable } from '../../src/errors.js';
import type { KeyValue } from '../../src/store/engine.js';
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
} from '../../src/engines/replicated/shared-log.js';
import type { Random } from '../helpers/seed.js';

/** The failures of a log, each with its probability (0 to 1). */
export interface Weather {
  readonly random: Random;
  /** The answer comes some turns or milliseconds later. */
  readonly late?: number;
  /** The writer gets an error that leaves the outcome open. A third are appended, a third a little later. */
  readonly unknown?: number;
  /** The log cannot be reached. */
  readonly away?: number;
}

/** The log and the checkpoint that processes share. Each opens a {@link MemoryLog} on it. */
export class MemoryServer {
  readonly storeId = randomUUID();
  records: LogRecord[] = [{ seq: 0, id: randomUUID(), writes: Buffer.alloc(0) }];
  checkpoint = { at: placeOf(this.records[0]), pairs: new Map<string, Buffer>() };
  isAway = false;
  readonly listeners = new Set<() => void>();
  #turn: Promise<unknown> = Promise.resolve();

  get head(): LogPosition {
    return placeOf(this.records.at(-1));
  }

  append(after: LogPosition, { id, writes }: NewRecord): boolean {
    const { head } = this;
    if (head.seq !== after.seq || head.id !== after.id) return false;
    this.records.push({ seq: head.seq + 1, id, writes });
    for (const listener of this.listeners) listener();
    return true;
  }

  /** Runs one after another, in the order of the calls. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Forgets records before a place. */
  trim(keepFrom: number): void {
    this.records = this.records.filter(({ seq }) => seq >= keepFrom);
  }

  /** Loses the last records, as a standby that was behind. */
  lose(count: number): void {
    this.records.splice(-count);
  }
}

/** A log in memory, in whatever weather the test wants. */
export class MemoryLog implements SharedLog {
  readonly storeId: string;
  readonly #own = new Set<() => void>();

  constructor(
    private readonly server: MemoryServer,
    private readonly weather?: Weather,
  ) {
    this.storeId = server.storeId;
  }

  async append(after: LogPosition, record: NewRecord): Promise<'appended' | 'moved'> {
    await this.#reach();
    // Exclusive appends hold the same lock.
    return this.server.alone(() => this.#append(after, record));
  }

  appendExclusively(after: LogPosition, decide: (missing: Tail) => Promise<Decided>): Promise<AppendOutcome> {
    return this.server.alone(async () => {
      await this.#reach();
      const decided = await decide(this.#tail(after));
      return decided === undefined ? 'nothing' : this.#append(decided.after, decided.record);
    });
  }

  async tail(after: LogPosition): Promise<Tail> {
    await this.#reach();
    const tail = this.#tail(after);
    await this.#wait();
    return tail;
  }

  onAppend(listener: () => void): () => void {
    this.server.listeners.add(listener);
    this.#own.add(listener);
    return () => this.server.listeners.delete(listener);
  }

  async checkpoint(): Promise<Checkpoint> {
    await this.#reach();
    const { at, pairs } = this.server.checkpoint;
    const sorted = [...pairs].sort(([a], [b]) => (a < b ? -1 : 1));
    const all = sorted.map(([key, value]) => ({ key: Buffer.from(key, 'latin1'), value }));
    return { at, pairs: partsOf(all) };
  }

  async checkpointAt(): Promise<LogPosition> {
    await this.#reach();
    return this.server.checkpoint.at;
  }

  async advanceCheckpoint(from: LogPosition, to: LogPosition, net: NetWrites): Promise<boolean> {
    await this.#reach();
    const { at, pairs } = this.server.checkpoint;
    if (at.id !== from.id) return false;
    const folded = new Map(pairs);
    for (const [key, value] of net) {
      if (value === undefined) folded.delete(key);
      else folded.set(key, value);
    }
    this.server.checkpoint = { at: to, pairs: folded };
    return true;
  }

  async trim(): Promise<void> {
    await this.#reach();
  }

  async load(pairs: AsyncIterable<readonly KeyValue[]>): Promise<void> {
    const filled = new Map<string, Buffer>();
    for await (const part of pairs)
      for (const { key, value } of part) filled.set(key.toString('latin1'), value);
    const first = { seq: 1, id: randomUUID(), writes: Buffer.alloc(0) };
    this.server.records = [first];
    this.server.checkpoint = { at: placeOf(first), pairs: filled };
  }

  problem(): string | undefined {
    return this.server.isAway ? 'the log is away' : undefined;
  }

  async close(): Promise<void> {
    for (const listener of this.#own) this.server.listeners.delete(listener);
  }

  async #append(after: LogPosition, record: NewRecord): Promise<'appended' | 'moved'> {
    const { random, unknown = 0 } = this.weather ?? {};
    if (random?.chance(unknown) === true) {
      const fate = random.pick(['stored', 'later', 'lost']);
      if (fate === 'stored') this.server.append(after, record);
      if (fate === 'later') setTimeout(() => this.server.append(after, record), random.below(4));
      throw new ServiceError('OutcomeUnknown', 'the commit may be stored');
    }
    const outcome = this.server.append(after, record) ? 'appended' : 'moved';
    await this.#wait();
    return outcome;
  }

  #tail(after: LogPosition): Tail {
    const { records } = this.server;
    const from = records.findIndex(({ seq }) => seq >= after.seq);
    const first = records[from];
    if (first === undefined || (first.seq === after.seq && first.id !== after.id))
      return { kind: 'diverged' };
    if (first.seq !== after.seq) return { kind: 'trimmed' };
    const most = this.weather?.random.below(20) ?? 100;
    const wanted = records.slice(from + 1, from + 2 + most);
    return { kind: 'records', records: wanted, isEnd: from + 1 + wanted.length === records.length };
  }

  async #reach(): Promise<void> {
    await this.#wait();
    const { random, away = 0 } = this.weather ?? {};
    if (this.server.isAway || random?.chance(away) === true) throw unavailable('the log cannot be reached');
  }

  async #wait(): Promise<void> {
    const { random, late = 0 } = this.weather ?? {};
    if (random?.chance(late) === true) await sleep(random.below(3));
    else await Promise.resolve();
  }
}

function placeOf(record: LogRecord | undefined): LogPosition {
  if (record === undefined) throw new Error('the log is empty');
  return { seq: record.seq, id: record.id };
}

async function* partsOf<T>(all: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < all.length; at += 100) yield all.slice(at, at + 100);
}
