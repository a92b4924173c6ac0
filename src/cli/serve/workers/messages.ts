import { isRecord } from '../../../lib/json/json.js';

/** What the first process and its workers tell each other. */
export type Message =
  /** A worker takes messages from now on: what was sent to it before is lost. */
  | { readonly kind: 'joined' }
  /** A worker answers requests. */
  | { readonly kind: 'ready'; readonly url: string }
  /** A worker is to end what it does, and then itself. */
  | { readonly kind: 'stop' }
  /** From a worker, by way of the first process, to all others. */
  | { readonly kind: 'ask'; readonly id: number; readonly topic: string; readonly question: string }
  /** From one that was asked; undefined when it cannot tell. */
  | { readonly kind: 'answer'; readonly id: number; readonly text: string | undefined }
  /** To the one that asked. */
  | { readonly kind: 'answers'; readonly id: number; readonly texts: readonly string[] };

/** Plugins may send messages as well; theirs are left alone. */
interface Envelope {
  readonly xsvc: Message;
}

export function enveloped(message: Message): Envelope {
  return { xsvc: message };
}

/** Undefined for what is no message of this program. */
export function messageIn(value: unknown): Message | undefined {
  return isRecord(value) && isRecord(value.xsvc) ? (value as unknown as Envelope).xsvc : undefined;
}

/** What a worker is told of its place. */
export const WORKER_ENV = {
  /** From 1 on; the one that replaces another has the same. */
  number: 'XSVC_WORKER_NUMBER',
  count: 'XSVC_WORKER_COUNT',
  /** To listen on instead of the configured port, if it is not 0. */
  port: 'XSVC_WORKER_PORT',
  /** `1`: others answer, or have answered; it listens when its plugins have started. */
  listensLate: 'XSVC_WORKER_LISTENS_LATE',
} as const;

/** What says on stdout that requests are answered. */
export function listeningLine(url: string): string {
  return `xsvc listening on ${url}\n`;
}
