import { ChangeNotifications } from '../../src/engines/replicated/change-notifications.js';
import { RetryPolicy } from '../../src/engines/replicated/retry-policy.js';
import type {
  AppendOutcome,
  Checkpoint,
  Decided,
  LogPosition,
  NetWrites,
  NewRecord,
  SharedLog,
  Tail,
} from '../../src/engines/replicated/shared-log.js';
import { unavailable } from '../../src/errors.js';
import { getMessage } from '../../src/errors.js';
import type { KeyValue } from '../../src/store/engine.js';
import type { LogServer } from './log-server.js';
import type { Link } from './network.js';

/** Pairs of a checkpoint in one answer. */
const PART = 40;

/** The shared log as one process sees it, over the network. */
export class SimulatedLog implements SharedLog {
  readonly storeId: string;
  readonly #retries: RetryPolicy;
  readonly #notices: ChangeNotifications;

  constructor(
    private readonly server: LogServer,
    private readonly link: Link,
    timeoutMs: number,
  ) {
    this.storeId = server.storeId;
    this.#retries = new RetryPolicy({
      name: 'the log',
      timeoutMs,
      warn: () => undefined,
      toCallerError: (error) => unavailable(getMessage(error)),
      isSerializationConflict: () => false,
    });
    this.#notices = new ChangeNotifications((onAppend) =>
      this.link.stream((notify) => this.#subscribe(notify), onAppend),
    );
  }

  #subscribe(notify: () => void): () => void {
    this.server.subscribers.add(notify);
    return () => this.server.subscribers.delete(notify);
  }

  append(after: LogPosition, record: NewRecord): Promise<'appended' | 'moved'> {
    let wasSent = false;
    return this.#retries.persist(
      async () => {
        const isSentAgain = wasSent;
        wasSent = true;
        if (await this.link.request('append', () => this.server.append(after, record))) return 'appended';
        return isSentAgain && (await this.#isStored(after, record)) ? 'appended' : 'moved';
      },
      () => wasSent,
    );
  }

  appendExclusively(after: LogPosition, decide: (missing: Tail) => Promise<Decided>): Promise<AppendOutcome> {
    let sent: Decided;
    return this.#retries.persist<AppendOutcome>(
      async () => {
        const turn = await this.link.request('begin a turn', () => this.server.beginTurn());
        try {
          // An append in an earlier turn is refused from now on.
          if (sent !== undefined)
            return (await this.#isStored(sent.after, sent.record)) ? 'appended' : 'moved';
          const decided = await decide(await this.#tail(after, Infinity));
          if (decided === undefined) return 'nothing';
          sent = decided;
          const { after: last, record } = decided;
          const append = (): Promise<boolean> => this.server.append(last, record, turn);
          return (await this.link.request('append in a turn', append)) ? 'appended' : 'moved';
        } finally {
          this.link.request('end a turn', () => this.server.endTurn(turn)).catch(() => undefined);
        }
      },
      () => sent !== undefined,
    );
  }

  #isStored(after: LogPosition, record: NewRecord): Promise<boolean> {
    return this.link.request('is it stored', () => this.server.isStored(after, record));
  }

  tail(after: LogPosition, bytesMax: number): Promise<Tail> {
    return this.#retries.persist(() => this.#tail(after, bytesMax));
  }

  #tail(after: LogPosition, bytesMax: number): Promise<Tail> {
    return this.link.request('read the log', () => this.server.tail(after, bytesMax));
  }

  onAppend(listener: () => void): () => void {
    return this.#notices.listen(listener);
  }

  async checkpoint(): Promise<Checkpoint> {
    const { seq, id, state } = await this.#ask('read the checkpoint', () => this.server.checkpoint);
    const pairs = state.keys.map((key) => ({
      key: Buffer.from(key, 'latin1'),
      value: Buffer.from(state.values.get(key) ?? ''),
    }));
    return { at: { seq, id }, pairs: this.#parts(pairs) };
  }

  async *#parts(pairs: readonly KeyValue[]): AsyncGenerator<readonly KeyValue[]> {
    for (let at = 0; at < pairs.length; at += PART)
      yield this.#ask('read a part', () => pairs.slice(at, at + PART));
  }

  async checkpointAt(): Promise<LogPosition> {
    const { seq, id } = await this.#ask('find the checkpoint', () => this.server.checkpoint);
    return { seq, id };
  }

  advanceCheckpoint(from: LogPosition, to: LogPosition, net: NetWrites): Promise<boolean> {
    return this.#ask('advance the checkpoint', () => this.server.advance(from, to, net));
  }

  trim(): Promise<void> {
    return this.#ask('trim the log', () => this.server.trim());
  }

  #ask<T>(label: string, execute: () => T): Promise<T> {
    return this.#retries.persist(() => this.link.request(label, execute));
  }

  load(): Promise<void> {
    return Promise.reject(new Error('a simulated log is not loaded'));
  }

  problem(): string | undefined {
    return this.#retries.problem();
  }

  async close(): Promise<void> {
    this.link.endStreams();
    await this.#notices.close();
  }
}
