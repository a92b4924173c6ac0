import type { Follow } from '../replicated/change-notifications.js';
import { CHANNEL } from './schema.js';
import type { Session } from './session.js';

/** Follows the notifications of a separate session, until that ends. */
export function followNotifications(session: Session): Follow {
  return async (onAppend) => {
    const client = await session.client(performance.now());
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('notification', ({ payload }) => onAppend(payload));
    // Behind a pooler that shares connections, no notifications arrive. The log is then polled more often. A test
    // notification would prove nothing, because it may use the same connection.
    await client.query(`LISTEN ${CHANNEL}`);
    await ended;
  };
}
