import type { ExtensionObject } from '../model/object.js';
import type { ResourceRef } from '../service/verbs.js';
import type { ChangeType } from '../store/log/log.js';

export const WEBHOOKS: ResourceRef = {
  group: 'delivery.platform.run',
  version: 'v1alpha1',
  kind: 'Webhook',
  plural: 'webhooks',
};

/** The model whose changes a webhook sends. */
export interface WebhookModel {
  readonly group: string;
  readonly kind: string;
}

/** The `spec` of a stored webhook, with its defaults. */
export interface WebhookSpec {
  readonly url: string;
  readonly models: readonly WebhookModel[];
  readonly events?: readonly ChangeType[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly filter?: string;
  /** The names of the headers; their values are in `credentials`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The secret and the values of the headers, encrypted. */
  readonly credentials?: string;
  readonly payload: 'object' | 'reference';
  /** A duration. */
  readonly timeout: string;
  readonly maxAttempts: number;
  readonly enabled: boolean;
}

/** The `status` of a webhook. Times are RFC 3339. */
export interface WebhookStatus {
  /** Every change up to this revision was delivered, or given up. */
  readonly position: number;
  /** Changes that were read and are not delivered. */
  readonly pending: number;
  readonly delivered: number;
  /** Changes that were given up, since the creation. */
  readonly failed: number;
  readonly lastError?: string;
  readonly lastErrorTime?: string;
  readonly lastTime?: string;
}

export interface Webhook extends ExtensionObject {
  readonly spec: WebhookSpec;
  readonly status?: WebhookStatus;
}
