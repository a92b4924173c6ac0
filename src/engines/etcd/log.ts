import { unavailable } from '../../errors.js';
import { isLoopback } from '../../lib/process/loopback.js';
import type { KeyValue, SpaceUse } from '../../store/engine.js';
import { ChangeNotifications, type OnAppend } from '../replicated/change-notifications.js';
import {
  ConnectionLost,
  RetryPolicy,
  type ServerOptions,
  unknownOutcome,
  NotSent,
} from '../replicated/retry-policy.js';
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
} from '../replicated/shared-log.js';
import { type EtcdAddress, isEncrypted } from './address.js';
import { CheckpointKeys } from './checkpoint.js';
import { EtcdClient } from './client.js';
import { EtcdContext } from './context.js';
import { asUnavailable, isRefusal } from './failures.js';
import { formatHead, type Head, headKey, parseHead, StoreKeys } from './keys.js';
import { loadStore } from './load.js';
import { splitValue, putParts, joinValue } from './long-values.js';
import { PageSize } from './page-size.js';
import { findStore } from './prepare.js';
import { holds, getKey, type Pair, put, range, readBy, remove, findText, getValue } from './requests.js';
import { QuotaMonitor } from './quota-monitor.js';
import { FairQueue } from './fair-queue.js';

/** Records that are read at once. */
const RECORDS_MAX = 64;

/**
 * Opens the log in an etcd cluster; creates it when it does not exist.
 * @throws ServiceError `ServiceUnavailable` when the cluster cannot be reached in time, or refuses
 */
export async function openEtcdLog(address: EtcdAddress, options: ServerOptions): Promise<SharedLog> {
  const client = new EtcdClient(address);
  const retries = new RetryPolicy({
    name: 'etcd',
    ...options,
    toCallerError: asUnavailable,
    isSerializationConflict: () => false,
  });
  const { warn } = options;
  const quota = new QuotaMonitor({ client, head: headKey(address.prefix), compacts: address.compacts, warn });
  try {
    const context = new EtcdContext(address, client, retries, quota);
    const { store } = await findStore(context);
    if (!isEncrypted(address) && address.members.some(({ host }) => !isLoopback(host)))
      warn('the connection to etcd is not encrypted; add ?cacert=FILE to the address of the store');
    await quota.measure();
    return new EtcdLog(context, store);
  } catch (error) {
    client.close();
    throw error;
  }
}

class EtcdLog implements SharedLog {
  readonly #head: Buffer;
  readonly #keys: StoreKeys;
  readonly #queue: FairQueue;
  readonly #checkpoint: CheckpointKeys;
  readonly #notices: ChangeNotifications;
  readonly #page = new PageSize(RECORDS_MAX);

  constructor(
    private readonly context: EtcdContext,
    readonly storeId: string,
  ) {
    const { address, client } = context;
    this.#head = headKey(address.prefix);
    this.#keys = new StoreKeys(address.prefix, storeId);
    this.#queue = new FairQueue(context, this.#keys);
    this.#checkpoint = new CheckpointKeys(context, this.#keys);
    this.#notices = new ChangeNotifications((onAppend) =>
      client.watch(this.#head, (head) => onAppend(head && findId(head))),
    );
  }

  append(after: LogPosition, record: NewRecord): Promise<'appended' | 'moved'> {
    return this.#append(after, record, []);
  }

  async appendExclusively(
    after: LogPosition,
    decide: (missing: Tail) => Promise<Decided>,
  ): Promise<AppendOutcome> {
    const turn = await this.#queue.take();
    let outcome: AppendOutcome | undefined;
    try {
      const decided = await decide(await this.tail(after, Number.MAX_SAFE_INTEGER));
      if (decided === undefined) return 'nothing';
      outcome = await this.#append(decided.after, decided.record, [remove({ start: turn })]);
      return outcome;
    } finally {
      // An append ends the turn. Otherwise the others need not wait until the turn times out.
      if (outcome !== 'appended') this.#queue.pass(turn).catch(() => undefined);
    }
  }

