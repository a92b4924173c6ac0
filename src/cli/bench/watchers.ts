import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';

/** An open watch. @returns a function that ends it */
async function watch(url: string, agent: Agent, onEvents: (count: number) => void): Promise<() => void> {
  const request = get(url, { agent });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200)
    throw new Error(`the service answered a watch with ${answer.statusCode ?? 0}`);
  request.on('error', () => undefined);
  answer.on('error', () => undefined);
  answer.on('data', (part: Buffer) => {
    let lines = 0;
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines += 1;
    if (lines > 0) onEvents(lines);
  });
  return () => request.destroy();
}

/** Resolves when the initial events of one or many watchers have arrived. */
async function settled(count: () => number): Promise<void> {
  for (let before = -1; before !== count();) {
    before = count();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The time from a write to a watcher's event in milliseconds, one write after the other. */
export async function latenciesMs(
  url: string,
  writes: number,
  write: (n: number) => Promise<void>,
): Promise<readonly number[]> {
  const agent = new Agent();
  let seen = 0;
  let onEvent = (): void => undefined;
  const end = await watch(`${url}&sendInitialEvents=false`, agent, (events) => {
    seen += events;
    onEvent();
  });
  try {
    await settled(() => seen);
    const heard: number[] = [];
    for (let n = 0; n < writes; n += 1) {
      const begun = performance.now();
      const event = new Promise<void>((resolve) => (onEvent = resolve));
      await Promise.all([write(n), event.then(() => heard.push(performance.now() - begun))]);
    }
    return heard;
  } finally {
    end();
    agent.destroy();
  }
}

/** Events per second that many watchers receive for a burst of writes, until the last watcher has the last event. */
export async function eventsPerSecond(
  url: string,
  watchers: number,
  burst: number,
  write: (n: number) => Promise<void>,
): Promise<number> {
  const agent = new Agent({ maxSockets: Infinity });
  let seen = 0;
  let wanted = Infinity;
  let onAll = (): void => undefined;
  const ends = await Promise.all(
    Array.from({ length: watchers }, () =>
      watch(`${url}&sendInitialEvents=false`, agent, (events) => {
        seen += events;
        if (seen >= wanted) onAll();
      }),
    ),
  );
  try {
    await settled(() => seen);
    const begun = performance.now();
    wanted = seen + watchers * burst;
    const all = new Promise<void>((resolve) => (onAll = resolve));
    await Promise.all(Array.from({ length: burst }, (_, n) => write(n)));
    await all;
    return (watchers * burst * 1000) / (performance.now() - begun);
  } finally {
    for (const end of ends) end();
    agent.destroy();
  }
}
