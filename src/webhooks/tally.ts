import type { DeliveryProgress } from './progress.js';
import type { WebhookStatus } from './webhook.js';

type TallyState = Pick<DeliveryProgress, 'delivered' | 'failed' | 'lastError' | 'lastErrorMs' | 'lastMs'>;

/** The counts and the last error of a webhook's deliveries. */
export class Tally {
  readonly #state: { -readonly [member in keyof TallyState]: TallyState[member] };
  /** True when it has changed since it was stored. */
  isDirty = true;

  constructor({ delivered, failed, lastError, lastErrorMs, lastMs }: DeliveryProgress) {
    this.#state = {
      delivered,
      failed,
      ...(lastError !== undefined && { lastError }),
      ...(lastErrorMs !== undefined && { lastErrorMs }),
      ...(lastMs !== undefined && { lastMs }),
    };
  }

  /** A copy. */
  get state(): TallyState {
    return { ...this.#state };
  }

  attempted(): void {
    this.isDirty = true;
    this.#state.lastMs = Date.now();
  }

  delivered(): void {
    this.isDirty = true;
    this.#state.delivered += 1;
  }

  failed(): void {
    this.isDirty = true;
    this.#state.failed += 1;
  }

  error(text: string): void {
    this.isDirty = true;
    this.#state.lastError = text;
    this.#state.lastErrorMs = Date.now();
  }
}

/** The state of deliveries, for readers of the webhook. */
export function statusOf({
  position,
  pending,
  delivered,
  failed,
  lastError,
  lastErrorMs,
  lastMs,
}: DeliveryProgress): WebhookStatus {
  return {
    position,
    pending: pending.length,
    delivered,
    failed,
    ...(lastError !== undefined && { lastError }),
    ...(lastErrorMs !== undefined && { lastErrorTime: new Date(lastErrorMs).toISOString() }),
    ...(lastMs !== undefined && { lastTime: new Date(lastMs).toISOString() }),
  };
}
