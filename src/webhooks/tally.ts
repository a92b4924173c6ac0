import type { DeliveryProgress } from './progress.js';
import type { WebhookStatus } from './webhook.js';

/** The counts and the last error of a webhook's deliveries. */
export class Tally {
  #state: Pick<DeliveryProgress, 'delivered' | 'failed' | 'lastError' | 'lastErrorMs' | 'lastMs'>;
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

  get state(): Pick<DeliveryProgress, 'delivered' | 'failed' | 'lastError' | 'lastErrorMs' | 'lastMs'> {
    return this.#state;
  }

  attempted(): void {
    this.#set({ lastMs: Date.now() });
  }

  delivered(): void {
    this.#set({ delivered: this.#state.delivered + 1 });
  }

  failed(): void {
    this.#set({ failed: this.#state.failed + 1 });
  }

  error(text: string): void {
    this.#set({ lastError: text, lastErrorMs: Date.now() });
  }

  #set(part: Partial<DeliveryProgress>): void {
    this.isDirty = true;
    this.#state = { ...this.#state, ...part };
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
