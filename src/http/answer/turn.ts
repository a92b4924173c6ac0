import type { ServerResponse } from 'node:http';

interface Ready {
  readonly res: ServerResponse;
  readonly body: Buffer | undefined;
}

let ready: Ready[] = [];

/**
 * Ends an answer at the end of this turn of the event loop, together with the other answers of the turn. A write to a
 * socket wakes its client, so that clients and server take turns on the processor for each answer; many writes in a row
 * take half the time.
 */
export function endWithTurn(res: ServerResponse, body?: Buffer): void {
  if (ready.length === 0) setImmediate(endAll);
  ready.push({ res, body });
}

function endAll(): void {
  const all = ready;
  ready = [];
  for (const { res, body } of all) res.end(body);
}
