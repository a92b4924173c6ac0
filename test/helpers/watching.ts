import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request whose answer is read as it comes. */
export interface OpenStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The text received until now. */
  readonly text: string;
  /** The lines that have come whole, without empty ones, as JSON. */
  events(): StreamEvent[];
  /** Waits for so many events. @throws when the answer ends before, or after a minute */
  take(count: number): Promise<StreamEvent[]>;
  /** Resolves when the answer has ended: true when it ended cleanly. */
  readonly ended: Promise<boolean>;
  /** Takes nothing until it is resumed. */
  pause(): void;
  resume(): void;
  /** Leaves without a word. */
  destroy(): void;
}

export interface StreamEvent {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly name?: string; readonly resourceVersion?: string };
    readonly [field: string]: unknown;
  };
}

const WAIT_MS = 60_000;

/** Sends a GET and resolves when the head of the answer is there. */
export async function openStream(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<OpenStream> {
  const sent = request(url, { headers, agent: false });
  sent.end();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  // `ended` reports a connection that is cut off afterwards.
  sent.on('error', () => undefined);
  const state = { text: '', isOver: false };
  answer.on('data', (part) => (state.text += String(part)));
  const ended = new Promise<boolean>((resolve) => {
    answer.once('close', () => {
      state.isOver = true;
      resolve(answer.complete);
    });
    answer.once('error', () => undefined);
  });
  const events = (): StreamEvent[] =>
    state.text
      .slice(0, state.text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line.startsWith('{') || line.startsWith('data: '))
      .map((line) => JSON.parse(line.replace(/^data: /, '')) as StreamEvent);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    get text() {
      return state.text;
    },
    events,
    async take(count) {
      const until = Date.now() + WAIT_MS;
      while (events().length < count) {
        if (state.isOver || Date.now() > until)
          throw new Error(`only ${events().length} events: ${state.text}`);
        await sleep(2);
      }
      return events();
    },
    ended,
    pause: () => void answer.pause(),
    resume: () => void answer.resume(),
    destroy: () => void sent.destroy(),
  };
}

export function streamText({ type, object: { metadata } }: StreamEvent): string {
  return `${type} ${metadata.name ?? '-'} ${metadata.resourceVersion ?? '-'}`;
}
