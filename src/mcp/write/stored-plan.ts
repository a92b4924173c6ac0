import { randomBytes } from 'node:crypto';
import { notFound, ServiceError, conflict } from '../../errors.js';
import { earliestNow, latestNow } from '../../lib/time/clock.js';
import { formatSize } from '../../lib/time/duration.js';
import type { GroupVersionKind } from '../../model/resource.js';
import type { PropagationPolicy } from '../../model/owner-references.js';
import type { Engine } from '../../store/engine.js';
import { metaKey, under } from '../../store/index/keys.js';
import { removeRange } from '../../store/with-snapshot.js';

/** Lifetime of a plan, in milliseconds. */
export const PLAN_MS = 10 * 60_000;
/** Largest stored plan, in bytes. */
export const PLAN_BYTES_MAX = 1024 * 1024;

/** One write of a plan, based on the state of its object. */
export interface PlannedCommand {
  readonly model: GroupVersionKind;
  /** The full name. */
  readonly name: string;
  /** The verb of the item, whose right is needed again. */
  readonly asked: 'create' | 'update' | 'patch' | 'delete';
  /** For creates and updates. */
  readonly object?: unknown;
  /** For creates: parts of the object may depend on it. */
  readonly uid?: string;
  /** For deletes. */
  readonly preconditions?: { readonly uid: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: PropagationPolicy;
}

export interface StoredPlan {
  /** See `AgentWrites`. */
  readonly holder: string;
  readonly writes: readonly PlannedCommand[];
  /** The effects that the commit must have, see `fingerprint`. */
  readonly effects: readonly string[];
}

/**
 * Stores a plan beside the objects, so that any process on the store can apply it. It is no object: nobody can read it.
 * @returns its name and its end
 * @throws ServiceError `RequestEntityTooLarge`, and what `beforeStored` throws
 */
export async function storePlan(
  engine: Engine,
  plan: StoredPlan,
  beforeStored?: (bytes: number) => void,
): Promise<{ readonly plan: string; readonly expires: string }> {
  const bytes = Buffer.from(JSON.stringify(plan));
  if (bytes.length > PLAN_BYTES_MAX)
    throw new ServiceError(
      'RequestEntityTooLarge',
      `the plan takes ${formatSize(bytes.length)}, and at most ${formatSize(PLAN_BYTES_MAX)} are kept; plan it in parts`,
    );
  beforeStored?.(bytes.length);
  const expiresMs = Math.ceil(latestNow()) + PLAN_MS;
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  await engine.commit((tx) => tx.put(planKey(expiresMs, nonce), bytes));
  return { plan: `plan.${expiresMs}.${nonce}`, expires: new Date(expiresMs).toISOString() };
}

const NONCE_BYTES = 16;
const NAME = /^plan\.(\d{13,15})\.([\w-]{22})$/;

/**
 * Takes a plan, so that nobody can take it again.
 * @throws ServiceError `NotFound`, `Expired`, `Conflict` for a used one, `Forbidden` for that of another token
 */
export async function takePlan(engine: Engine, name: string, holder: string): Promise<StoredPlan> {
  const [, expires = '', nonce = ''] = NAME.exec(name) ?? [];
  if (expires === '') throw notFound('there is no such plan; use the `plan` that the tool `plan` answers');
  const expiresMs = Number(expires);
  if (latestNow() >= expiresMs)
    throw new ServiceError(
      'Expired',
      `the plan has expired; a plan is good for ${PLAN_MS / 60_000} minutes. Plan again`,
    );
  const key = planKey(expiresMs, nonce);
  return engine.commit((tx) => {
    const bytes = tx.get(key);
    if (bytes === undefined) throw notFound('there is no such plan; plan again');
    if (bytes.equals(USED))
      throw conflict('the plan was used before; a plan is good for one `apply`. Plan again');
    // Written by `storePlan`.
    const plan = JSON.parse(bytes.toString()) as StoredPlan;
    if (plan.holder !== holder)
      throw new ServiceError('Forbidden', 'the plan was made with another token; plan again with this one');
    tx.put(key, USED);
    return plan;
  });
}

/** Instead of the plan, so that a second use differs from an unknown name. */
const USED = Buffer.from('used');
const PLANS = under(metaKey('plan/'));
const TIME_DIGITS = 15;

/** By the end of the plan, so that old plans are the first. */
function planKey(expiresMs: number, nonce: string): Buffer {
  return metaKey(`plan/${String(expiresMs).padStart(TIME_DIGITS, '0')}/${nonce}`);
}

/** Plans that one commit removes. */
const SWEEP_MAX = 20;
/** For processes whose clocks are behind, in milliseconds. */
const KEPT_MS = 300_000;

/** Removes plans that have long expired. */
export async function sweepPlans(engine: Engine, now = earliestNow()): Promise<void> {
  const old = { start: PLANS.start, end: planKey(Math.max(0, Math.floor(now - KEPT_MS)), '') };
  await removeRange(engine, old, SWEEP_MAX);
}
