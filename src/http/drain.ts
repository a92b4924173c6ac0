import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/**
 * Waits until a response takes more, or nobody is there to take it.
 * @param stallMs a client that takes nothing for so long is cut off
 * @returns false when the response is closed
 */
export async function drained(res: ServerResponse, stallMs: number): Promise<boolean> {
  if (res.destroyed || !res.writableNeedDrain) return !res.destroyed;
  const stalled = setTimeout(() => res.destroy(), stallMs);
  const settled = new AbortController();
  const { signal } = settled;
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
  } finally {
    clearTimeout(stalled);
    settled.abort();
  }
  return !res.destroyed;
}

/**
 * Sends bytes and waits until they have left, so that their memory may be used again, or nobody is there to take them.
 * @param stallMs a client that takes nothing for so long is cut off
 * @returns false when the response is closed
 */
export async function sent(res: ServerResponse, bytes: Buffer, stallMs: number): Promise<boolean> {
  if (res.destroyed) return false;
  const stalled = setTimeout(() => res.destroy(), stallMs);
  try {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        res.off('close', end);
        resolve();
      };
      res.once('close', end);
      res.write(bytes, end);
    });
  } finally {
    clearTimeout(stalled);
  }
  return !res.destroyed;
}
