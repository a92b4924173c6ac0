import process from 'node:process';

const CHECK_MS = 500;

/** A script that leaves the service behind on purpose: `nohup xsvc serve &`. */
const LEAVES = /&|\bnohup\b|\bsetsid\b/;

/**
 * A signal that aborts when the `npm start` that runs this process has ended; never for a process that npm did not start. npm
 * passes SIGTERM to the shell that it starts, and the shell does not pass it on.
 */
export function npmStartEnded(env: Readonly<Record<string, string | undefined>>): AbortSignal {
  const ended = new AbortController();
  const script = env.npm_lifecycle_script ?? '';
  if (env.npm_lifecycle_event !== 'start' || LEAVES.test(script)) return ended.signal;
  const { ppid: shell } = process;
  const timer = setInterval(() => {
    // The system gives a process whose parent has ended to another one. On Windows the number stays.
    if (process.ppid === shell) return;
    clearInterval(timer);
    ended.abort();
  }, CHECK_MS).unref();
  return ended.signal;
}