  async #append(
    after: LogPosition,
    { id, writes }: NewRecord,
    besides: object[],
  ): Promise<'appended' | 'moved'> {
    const { context } = this;
    const place = { seq: after.seq + 1, id };
    const { value, parts } = splitValue(writes);
    for (const part of putParts(this.#keys.parts(place), parts)) await context.write({ success: [part] });
    const key = this.#keys.record(place);
    const txn = {
      compare: [holds(this.#head, this.#headText(after))],
      success: [put(this.#head, this.#headText(place)), put(key, value), ...besides],
      // The head has moved, possibly to this record in an earlier attempt.
      failure: [range({ start: key }, { count_only: true })],
    };
    let wasSent = false;
    return context.retries.persist(
      () =>
        this.#sendOnce(txn, wasSent).catch((error: unknown) => {
          wasSent ||= error instanceof ConnectionLost && !(error instanceof NotSent);
          throw error;
        }),
      () => wasSent,
    );
  }

  async #sendOnce(txn: Parameters<EtcdClient['txn']>[0], wasSent: boolean): Promise<'appended' | 'moved'> {
    try {
      const answer = await this.context.quota.watching(() => this.context.client.txn(txn));
      return answer.succeeded === true || readBy(answer, 0).count === '1' ? 'appended' : 'moved';
    } catch (error) {
      if (wasSent && isRefusal(error)) throw unknownOutcome('etcd');
      throw error;
    }
  }

  tail(after: LogPosition, bytesMax: number): Promise<Tail> {
    return this.context.retries.persist(() =>
      bytesMax === 1 ? this.#tailOf(after, 1) : this.#page.ask((records) => this.#tailOf(after, records)),
    );
  }

  async #tailOf(after: LogPosition, records: number): Promise<Tail> {
    const answer = await this.context.client.txn({
      success: [
        range({ start: this.#head }),
        range(this.#keys.recordsFrom(after.seq), { limit: 1, keys_only: true }),
        range(this.#keys.recordsFrom(after.seq + 1), { limit: records }),
      ],
    });
    const head = this.#headIn(findText(readBy(answer, 0)));
    const [known] = readBy(answer, 1).kvs ?? [];
    if (head.store !== this.storeId || known === undefined) return { kind: 'diverged' };
    const found = this.#keys.getPlace(getKey(known));
    if (found.seq > after.seq) return { kind: 'trimmed' };
    if (found.id !== after.id) return { kind: 'diverged' };
    const following: LogRecord[] = [];
    for (const pair of readBy(answer, 2).kvs ?? []) {
      const record = await this.#recordOf(pair);
      if (record === undefined) return { kind: 'trimmed' };
      following.push(record);
    }
    return { kind: 'records', records: following, isEnd: (following.at(-1) ?? after).seq === head.seq };
  }

  async #recordOf(pair: Pair): Promise<LogRecord | undefined> {
    const place = this.#keys.getPlace(getKey(pair));
    const writes = await joinValue(this.context.client, getValue(pair), () => this.#keys.parts(place));
    return writes && { ...place, writes };
  }

  onAppend(listener: OnAppend): () => void {
    return this.#notices.listen(listener);
  }

  checkpoint(): Promise<Checkpoint> {
    return this.#checkpoint.read();
  }

  checkpointAt(): Promise<LogPosition> {
    return this.#checkpoint.at();
  }

  advanceCheckpoint(from: LogPosition, to: LogPosition, net: NetWrites): Promise<boolean> {
    return this.#checkpoint.fold(from, to, net);
  }

  trim(checkpoint: LogPosition): Promise<void> {
    return this.#checkpoint.trim(checkpoint);
  }

  load(pairs: AsyncIterable<readonly KeyValue[]>, replaced: boolean): Promise<void> {
    return loadStore(this.context, pairs, replaced);
  }

  problem(): string | undefined {
    return this.context.retries.problem() ?? this.context.quota.problem();
  }

  space(): SpaceUse | undefined {
    return this.context.quota.use();
  }

  async close(): Promise<void> {
    const { client } = this.context;
    client.close();
    await this.#notices.close();
  }

  #headText(place: LogPosition): string {
    return formatHead({ store: this.storeId, seq: place.seq, id: place.id });
  }

  #headIn(text: string | undefined): Head {
    const head = text === undefined ? undefined : parseHead(text);
    if (head === undefined || 'layout' in head)
      throw unavailable(
        `etcd no longer contains the store under ${this.context.address.prefix}/; its keys were changed manually`,
      );
    return head;
  }
}

function findId(text: string): string | undefined {
  const head = parseHead(text);
  return 'id' in head ? head.id : undefined;
}
