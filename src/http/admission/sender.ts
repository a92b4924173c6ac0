import type { IncomingMessage } from 'node:http';
import type { AccessGuard } from '../guards/access-guard.js';
import { getNetwork } from '../guards/failure-budget.js';

/**
 * Whose share a request takes: that of its user, or of the network it comes from where nobody is asked. Headers of proxies
 * are not read, for anybody can send them.
 */
export function senderReader(guard: AccessGuard | undefined): (req: IncomingMessage) => string {
  if (guard === undefined) return ({ socket }) => `address ${getNetwork(socket.remoteAddress ?? '')}`;
  return (req) => `user ${guard.getIdentity(req).user}`;
}
