import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { getMessage } from '../../errors.js';
import { exchange, type OutgoingRequest } from '../../lib/exchange.js';
import type { AddressGuard } from './addresses.js';
import { readRetryAfter } from './backoff.js';

/** Bytes of an answer that are read, so that its connection can be used again. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** Greatest length of a body that is sent as a text, together with the head. */
const TEXT_BYTES_MAX = 16 * 1024;

export interface Sent extends Pick<OutgoingRequest, 'url' | 'headers' | 'timeoutMs' | 'signal'> {
  readonly body: Buffer;
}

/** The result of a request: an answer, or the reason why there is none. */
export type Outcome =
  | { readonly status: number; readonly retryAfterMs?: number | undefined; readonly error?: undefined }
  | { readonly error: string; readonly status?: undefined };

/** Sends requests on connections that are kept. */
export class Sender {
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  };

  constructor(private readonly guard: AddressGuard) {}

  /** Always resolves, at the latest a moment after the time limit. */
  async send({ body, ...sent }: Sent): Promise<Outcome> {
    const { url } = sent;
    const refusal = this.guard.refusalOf(url.hostname);
    if (refusal !== undefined) return { error: refusal };
    try {
      const { status, headers } = await exchange({
        ...sent,
        method: 'POST',
        // A longer text would be a second copy for as long as the receiver does not read it.
        body: body.length > TEXT_BYTES_MAX ? body : body.toString(),
        connection: {
          agent: this.#agents[url.protocol === 'https:' ? 'https:' : 'http:'],
          lookup: this.guard.lookup,
        },
        bytesMax: ANSWER_BYTES_MAX,
      });
      return { status, retryAfterMs: readRetryAfter(headers['retry-after'], Date.now()) };
    } catch (error) {
      return { error: getMessage(error) };
    }
  }

  /** Ends all requests; they resolve. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}
