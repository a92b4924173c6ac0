import { parseDuration } from '../../lib/time/duration.js';
import type { Delivery } from '../changes.js';
import type { Secrets } from '../credentials.js';
import type { Outcome, Sender } from './sender.js';
import { readKey, sign } from './signature.js';
import type { WebhookSpec } from '../webhook.js';

/** The receiver of a webhook. */
export class Target {
  readonly #url: URL;
  readonly #timeoutMs: number;
  readonly #key: Buffer | undefined;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    private readonly sender: Pick<Sender, 'send'>,
    { url, timeout }: Pick<WebhookSpec, 'url' | 'timeout'>,
    { secret, headers }: Secrets,
  ) {
    this.#url = new URL(url);
    this.#timeoutMs = parseDuration(timeout);
    this.#key = secret === undefined ? undefined : readKey(secret);
    this.#headers = { 'user-agent': 'xsvc', ...headers, 'content-type': 'application/json' };
  }

  /** Sends a change once. Always resolves. */
  send({ id, body }: Pick<Delivery, 'id' | 'body'>): Promise<Outcome> {
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers: Record<string, string> = {
      ...this.#headers,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
    };
    if (this.#key !== undefined) headers['webhook-signature'] = sign(this.#key, { id, timestamp, body });
    return this.sender.send({ url: this.#url, timeoutMs: this.#timeoutMs, body, headers });
  }
}

/** True for an answer that acknowledges the change. */
export function isAcknowledged({ status = 0 }: Outcome): boolean {
  return status >= 200 && status < 300;
}

/** The reason why a change was not acknowledged. */
export function describeOutcome({ status, error }: Outcome): string {
  if (error !== undefined) return error;
  const isRedirect = status >= 300 && status < 400;
  return `the receiver answered ${status}${isRedirect ? '; redirects are not followed' : ''}`;
}
