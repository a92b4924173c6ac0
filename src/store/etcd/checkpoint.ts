import { randomUUID } from 'node:crypto';
import { unavailable } from '../../errors.js';
import type { KeyValue } from '../engine.js';
import type { Reach } from '../replicated/reach.js';
import type { Checkpoint, LogPosition, NetWrites } from '../replicated/shared-log.js';
import { batchesOf } from './batches.js';
import type { EtcdClient } from './client.js';
import { formatPlace, parsePlace, type StoreKeys } from './keys.js';
import { whole } from './long-values.js';
import { PageSize } from './pages.js';
import { holds, keyOf, put, range, readBy, remove, textOf, valueOf } from './requests.js';
import type { Space } from './space.js';

/** Transactions that are under way at once: the keys of a fold do not depend on each other. */
const AT_ONCE = 4;

interface Parts {
  readonly client: EtcdClient;
  readonly reach: Reach;
  readonly space: Space;
  readonly keys: StoreKeys;
}

/** A checkpoint that this process has seen. */
interface Seen {
  readonly seq: number;
  /** By the clock of this process that never runs back. */
  readonly atMs: number;
}

/**
 * The checkpoint of a log. A fold takes several transactions, so some keys may already be as of a later place than the
 * checkpoint says. Whoever reads it goes on with the log from there, which sets these keys again; no key is ever behind.
 */
export class CheckpointKeys {
  #seen: Seen[] = [];

  constructor(
    private readonly parts: Parts,
    private readonly retainMs: number,
  ) {}

  async at(): Promise<LogPosition> {
    const { client, reach, keys } = this.parts;
    const text = textOf(await reach.persist(() => client.range({ start: keys.checkpoint })));
    if (text === undefined)
      throw unavailable(
        'the store in etcd has no checkpoint: it was replaced, or its keys were changed by hand',
      );
    return parsePlace(text);
  }

  async read(): Promise<Checkpoint> {
    return { at: await this.at(), pairs: this.#pairs() };
  }

  async *#pairs(): AsyncGenerator<readonly KeyValue[]> {
    const { client, reach, keys } = this.parts;
    const size = new PageSize();
    const { end } = keys.values;
    let start = keys.values.start;
    for (let isEnd = false; !isEnd;) {
      const from = start;
      const page = await reach.persist(() =>
        size.ask((limit) => client.range({ start: from, ...(end && { end }) }, { limit })),
      );
      const pairs: KeyValue[] = [];
      for (const pair of page.kvs ?? []) {
        const stored = keyOf(pair);
        const key = keys.keyOf(stored);
        const value = await reach.persist(() => whole(client, valueOf(pair), keys.longValue(key)));
        // Parts that are gone: a fold is removing the key, and the log says so as well.
        if (value !== undefined) pairs.push({ key, value });
        start = Buffer.concat([stored, Buffer.from([0])]);
      }
      if (pairs.length > 0) yield pairs;
      isEnd = page.more !== true;
    }
  }

  async fold(from: LogPosition, to: LogPosition, net: NetWrites): Promise<boolean> {
    this.#see(from);
    try {
      const isDone = await this.#bring(from, to, net);
      if (isDone) this.#see(to);
      return isDone;
    } finally {
      // Also when there was no room for the writes: this makes some.
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

  /** The last checkpoint that was seen long ago. */
  #old(): Seen | undefined {
    const now = performance.now();
    return this.#seen.findLast(({ atMs }) => now - atMs >= this.retainMs);
  }

  async #bring(from: LogPosition, to: LogPosition, net: NetWrites): Promise<boolean> {
    const { reach, keys } = this.parts;
    const [own, place] = [randomUUID(), holds(keys.checkpoint, formatPlace(from))];
    // Whoever else folds can write no more from here on.
    if (!(await this.#write([place], [put(keys.fold, own)]))) return false;
    const isOurs = holds(keys.fold, own);
    const long = await reach.persist(() => this.#longValues());
    const writes = [...net].map(([key, value]) => ({ key: Buffer.from(key, 'latin1'), value }));
    const batches = batchesOf(keys, writes, (start) => long.has(start.toString()));
    const work = async (): Promise<boolean> => {
      for (const batch of batches) if (!(await this.#write([isOurs], batch))) return false;
      return true;
    };
    const done = await Promise.all(Array.from({ length: AT_ONCE }, work));
    return !done.includes(false) && (await this.#move(isOurs, to));
  }

  /** Moves the checkpoint, and gives up the fold. */
  async #move(isOurs: object, to: LogPosition): Promise<boolean> {
    const { client, reach, keys } = this.parts;
    const text = formatPlace(to);
    const txn = {
      compare: [isOurs],
      success: [put(keys.checkpoint, text), remove({ start: keys.fold })],
      // When it was sent before, it may be there.
      failure: [range({ start: keys.checkpoint })],
    };
    const answer = await reach.persist(() => client.txn(txn));
    return answer.succeeded === true || textOf(readBy(answer, 0)) === text;
  }

  /** Where the parts of long values begin; there are few. */
  async #longValues(): Promise<ReadonlySet<string>> {
    const { client, keys } = this.parts;
    const { kvs = [] } = await client.range(keys.longValues, { keys_only: true });
    return new Set(
      kvs.map((pair) =>
        keyOf(pair)
          .toString()
          .replace(/[^/]*$/u, ''),
      ),
    );
  }

  /** Forgets records that were covered by a checkpoint long ago, as this process has seen. */
  async #trim(): Promise<void> {
    const { client, reach, keys, space } = this.parts;
    const old = this.#old();
    if (old !== undefined) {
      const success = keys.recordsBefore(old.seq).map(remove);
      await reach.persist(() => client.txn({ success }));
      this.#seen = this.#seen.filter((one) => one.seq > old.seq);
    }
    await space.compact();
    await space.measure();
  }

  async #write(compare: object[], success: object[]): Promise<boolean> {
    const { client, reach, space } = this.parts;
    const answer = await reach.persist(() => space.watching(() => client.txn({ compare, success })));
    return answer.succeeded === true;
  }
}
