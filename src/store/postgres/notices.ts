import type { Follow } from '../replicated/notices.js';
import { CHANNEL } from './schema.js';
import type { Session } from './session.js';

/** Follows the notifications of a session of its own, until that ends. */
export function followNotifications(session: Session): Follow {
  return async (told) => {
    const client = await session.client(performance.now());
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('notification', told);
    await client.query(`LISTEN ${CHANNEL}`);
    // Behind a pooler that shares connections this never comes back: then the log is looked at more often.
    await client.query('SELECT pg_notify($1, $2)', [CHANNEL, '']);
    await ended;
  };
}
