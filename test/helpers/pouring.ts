import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Servers in a process of their own, which answer each request without an end. */
export interface Pouring {
  readonly urls: readonly string[];
  stop(): void;
}

const MODULE = new URL('./pouring-process.mjs', import.meta.url).pathname;

/** The endless answers. */
export const POURED = [
  'interim answers 100',
  'interim answers 102',
  'interim answers 103',
  'headers',
  'one header',
  'parts of one byte',
  'extensions of parts',
  'trailers',
  'a body',
  'bytes after an answer',
] as const;

export async function startPouring(what: (typeof POURED)[number], count = 1): Promise<Pouring> {
  const child = fork(MODULE, [what, String(count)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  const ports = JSON.parse(line.toString()) as number[];
  return { urls: ports.map((port) => `http://127.0.0.1:${port}/`), stop: () => child.kill() };
}

/** The longest time in which the event loop of this process ran nothing else, in milliseconds. */
export async function longestPause(work: () => Promise<unknown>): Promise<number> {
  let [last, longest] = [performance.now(), 0];
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  await work();
  clearInterval(timer);
  return longest;
}
