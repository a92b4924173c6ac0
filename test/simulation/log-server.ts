import { decodeRecord } from '../../src/engines/replicated/log-record.js';
import type {
  LogPosition,
  LogRecord,
  NetWrites,
  NewRecord,
  Tail,
} from '../../src/engines/replicated/shared-log.js';
import type { Archive } from './archive.js';
import { Pairs } from './pairs.js';
import type { SimulatedProcess } from './scheduler.js';

/** The longest time of a turn; its holder may have died. */
const TURN_MS = 400;

interface Stored extends LogRecord {
  readonly timeMs: number;
  /** All keys after it. */
  readonly state: Pairs;
}

export interface LogServerOptions {
  readonly archive: Archive;
  /** Records younger than this are not removed. */
  readonly retainMs: number;
  /** The most bytes of one read. */
  readonly partBytes: number;
}

/** The server of a shared log. It never fails; the network before it does. */
export class LogServer {
  readonly storeId = 'log';
  readonly subscribers = new Set<() => void>();
  /** Every record that there ever was; readers get those from {@link #first} on. */
  readonly #records: Stored[] = [
    { seq: 0, id: 'begin', writes: Buffer.alloc(0), timeMs: 0, state: new Pairs() },
  ];
  #first = 0;
  #checkpoint = 0;
  /** The turns of writers: the first one is under way. */
  readonly #turns: { readonly begin: () => void }[] = [];

  constructor(
    readonly process: SimulatedProcess,
    private readonly options: LogServerOptions,
  ) {}

  /** The record at a position; undefined when the log never had it. */
  at(seq: number): Stored | undefined {
    return this.#records[seq];
  }

  get last(): Stored {
    return this.#records.at(-1) as Stored;
  }

  get checkpoint(): Stored {
    return this.#records[this.#checkpoint] as Stored;
  }

  /** Waits until no other writer has a turn. The turn must be ended; it ends by itself after a time. */
  async beginTurn(): Promise<object> {
    const turn = await new Promise<object>((resolve) => {
      const one = { begin: () => resolve(one) };
      this.#turns.push(one);
      if (this.#turns[0] === one) one.begin();
    });
    this.process.later(TURN_MS, 'ends a turn', () => this.endTurn(turn));
    return turn;
  }

  endTurn(turn: object): void {
    if (this.#turns[0] !== turn) return;
    this.#turns.shift();
    this.#turns.at(0)?.begin();
  }

  /** @param turn of the writer. Default: a new one */
  async append(after: LogPosition, record: NewRecord, turn?: object): Promise<boolean> {
    const own = turn ?? (await this.beginTurn());
    const writes = await decodeRecord(record.writes);
    if (this.#turns[0] !== own) return false;
    this.endTurn(own);
    const { last } = this;
    if (last.seq !== after.seq || last.id !== after.id) return false;
    const state = last.state.with(new Map(writes.map(({ key, value }) => [key.toString('latin1'), value])));
    this.options.archive.note(last.state, state);
    this.#records.push({ ...record, seq: last.seq + 1, timeMs: this.process.scheduler.nowMs, state });
    for (const notify of this.subscribers) notify();
    return true;
  }

  isStored({ seq }: LogPosition, { id }: NewRecord): boolean {
    return this.#records[seq + 1]?.id === id;
  }

  tail(after: LogPosition, bytesMax: number): Tail {
    if (this.#records[after.seq]?.id !== after.id) return { kind: 'diverged' };
    if (after.seq < this.#first) return { kind: 'trimmed' };
    const most = Math.min(bytesMax, this.options.partBytes);
    const records: LogRecord[] = [];
    for (let bytes = 0, seq = after.seq + 1; bytes < most && seq <= this.last.seq; seq++) {
      const { id, writes } = this.#records[seq] as Stored;
      records.push({ seq, id, writes });
      bytes += writes.length;
    }
    return { kind: 'records', records, isEnd: after.seq + records.length === this.last.seq };
  }

  /** @throws Error when the writes are not those between the positions */
  advance(from: LogPosition, to: LogPosition, net: NetWrites): boolean {
    const { checkpoint } = this;
    if (checkpoint.id !== from.id) return false;
    const wanted = this.#records[to.seq];
    if (wanted?.id !== to.id || !checkpoint.state.with(net).equals(wanted.state))
      throw new Error('a fold has other writes than the log');
    this.#checkpoint = to.seq;
    this.trim();
    return true;
  }

  trim(): void {
    const oldest = this.process.scheduler.nowMs - this.options.retainMs;
    while (this.#first < this.#checkpoint && (this.#records[this.#first] as Stored).timeMs <= oldest)
      this.#first++;
  }
}
