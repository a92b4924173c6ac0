import type pg from 'pg';
import { unavailable } from '../../errors.js';

/** Authentication requests that would expose the password, and their events. */
const READABLE = {
  authenticationCleartextPassword: 'in clear text',
  authenticationMD5Password: 'as MD5',
} as const;

/**
 * Closes a connection without TLS when the server requests a password in a readable form. Only SCRAM-SHA-256 is
 * answered, because the server may be an impostor.
 */
export function keepPassword({ connection }: pg.Client, place: string): void {
  for (const [event, form] of Object.entries(READABLE)) {
    // Runs before the listener that answers, which then finds the connection closed.
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
