import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../errors.js';
import type { SpaceUse } from '../../store/engine.js';
import { AccessDenied, ConnectionLost } from '../replicated/retry-policy.js';
import type { EtcdClient } from './client.js';
import { Full, FULL, Refused } from './failures.js';
import { holds, put, type StatusAnswer } from './requests.js';

/** The quota of members that do not tell theirs, unless they are started with another. */
const QUOTA_BYTES = 2 * 1024 ** 3;
/** Among what a member tells of itself; in its status only etcd 3.6 and later have it. */
const QUOTA_METRIC = /^etcd_server_quota_backend_bytes (\S+)$/mu;
/** Of the quota: more is worth a warning. */
const WARN_SHARE = 0.75;
/** Between two questions whether a full database has room again, in milliseconds. */
const PROBE_MS = 2_000;
/** What is known of the space is asked anew when it is older, in milliseconds. */
const KNOWN_MS = 10_000;

interface Given {
  readonly client: EtcdClient;
  /** Of the store: it is compared, and never written here. */
  readonly head: Buffer;
  /** Whether etcd is told to forget what keys held before. */
  readonly compacts: boolean;
  readonly warn: (message: string) => void;
}

/** The room that etcd has: tells before it ends, when it has ended, and has etcd forget what keys held before. */
export class QuotaMonitor {
  #use: SpaceUse | undefined;
  #isFull = false;
  #isNearlyFull = false;
  #isToldOfDenial = false;
  #probedAt = -Infinity;
  #measuredAt = -Infinity;
  /** Of the fold before: watches and pages that are under way read no older one. */
  #revision: string | undefined;

  constructor(private readonly given: Given) {}

  /** Makes a write, and remembers whether it was refused for want of room. */
  async watching<T>(write: () => Promise<T>): Promise<T> {
    try {
      const done = await write();
      if (this.#isFull) this.given.warn('the etcd database has free space again');
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
    if (performance.now() - this.#probedAt > PROBE_MS) void this.#probe();
    return FULL;
  }

  /** How much is used, as of some seconds ago; undefined where etcd does not tell it. */
  use(): SpaceUse | undefined {
    if (performance.now() - this.#measuredAt > KNOWN_MS) void this.measure();
    return this.#use;
  }

  /** Has etcd forget what is no longer needed. What the store does needs it only in the long run, so nothing fails here. */
  async compact(): Promise<void> {
    if (!this.given.compacts) return;
    const { client } = this.given;
    const before = this.#revision;
    await quietly(async () => {
      const { header } = await client.txn({ success: [] });
      this.#revision = header.revision;
      if (before === undefined) return;
      await client.call('/v3/kv/compaction', { revision: before }).catch((error: unknown) => {
        this.#tellOfDenial(error);
      });
    });
  }

  /** Looks how much is used, and warns when it is much. */
  async measure(): Promise<void> {
    this.#measuredAt = performance.now();
    await quietly(async () => {
      const status = await this.given.client.call<StatusAnswer>('/v3/maintenance/status', {});
      const usedBytes = Number(status.dbSize ?? 0);
      const quotaBytes = Number(status.dbSizeQuota ?? 0) || (await this.#quota());
      this.#use = { usedBytes, quotaBytes };
      const isNearlyFull = usedBytes > WARN_SHARE * quotaBytes;
      if (isNearlyFull && !this.#isNearlyFull)
        this.given.warn(
          `the etcd database uses ${mib(usedBytes)} and rejects writes at its quota of ${mib(quotaBytes)}: ` +
            'defragment each member (etcdctl defrag), or start them with a larger --quota-backend-bytes',
        );
      this.#isNearlyFull = isNearlyFull;
    });
  }

  async #quota(): Promise<number> {
    const [, bytes] = QUOTA_METRIC.exec(await this.given.client.metrics()) ?? [];
    return Number(bytes ?? 0) || QUOTA_BYTES;
  }

  /** Sends a write that would need room if it were done. Needs no more rights than the store itself. */
  async #probe(): Promise<void> {
    const { client, head } = this.given;
    this.#probedAt = performance.now();
    const never = { compare: [holds(head, randomUUID())], success: [put(head, '')] };
    await quietly(() => this.watching(() => client.txn(never)));
  }

  #tellOfDenial(error: unknown): void {
    if (!(error instanceof AccessDenied)) throw error;
    if (this.#isToldOfDenial) return;
    this.#isToldOfDenial = true;
    this.given.warn(
      'this user may not compact etcd, so old values of keys stay until its space is used up: start its members ' +
        'with --auto-compaction-mode=periodic --auto-compaction-retention=1h, and add compact=off to the address of the store',
    );
  }
}

/** What is tried again by itself: etcd refuses it, or is away, which whoever reads or writes tells of. */
async function quietly(task: () => Promise<unknown>): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!(error instanceof Refused || error instanceof ConnectionLost || error instanceof ServiceError))
      throw error;
  }
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MiB`;
}
