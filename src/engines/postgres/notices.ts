import type { Follow } from '../replicated/change-notifications.js';
import { CHANNEL } from './schema.js';
import type { Session } from './session.js';

/** Follows the notifications of a session of its own, until that ends. */
export function followNotifications(session: Session): Follow {
  return async (told) => {
    const client = await session.client(performance.now());
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('notification', told);
    // Behind a pooler that shares connections nothing comes of it: then the log is looked at more often. A notification of
    // its own would say nothing, for it may go to the same connection.
    await client.query(`LISTEN ${CHANNEL}`);
    await ended;
  };
}
