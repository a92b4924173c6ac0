import { badRequest } from '../errors.js';
import type { Engine, Freshness, Transaction } from '../store/engine.js';
import { metaKey } from '../store/index/keys.js';
import { checkStart } from '../store/log/log-reader.js';
import { decodeLogHead, LOG_HEAD_KEY } from '../store/log/log.js';

/** The stored state of a webhook's deliveries, by the uid of the webhook. */
export interface DeliveryProgress {
  /** Increases when deliveries must begin again from the stored state. */
  readonly epoch: number;
  /** Every change up to this revision was delivered, or given up. */
  readonly position: number;
  /** The revision up to which the log was read. */
  readonly cursor: number;
  /** The changes up to `cursor` that are not delivered, with their failed attempts. */
  readonly pending: readonly (readonly [revision: number, attempts: number])[];
  readonly delivered: number;
  /** Changes that were given up. */
  readonly failed: number;
  readonly lastError?: string;
  /** Times are milliseconds since 1970. */
  readonly lastErrorMs?: number;
  readonly lastMs?: number;
}

const START = { epoch: 0, pending: [], delivered: 0, failed: 0 };

/** The state of a webhook that begins after a revision. */
export function progressFrom(revision: number, before: Partial<DeliveryProgress> = {}): DeliveryProgress {
  return { ...START, ...before, position: revision, cursor: revision, pending: [] };
}

function progressKey(uid: string): Buffer {
  return metaKey(`webhook/${uid}`);
}

/** Undefined for a webhook that has not begun. @param freshness default: the latest */
export async function readProgress(
  engine: Pick<Engine, 'get'>,
  uid: string,
  freshness?: Freshness,
): Promise<DeliveryProgress | undefined> {
  return parse(await engine.get(progressKey(uid), freshness));
}

/** Undefined for a webhook that has not begun. */
export function progressIn(tx: Transaction, uid: string): DeliveryProgress | undefined {
  return parse(tx.get(progressKey(uid)));
}

export function putProgress(tx: Transaction, uid: string, progress: DeliveryProgress): void {
  tx.put(progressKey(uid), Buffer.from(JSON.stringify(progress)));
}

export function removeProgress(tx: Transaction, uid: string): void {
  tx.remove(progressKey(uid));
}

function parse(bytes: Buffer | undefined): DeliveryProgress | undefined {
  return bytes && (JSON.parse(bytes.toString()) as DeliveryProgress);
}

/**
 * Makes a webhook send all changes after a revision again.
 * @throws ServiceError `Expired` when the log no longer has them, `BadRequest` for a revision that is not in the store yet
 */
export async function replayFrom(
  engine: Pick<Engine, 'commit'>,
  uid: string,
  revision: number,
): Promise<void> {
  await engine.commit((tx) => {
    const head = decodeLogHead(tx.get(LOG_HEAD_KEY));
    if (revision > head.revision)
      throw badRequest(`fromRevision ${revision} is newer than the store, which is at ${head.revision}`);
    checkStart(head, revision);
    const before = progressIn(tx, uid);
    putProgress(tx, uid, progressFrom(revision, { ...before, epoch: (before?.epoch ?? 0) + 1 }));
  });
}
