import { parseDuration } from '../../lib/time/duration.js';
import type { Secrets } from '../credentials.js';
import type { Outcome, Sender } from './sender.js';
import { readKey, sign } from './signature.js';
import type { WebhookSpec } from '../webhook.js';

export class WebhookTarget {
  readonly #url: URL;
  readonly #timeoutMs: number;
  readonly #key: Buffer | undefined;
  /** Names and values in turn. */
  readonly #headers: readonly string[];

  constructor(
    private readonly sender: Pick<Sender, 'send'>,
    { url, timeout }: Pick<WebhookSpec, 'url' | 'timeout'>,
    { secret, headers }: Secrets,
  ) {
    this.#url = new URL(url);
    this.#timeoutMs = parseDuration(timeout);
    this.#key = secret === undefined ? undefined : readKey(secret);
    const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    const agent = names.has('user-agent') ? [] : ['user-agent', 'xsvc'];
    this.#headers = ['content-type', 'application/json', ...agent, ...Object.entries(headers).flat()];
  }

  /** Sends a change once. Always resolves. @param signal ends the request */
  send(id: string, body: Buffer, signal: AbortSignal): Promise<Outcome> {
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = [...this.#headers, 'webhook-id', id, 'webhook-timestamp', String(timestamp)];
    if (this.#key !== undefined) headers.push('webhook-signature', sign(this.#key, { id, timestamp, body }));
    return this.sender.send({ url: this.#url, timeoutMs: this.#timeoutMs, body, headers, signal });
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
