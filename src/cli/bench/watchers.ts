import { once } from 'node:events';
import { Agent, get, type ClientRequest, type IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';

/** Watchers whose initial events have arrived. */
class Watchers {
  /** The number of received events. */
  seen = 0;
  readonly #agent = new Agent({ maxSockets: Infinity });
  readonly #requests: ClientRequest[] = [];
  #wanted = Infinity;
  #onWanted = (): void => undefined;

  /** @param count the number of watchers */
  async open(url: string, count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#watch(`${url}&sendInitialEvents=false`)));
    for (let before = -1; before !== this.seen;) {
      before = this.seen;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
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
      for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) this.seen += 1;
      if (this.seen >= this.#wanted) this.#onWanted();
    });
  }

  /** Resolves when this many more events were received. */
  next(count: number): Promise<void> {
    this.#wanted = this.seen + count;
    return new Promise((resolve) => (this.#onWanted = resolve));
  }

  close(): void {
    for (const request of this.#requests) request.destroy();
    this.#agent.destroy();
  }
}

/** The time from a write to a watcher's event in milliseconds, one write after the other. */
export async function latenciesMs(
  url: string,
  writes: number,
  write: (n: number) => Promise<void>,
): Promise<readonly number[]> {
  const watchers = new Watchers();
  try {
    await watchers.open(url, 1);
    const heard: number[] = [];
    for (let n = 0; n < writes; n += 1) {
      const begun = performance.now();
      const event = watchers.next(1).then(() => heard.push(performance.now() - begun));
      await Promise.all([write(n), event]);
    }
    return heard;
  } finally {
    watchers.close();
  }
}

/** Events per second that many watchers receive for a burst of writes, until the last watcher has the last event. */
export async function eventsPerSecond(
  url: string,
  count: number,
  burst: number,
  write: (n: number) => Promise<void>,
): Promise<number> {
  const watchers = new Watchers();
  try {
    await watchers.open(url, count);
    const begun = performance.now();
    const all = watchers.next(count * burst);
    await Promise.all(Array.from({ length: burst }, (_, n) => write(n)));
    await all;
    return (count * burst * 1000) / (performance.now() - begun);
  } finally {
    watchers.close();
  }
}
