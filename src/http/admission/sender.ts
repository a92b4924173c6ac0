import type { IncomingMessage } from 'node:http';
import type { AccessGuard } from '../guards/access-guard.js';
import { getNetwork } from '../guards/network.js';

/**
 * Returns the sender of a request: its user, or its network address without authentication. Headers of proxies are
 * not read, because any client can send them.
 */
export function senderReader(guard: AccessGuard | undefined): (req: IncomingMessage) => string {
  if (guard === undefined) return ({ socket }) => `address ${getNetwork(socket.remoteAddress ?? '')}`;
  return (req) => `user ${guard.getIdentity(req).user}`;
}
