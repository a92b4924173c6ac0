import type { Request, Response } from 'express';

/** The work may take minutes; clients and proxies give up on a silent server. */
const ALIVE_MS = 30_000;

/**
 * Runs long work, and sends interim answers (102) to the waiting client.
 * @param work receives a signal that is aborted when the client has disconnected
 * @param aliveMs interval of the interim answers, in milliseconds
 */
export async function longWork<T>(
  req: Request,
  res: Response,
  work: (signal: AbortSignal) => Promise<T>,
  aliveMs = ALIVE_MS,
): Promise<T> {
  const controller = new AbortController();
  const alive = setInterval(() => {
    if (req.httpVersion === '1.1') res.writeProcessing();
  }, aliveMs);
  res.once('close', () => {
    clearInterval(alive);
    controller.abort();
  });
  return work(controller.signal).finally(() => clearInterval(alive));
}
