import cluster from 'node:cluster';
import path from 'node:path';
import type { Config } from '../../../config.js';
import type { Listening } from '../../../daemon/listeners.js';
import type { Peers } from '../../../http/platform/peers.js';
import { withPort } from '../../../lib/origin.js';
import { BATCH_BODY_BYTES_MAX } from '../../../service/batch-items.js';
import { enveloped, messageIn, WORKER_ENV, type Message } from './messages.js';

/** A part of the memory for bodies is for small ones. */
const BODIES_PER_LARGEST = 1.25;

/** The connection of this process to the others that serve together. */
export interface WorkerLink {
  /** Aborted when the first process asks for it, or is gone. */
  readonly stopSignal: AbortSignal;
  readonly peers: Peers;
  /** Fields that separate its log lines from those of others. */
  readonly tags: { readonly worker: number };
  readonly listens: 'atOnce' | 'whenStarted';
  /** Called when the first process asks to open files again. */
  onReopen(listener: () => void): void;
  /** Divides the limits that apply to all workers together. */
  shareLimits(config: Config): Config;
  ready(listening: Listening): void;
}

/** Undefined when this process was not started as a worker. */
export function joinWorkers(env: Readonly<Record<string, string | undefined>>): WorkerLink | undefined {
  const { worker } = cluster;
  if (worker === undefined) return undefined;
  const [number, count, port, pluginPort] = [
    WORKER_ENV.number,
    WORKER_ENV.count,
    WORKER_ENV.port,
    WORKER_ENV.pluginPort,
  ].map((name) => Number(env[name] ?? 0));
  const listens = env[WORKER_ENV.listensLate] === '1' ? 'whenStarted' : 'atOnce';
  // Programs that plugins start are not workers.
  for (const name of Object.values(WORKER_ENV)) Reflect.deleteProperty(process.env, name);
  const tags = { worker: number ?? 0 };
  const send = (message: Message): void => {
    if (worker.isConnected()) worker.send(enveloped(message));
  };
  const stopping = new AbortController();
  const asking = new Asking(send);
  let reopen = (): void => undefined;
  worker.on('message', (value: unknown) => {
    const message = messageIn(value);
    if (message?.kind === 'stop') stopping.abort();
    else if (message?.kind === 'reopen') reopen();
    else if (message !== undefined) asking.receive(message);
  });
  worker.on('disconnect', () => {
    // Otherwise node would end the process immediately, during requests.
    worker.exitedAfterDisconnect = true;
    stopping.abort();
  });
  send({ kind: 'joined' });
  return {
    stopSignal: stopping.signal,
    peers: asking,
    tags,
    listens,
    onReopen: (listener) => void (reopen = listener),
    shareLimits: (config) => ({
      ...config,
      cacheBytes: Math.ceil(config.cacheBytes / (count ?? 1)),
      bodiesBytes: Math.max(
        config.bodiesBytes / (count ?? 1),
        2 * config.maxBodyBytes,
        BODIES_PER_LARGEST * BATCH_BODY_BYTES_MAX,
      ),
      // A replica of a shared store belongs to one process.
      ...(config.shared && { dataDir: path.join(config.dataDir, `worker-${tags.worker}`) }),
      port: port === undefined || port === 0 ? config.port : port,
      pluginOrigin: movedTo(config.pluginOrigin, pluginPort),
    }),
    ready: ({ url, pluginOrigin }) => send({ kind: 'ready', listening: { url, pluginOrigin } }),
  };
}

/** @param port 0 for that of the origin */
function movedTo(origin: string | undefined, port = 0): string | undefined {
  return origin === undefined || port === 0 ? origin : withPort(origin, port);
}

/** Asks the other workers, and answers their questions. */
class Asking implements Peers {
  readonly #answers = new Map<string, (question: string) => Promise<string>>();
  readonly #waiting = new Map<number, (texts: readonly string[]) => void>();
  #lastId = 0;

  constructor(private readonly send: (message: Message) => void) {}

  ask(topic: string, question = ''): Promise<readonly string[]> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.send({ kind: 'ask', id, topic, question });
    });
  }

  onAsked(topic: string, answer: (question: string) => Promise<string>): void {
    this.#answers.set(topic, answer);
  }

  receive(message: Message): void {
    if (message.kind === 'ask') void this.#answer(message);
    else if (message.kind === 'answers') {
      this.#waiting.get(message.id)?.(message.texts);
      this.#waiting.delete(message.id);
    }
  }

  async #answer({ id, topic, question }: Extract<Message, { kind: 'ask' }>): Promise<void> {
    let text: string | undefined;
    try {
      text = await this.#answers.get(topic)?.(question);
    } catch {
      // The asking worker continues without it.
    }
    this.send({ kind: 'answer', id, text });
  }
}
