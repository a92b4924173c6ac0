import { deepEqual } from '../lib/json/json.js';
import { WEBHOOK_SENDER } from '../model/system-users.js';
import type { Service } from '../service/service.js';
import { runFenced, type Fence } from '../store/fence.js';
import type { DeliveryProgress } from './progress.js';
import { statusOf } from './tally.js';
import { WEBHOOKS, type Webhook } from './webhook.js';

/** The interval of writes of a status, in milliseconds. */
export const STATUS_MS = 1_000;
/** The interval when nothing but the position has changed: then the webhook had nothing to send. */
const POSITION_MS = 5_000;

/** Writes the status of webhooks from time to time: each write is a change of the store. */
export class StatusWriter {
  /** Times of the last writes by uid. */
  readonly #writtenMs = new Map<string, number>();
  /** The revision of the last status. */
  #revision = 0;

  constructor(private readonly service: Pick<Service, 'update'>) {}

  /** Writes the status when it has changed. @param progress undefined for a webhook that has not begun */
  async write(
    fence: Fence,
    { metadata, status: before }: Webhook,
    progress: DeliveryProgress | undefined,
  ): Promise<void> {
    if (progress === undefined) return;
    const status = statusOf(progress);
    if (deepEqual(status, before)) return;
    const isMoveOnly = deepEqual({ ...before, position: status.position }, status);
    // A status is a change as well, after which the position is another one: it is no reason for the next status.
    if (isMoveOnly && status.position <= this.#revision) return;
    const { name, uid } = metadata;
    const now = performance.now();
    const restMs = isMoveOnly ? POSITION_MS : STATUS_MS;
    if (now - (this.#writtenMs.get(uid) ?? -Infinity) < restMs) return;
    this.#writtenMs.set(uid, now);
    const options = { user: WEBHOOK_SENDER, fieldValidation: 'Ignore' } as const;
    const { object } = await runFenced(fence, () =>
      this.service.update(WEBHOOKS, name, { metadata: { name, uid }, status }, options, 'status'),
    );
    this.#revision = Math.max(this.#revision, Number(object.metadata.resourceVersion));
  }
}
