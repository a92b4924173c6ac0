import type { ServerResponse } from 'node:http';

/**
 * Waits until a response accepts more data, or is closed.
 * @param stallMs a client that reads nothing for this time is cut off, in milliseconds
 * @returns false when the response is closed
 */
export async function drained(res: ServerResponse, stallMs: number): Promise<boolean> {
  if (res.destroyed || !res.writableNeedDrain) return !res.destroyed;
  return unlessClosed(res, stallMs, (done) => res.once('drain', done));
}

/**
 * Sends bytes and waits until they are written, so that their memory can be reused, or until the response is closed.
 * @param stallMs a client that reads nothing for this time is cut off, in milliseconds
 * @returns false when the response is closed
 */
export async function sent(res: ServerResponse, bytes: Buffer, stallMs: number): Promise<boolean> {
  if (res.destroyed) return false;
  return unlessClosed(res, stallMs, (done) => res.write(bytes, done));
}

async function unlessClosed(
  res: ServerResponse,
  stallMs: number,
  begin: (done: () => void) => unknown,
): Promise<boolean> {
  const stalled = setTimeout(() => res.destroy(), stallMs);
  await new Promise<void>((resolve) => {
    const end = (): void => {
      res.off('close', end).off('drain', end);
      resolve();
    };
    res.once('close', end);
    begin(end);
  });
  clearTimeout(stalled);
  return !res.destroyed;
}
