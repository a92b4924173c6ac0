import type { Listening } from '../../../daemon/listeners.js';
import { isRecord } from '../../../lib/json/json.js';

/** The messages between the first process and its workers. */
export type Message =
  /** A worker receives messages from now on: earlier ones are lost. */
  | { readonly kind: 'joined' }
  /** A worker answers requests. */
  | { readonly kind: 'ready'; readonly listening: Listening }
  /** A worker must open its files again. */
  | { readonly kind: 'reopen' }
  /** A worker must end its work, and then itself. */
  | { readonly kind: 'stop' }
  /** From a worker, through the first process, to all others. */
  | { readonly kind: 'ask'; readonly id: number; readonly topic: string; readonly question: string }
  /** From a worker that was asked; undefined when it has no answer. */
  | { readonly kind: 'answer'; readonly id: number; readonly text: string | undefined }
  /** To the worker that asked. */
  | { readonly kind: 'answers'; readonly id: number; readonly texts: readonly string[] };

/** Separates messages of this program from those of plugins, which are ignored. */
interface Envelope {
  readonly xsvc: Message;
}

export function enveloped(message: Message): Envelope {
  return { xsvc: message };
}

/** Undefined for a message of other code. */
export function messageIn(value: unknown): Message | undefined {
  return isRecord(value) && isRecord(value.xsvc) ? (value as unknown as Envelope).xsvc : undefined;
}

/** The environment of a worker. */
export const WORKER_ENV = {
  /** From 1; a replacement has the same number. */
  number: 'XSVC_WORKER_NUMBER',
  count: 'XSVC_WORKER_COUNT',
  /** The port to use instead of the configured one, unless it is 0. */
  port: 'XSVC_WORKER_PORT',
  /** The same for the port of the origin of plugins. */
  pluginPort: 'XSVC_WORKER_PLUGIN_PORT',
  /** `1`: others answer, or have answered; it listens when its plugins have started. */
  listensLate: 'XSVC_WORKER_LISTENS_LATE',
} as const;

/** The line on stdout that announces the service. */
export function listeningLine(url: string): string {
  return `xsvc listening on ${url}\n`;
}
