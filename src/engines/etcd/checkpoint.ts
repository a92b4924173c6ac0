import { randomUUID } from 'node:crypto';
import { unavailable } from '../../errors.js';
import type { KeyValue } from '../../store/engine.js';
import type { Checkpoint, LogPosition, NetWrites } from '../replicated/shared-log.js';
import { splitIntoBatches, writeBatches } from './batches.js';
import type { EtcdContext } from './context.js';
import { formatPlace, parsePlace, type StoreKeys } from './keys.js';
import { joinValue } from './long-values.js';
import { PageSize } from './page-size.js';
import { iteratePages } from './range-pages.js';
import { holds, getKey, put, range, readBy, remove, findText, getValue } from './requests.js';

/** A checkpoint that this process has read. */
interface Seen {
  readonly seq: number;
  /** By the monotonic clock of this process. */
  readonly atMs: number;
}

/**
 * The checkpoint of a log. A fold takes several transactions, so some keys may already be newer than the position of
 * the checkpoint. A reader continues with the log from that position, which sets these keys again. No key is ever
 * older.
 */
export class CheckpointKeys {
  #seen: Seen[] = [];

  constructor(
    private readonly context: EtcdContext,
    private readonly keys: StoreKeys,
  ) {}

  async at(): Promise<LogPosition> {
    const { client, retries } = this.context;
    const text = findText(await retries.persist(() => client.range({ start: this.keys.checkpoint })));
    if (text === undefined)
      throw unavailable(
        'the store in etcd has no checkpoint: the store was replaced, or its keys were changed manually',
      );
    return parsePlace(text);
  }

  async read(): Promise<Checkpoint> {
    return { at: await this.at(), pairs: this.#pairs() };
  }

  async *#pairs(): AsyncGenerator<readonly KeyValue[]> {
    const { context, keys } = this;
    const { client, retries } = context;
    const size = new PageSize();
    const pages = iteratePages(keys.values, (page) =>
      retries.persist(() => size.ask((limit) => client.range(page, { limit }))),
    );
    for await (const page of pages) {
      const pairs: KeyValue[] = [];
      for (const pair of page) {
        const key = keys.getKey(getKey(pair));
        const value = await retries.persist(() =>
          joinValue(client, getValue(pair), () => keys.longValue(key)),
        );
        // Missing parts: a fold is removing the key, and the log contains the removal as well.
        if (value !== undefined) pairs.push({ key, value });
      }
      if (pairs.length > 0) yield pairs;
    }
  }

  async fold(from: LogPosition, to: LogPosition, net: NetWrites): Promise<boolean> {
    this.#see(from);
    try {
      const isDone = await this.#bring(from, to, net);
      if (isDone) this.#see(to);
      return isDone;
    } finally {
      // Also when the writes failed for lack of space: trimming frees some.
      await this.#trim();
    }
  }

  /** See {@link SharedLog.trim}. */
  async trim(checkpoint: LogPosition): Promise<void> {
    this.#see(checkpoint);
    if (this.#old() !== undefined) await this.#trim();
  }

  #see({ seq }: LogPosition): void {
    if (this.#seen.at(-1)?.seq !== seq) this.#seen.push({ seq, atMs: performance.now() });
  }

  /** The latest checkpoint that was first seen longer ago than the retention. */
  #old(): Seen | undefined {
    const now = performance.now();
    return this.#seen.findLast(({ atMs }) => now - atMs >= this.context.address.retainMs);
  }

  async #bring(from: LogPosition, to: LogPosition, net: NetWrites): Promise<boolean> {
    const { context, keys } = this;
    const [own, place] = [randomUUID(), holds(keys.checkpoint, formatPlace(from))];
    // From now on other folds cannot write.
    if (!(await this.#write([place], [put(keys.fold, own)]))) return false;
    const isOurs = holds(keys.fold, own);
    const long = await context.retries.persist(() => this.#longValues());
    const writes = [...net].map(([key, value]) => ({ key: Buffer.from(key, 'latin1'), value }));
    const batches = splitIntoBatches(keys, writes, (start) => long.has(start.toString()));
    const isWritten = await writeBatches(batches, (batch) => this.#write([isOurs], batch));
    return isWritten && (await this.#move(isOurs, to));
  }

  /** Moves the checkpoint, and ends the fold. */
  async #move(isOurs: object, to: LogPosition): Promise<boolean> {
    const { context, keys } = this;
    const text = formatPlace(to);
    const txn = {
      compare: [isOurs],
      success: [put(keys.checkpoint, text), remove({ start: keys.fold })],
      // An earlier attempt may have stored it.
      failure: [range({ start: keys.checkpoint })],
    };
    const answer = await context.txn(txn);
    return answer.succeeded === true || findText(readBy(answer, 0)) === text;
  }

  /** The prefixes of the parts of long values, which are few. */
  async #longValues(): Promise<ReadonlySet<string>> {
    const { kvs = [] } = await this.context.client.range(this.keys.longValues, { keys_only: true });
    return new Set(
      kvs.map((pair) =>
        getKey(pair)
          .toString()
          .replace(/[^/]*$/u, ''),
      ),
    );
  }

  /** Removes records that a checkpoint has included for longer than the retention, as seen by this process. */
  async #trim(): Promise<void> {
    const { quota } = this.context;
    const old = this.#old();
    if (old !== undefined) {
      await this.context.txn({ success: this.keys.recordsBefore(old.seq).map(remove) });
      this.#seen = this.#seen.filter((one) => one.seq > old.seq);
    }
    await quota.compact();
    await quota.measure();
  }

  async #write(compare: object[], success: object[]): Promise<boolean> {
    return (await this.context.write({ compare, success })).succeeded === true;
  }
}
