import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const IDLE_CHECK_MS = 50;

/** The connections that a server has from now on, and has no more when they are closed. */
export function getConnections(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  const add = (socket: Socket): void => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  };
  // With TLS, the second is upon the first.
  server.on('connection', add).on('secureConnection', add);
  return connections;
}

/**
 * Takes no new requests, waits for those under way, and closes what is open after the deadline.
 * @param connections all of the server: node knows none on which TLS is not agreed yet, and takes one that has sent
 *   nothing, as browsers open them in advance, for one with a request under way
 */
export async function closeServer(
  server: Server,
  connections: ReadonlySet<Socket>,
  deadlineMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  // Connections whose last answer was under way become idle later, and would be kept for a next request.
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const aborter = new AbortController();
  const late = sleep(deadlineMs, 'late' as const, { signal: aborter.signal }).catch(() => 'late' as const);
  if ((await Promise.race([closed, late])) === 'late') for (const socket of connections) socket.destroy();
  await closed;
  clearInterval(idle);
  aborter.abort();
}
