import { once } from 'node:events';
import { Agent, get, type ClientRequest, type IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** A listening socket holds few connections that it has not accepted. */
const AT_ONCE = 200;

/** Watchers whose initial events have arrived. */
class Watchers {
  /** The time from {@link next} to each event. */
  readonly latenciesMs: number[] = [];
  readonly #agent = new Agent({ maxSockets: Infinity });
  readonly #requests: ClientRequest[] = [];
  #wanted = Infinity;
  #begun = 0;
  #onWanted = (): void => undefined;

  async open(url: string, count: number): Promise<void> {
    for (let opened = 0; opened < count; opened += AT_ONCE) {
      const next = Array.from({ length: Math.min(AT_ONCE, count - opened) });
      await Promise.all(next.map(() => this.#watch(`${url}&sendInitialEvents=false`)));
    }
    for (let before = -1; before !== this.latenciesMs.length;) {
      before = this.latenciesMs.length;
      await sleep(100);
    }
    this.latenciesMs.length = 0;
  }

  async #watch(url: string): Promise<void> {
    const request = get(url, { agent: this.#agent });
    this.#requests.push(request);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    if (answer.statusCode !== 200)
      throw new Error(`the service answered a watch with ${answer.statusCode ?? 0}`);
    request.on('error', () => undefined);
    answer.on('error', () => undefined);
    answer.on('data', (part: Buffer) => {
      const latency = performance.now() - this.#begun;
      for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) this.latenciesMs.push(latency);
      if (this.latenciesMs.length >= this.#wanted) this.#onWanted();
    });
  }

  /** Resolves when this many more events were received. */
  next(count: number): Promise<void> {
    this.#wanted = this.latenciesMs.length + count;
    this.#begun = performance.now();
    return new Promise((resolve) => (this.#onWanted = resolve));
  }

  close(): void {
    for (const request of this.#requests) request.destroy();
    this.#agent.destroy();
  }
}

/** Watchers, and the writes that they receive. */
export interface Broadcast {
  readonly url: string;
  readonly watchers: number;
  readonly writes: number;
  /** The number of writes at a time: the next ones follow when all watchers have received these. */
  readonly atOnce: number;
  readonly write: (n: number) => Promise<void>;
}

/** Events per second of all watchers, and the milliseconds from the begin of its write to each event. */
export async function broadcast({
  url,
  watchers: count,
  writes,
  atOnce,
  write,
}: Broadcast): Promise<{ readonly perSecond: number; readonly latenciesMs: readonly number[] }> {
  const watchers = new Watchers();
  try {
    await watchers.open(url, count);
    const begun = performance.now();
    for (let n = 0; n < writes; n += atOnce) {
      const all = watchers.next(count * atOnce);
      await Promise.all([all, ...Array.from({ length: atOnce }, (_, i) => write(n + i))]);
    }
    const perSecond = (count * writes * 1000) / (performance.now() - begun);
    return { perSecond, latenciesMs: watchers.latenciesMs };
  } finally {
    watchers.close();
  }
}

/** The memory of a server that each of many idle watchers takes. @param memory reads all of the server's */
export async function watcherBytes(
  url: string,
  count: number,
  memory: () => Promise<number>,
): Promise<number> {
  const watchers = new Watchers();
  const before = await memory();
  try {
    await watchers.open(url, count);
    return ((await memory()) - before) / count;
  } finally {
    watchers.close();
  }
}
