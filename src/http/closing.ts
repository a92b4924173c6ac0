import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const IDLE_CHECK_MS = 50;

/** The open connections of a server, from this call on. */
export function getConnections(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  const add = (socket: Socket): void => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  };
  // With TLS, the second socket wraps the first.
  server.on('connection', add).on('secureConnection', add);
  return connections;
}

/**
 * Accepts no new requests, waits for those in progress, and closes open connections after the deadline.
 * @param connections all connections of the server. Node does not know those whose TLS handshake is incomplete. It
 * also counts a connection without any data, as browsers open them in advance, as one with a request in progress.
 */
export async function closeServer(
  server: Server,
  connections: ReadonlySet<Socket>,
  deadlineMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  // Connections become idle after their last answer, and would stay open for another request.
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const aborter = new AbortController();
  const late = sleep(deadlineMs, 'late' as const, { signal: aborter.signal }).catch(() => 'late' as const);
  if ((await Promise.race([closed, late])) === 'late') for (const socket of connections) socket.destroy();
  await closed;
  clearInterval(idle);
  aborter.abort();
}
