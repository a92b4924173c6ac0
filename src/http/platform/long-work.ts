import type { Request, Response } from 'express';

/** Work that takes minutes; clients and proxies give up on those who say nothing. */
const ALIVE_MS = 30_000;

/**
 * Does work that takes long, and tells the client that waits that it is under way (102).
 * @param work is given a signal, which is aborted when the client is gone
 * @param aliveMs how often the client is told
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
