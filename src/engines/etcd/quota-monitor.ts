import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../errors.js';
import type { SpaceUse } from '../../store/engine.js';
import { AccessDenied, ConnectionLost } from '../replicated/retry-policy.js';
import type { EtcdClient } from './client.js';
import { Full, FULL, Refused } from './failures.js';
import { holds, put, type StatusAnswer } from './requests.js';

/** The default quota of etcd, for members that do not report theirs. */
const QUOTA_BYTES = 2 * 1024 ** 3;
/** In the metrics of a member. Only etcd 3.6 and later report it in the status. */
const QUOTA_METRIC = /^etcd_server_quota_backend_bytes (\S+)$/mu;
/** Share of the quota above which a warning is logged. */
const WARN_SHARE = 0.75;
/** Interval of the checks if a full database has room again, in milliseconds. */
const PROBE_MS = 2_000;
/** Age above which the known usage is measured again, in milliseconds. */
const KNOWN_MS = 10_000;

interface Given {
  readonly client: EtcdClient;
  /** The head of the store. It is compared, and never written here. */
  readonly head: Buffer;
  /** True when the store compacts etcd. */
  readonly compacts: boolean;
  readonly warn: (message: string) => void;
}

/** The space of etcd: warns before it is used up, reports when it is, and compacts. */
export class QuotaMonitor {
  #use: SpaceUse | undefined;
  #isFull = false;
  #isNearlyFull = false;
  #hasReportedDenial = false;
  #probedAt = -Infinity;
  #measuredAt = -Infinity;
  /** The revision of the previous fold. Running watches and reads of pages need no older one. */
  #revision: string | undefined;

  constructor(private readonly given: Given) {}

  /** Runs a write, and records if it was refused for lack of space. */
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

  /** The reason why nothing can be written now; undefined while writes are possible. */
  problem(): string | undefined {
    if (!this.#isFull) return undefined;
    if (performance.now() - this.#probedAt > PROBE_MS) void this.#probe();
    return FULL;
  }

  /** The usage as of some seconds ago; undefined when etcd does not report it. */
  use(): SpaceUse | undefined {
    if (performance.now() - this.#measuredAt > KNOWN_MS) void this.measure();
    return this.#use;
  }

  /** Compacts etcd. The store needs this only in the long run, so errors are not thrown. */
  async compact(): Promise<void> {
    if (!this.given.compacts) return;
    const { client } = this.given;
    const before = this.#revision;
    await quietly(async () => {
      const { header } = await client.txn({ success: [] });
      this.#revision = header.revision;
      if (before === undefined) return;
      await client.call('/v3/kv/compaction', { revision: before }).catch((error: unknown) => {
        this.#reportDenial(error);
      });
    });
  }

  /** Measures the usage, and warns when it is high. */
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

  /** Sends a write that would need space but never applies. Needs no more rights than the store itself. */
  async #probe(): Promise<void> {
    const { client, head } = this.given;
    this.#probedAt = performance.now();
    const never = { compare: [holds(head, randomUUID())], success: [put(head, '')] };
    await quietly(() => this.watching(() => client.txn(never)));
  }

  #reportDenial(error: unknown): void {
    if (!(error instanceof AccessDenied)) throw error;
    if (this.#hasReportedDenial) return;
    this.#hasReportedDenial = true;
    this.given.warn(
      'this user may not compact etcd, so old values of keys stay until its space is used up: start its members ' +
        'with --auto-compaction-mode=periodic --auto-compaction-retention=1h, and add compact=off to the address of the store',
    );
  }
}

/** Ignores errors of tasks that are repeated anyway. Reads and writes report a refusal or an unavailable cluster. */
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
