import { pause } from '../lib/coalesce.js';
import { Store } from '../lib/store.js';

/** `lost`: no answer. `starting`: the service answers, but is not ready. */
export type Connection = 'online' | 'lost' | 'starting';

export const connection = new Store<Connection>('online');

const AGAIN_MS = 1_000;
/** The time limit for an answer. */
const ANSWER_MS = 5_000;

/** Notes a request without an answer: from now on the service is polled until it answers. */
export function noteLost(): void {
  if (connection.get() !== 'online') return;
  connection.set('lost');
  void findAgain();
}

async function findAgain(): Promise<void> {
  while (connection.get() !== 'online') {
    await pause(AGAIN_MS);
    connection.set(await look());
  }
}

function look(): Promise<Connection> {
  return fetch('/readyz', { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) }).then(
    ({ ok }) => (ok ? 'online' : 'starting'),
    () => 'lost',
  );
}

/** Resolves as soon as the service answers, or the signal is aborted. */
export function untilOnline(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      if (connection.get() !== 'online' && !signal.aborted) return;
      leave();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const leave = connection.subscribe(end);
    signal.addEventListener('abort', end);
    end();
  });
}
