import { unavailable } from '../../errors.js';
import { isLoopback } from '../../lib/loopback.js';
import { Lost, type Reach } from '../replicated/reach.js';
import { type EtcdAddress, isEncrypted } from './address.js';
import type { EtcdClient } from './client.js';
import { Full, FULL, Refused } from './failures.js';
import type { AlarmAnswer, StatusAnswer } from './requests.js';

/** The quota unless members are started with another; etcd before 3.6 does not tell it. */
const QUOTA_BYTES = 2 * 1024 ** 3;
/** Of the quota: more is worth a warning. */
const WARN_SHARE = 0.75;
/** Between two questions whether a full database has room again, in milliseconds. */
const LOOK_MS = 2_000;
/** Older ones have no `/v3/` in their gateway. */
const VERSION_MIN = [3, 4] as const;

interface Given {
  readonly client: EtcdClient;
  readonly reach: Reach;
  readonly address: EtcdAddress;
  readonly warn: (message: string) => void;
}

/** The room that etcd has: tells before it ends, when it has ended, and has etcd forget what keys held before. */
export class Space {
  #isFull = false;
  #lookedAt = 0;
  #isNearlyFull = false;
  /** Of the fold before: watches and pages that are under way read no older one. */
  #revision: string | undefined;

  private constructor(private readonly given: Given) {}

  /** @throws ServiceError `ServiceUnavailable` when the cluster is too old */
  static async open(given: Given): Promise<Space> {
    const { address, warn } = given;
    const space = new Space(given);
    const { version } = await space.#status();
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major < VERSION_MIN[0] || (major === VERSION_MIN[0] && minor < VERSION_MIN[1]))
      throw unavailable(`etcd ${version} is too old; version ${VERSION_MIN.join('.')} or later is needed`);
    if (!isEncrypted(address) && address.members.some(({ host }) => !isLoopback(host)))
      warn('the connection to etcd is not encrypted; add ?cacert=FILE to the address of the store');
    return space;
  }

  /** Makes a write, and remembers when it is refused for want of room. */
  async watching<T>(write: () => Promise<T>): Promise<T> {
    try {
      const done = await write();
      this.#isFull = false;
      return done;
    } catch (error) {
      if (error instanceof Full && !this.#isFull) {
        this.#isFull = true;
        this.given.warn(FULL);
      }
      throw error;
    }
  }

  /** Why nothing can be written now; undefined while it can. */
  problem(): string | undefined {
    if (!this.#isFull) return undefined;
    if (performance.now() - this.#lookedAt > LOOK_MS) this.#askAlarms().catch(() => undefined);
    return FULL;
  }

  /** Now and then: has etcd forget what is no longer needed, and warns before it is full. */
  async look(): Promise<void> {
    try {
      await this.#compact();
      await this.#status();
    } catch (error) {
      // It is tried again after the next fold; the store itself needs neither.
      if (!(error instanceof Refused || error instanceof Lost)) throw error;
    }
  }

  async #askAlarms(): Promise<void> {
    this.#lookedAt = performance.now();
    const { alarms = [] } = await this.given.client.call<AlarmAnswer>('/v3/maintenance/alarm', {
      action: 'GET',
    });
    this.#isFull = alarms.some(({ alarm }) => alarm === 'NOSPACE');
  }

  async #status(): Promise<StatusAnswer> {
    const { client, reach, warn } = this.given;
    const status = await reach.persist(() => client.call<StatusAnswer>('/v3/maintenance/status', {}));
    const [used, quota] = [Number(status.dbSize ?? 0), Number(status.dbSizeQuota ?? QUOTA_BYTES)];
    const isNearlyFull = used > WARN_SHARE * quota;
    if (isNearlyFull && !this.#isNearlyFull)
      warn(
        `the database of etcd has ${gib(used)}; it refuses writes at its quota, ${gib(quota)} unless --quota-backend-bytes ` +
          'says otherwise: defragment each member (etcdctl defrag), or give it more',
      );
    this.#isNearlyFull = isNearlyFull;
    return status;
  }

  async #compact(): Promise<void> {
    const { client, address } = this.given;
    if (!address.compacts) return;
    const before = this.#revision;
    const { header } = await client.txn({ success: [] });
    this.#revision = header.revision;
    if (before !== undefined) await client.call('/v3/kv/compaction', { revision: before });
  }
}

function gib(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
