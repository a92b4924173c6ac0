import type pg from 'pg';
import { unavailable } from '../../errors.js';

/** Authentication requests that would expose the password, and their events. */
const READABLE = {
  authenticationCleartextPassword: 'in clear text',
  authenticationMD5Password: 'as MD5',
} as const;

/**
 * Has a connection without TLS broken off where the server asks for a password that others could read: SCRAM-SHA-256 is
 * answered alone. The server may be another one than it says.
 */
export function keepPassword({ connection }: pg.Client, place: string): void {
  for (const [event, form] of Object.entries(READABLE)) {
    // Before the listener that answers, which finds the connection closed.
    connection.prependListener(event, () =>
      connection.stream.destroy(
        unavailable(
          `PostgreSQL at ${place} asks for the password ${form}, and the connection is not encrypted: it was not sent; ` +
            'add ?sslmode=verify-full to the address of the store, or have the server ask for scram-sha-256 (pg_hba.conf)',
        ),
      ),
    );
  }
}
