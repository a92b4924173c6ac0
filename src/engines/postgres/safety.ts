import type pg from 'pg';
import { unavailable } from '../../errors.js';
import { isRemote, type PostgresAddress } from './address.js';

/** Oldest tested version. */
const VERSION_MIN = 13;

interface Settings extends pg.QueryResultRow {
  readonly version: number;
  readonly fsync: string;
  readonly commit: string;
  readonly standbys: string;
}

/**
 * Checks settings of the server by which confirmed writes could be lost.
 * @throws ServiceError `ServiceUnavailable` when a crash of the server could lose writes, unless the address allows
 * that
 */
export async function checkSafety(
  client: pg.Client,
  { isUnsafe }: PostgresAddress,
  warn: (message: string) => void,
): Promise<void> {
  const { rows } = await client.query<Settings>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('fsync') AS fsync,
      current_setting('synchronous_commit') AS commit, current_setting('synchronous_standby_names') AS standbys`,
  );
  const [found] = rows;
  if (found === undefined) return;
  if (found.version < VERSION_MIN)
    throw unavailable(`PostgreSQL ${found.version} is too old; version ${VERSION_MIN} or later is needed`);
  const faults = [
    ...(found.fsync === 'off' ? ['fsync=off'] : []),
    ...(['on', 'remote_apply'].includes(found.commit) ? [] : [`synchronous_commit=${found.commit}`]),
  ];
  if (faults.length > 0 && !isUnsafe)
    throw unavailable(
      `PostgreSQL runs with ${faults.join(' and ')}: a crash would lose answered writes; ` +
        'change these settings for this database or user, or add ?unsafe=1 to accept the risk',
    );
  if (found.standbys === '')
    warn(
      'PostgreSQL has no synchronous standby (synchronous_standby_names): a fail-over may lose answered writes',
    );
}

/** Logs warnings before anything is sent. */
export function warnOfNetwork({ sslMode, hosts }: PostgresAddress, warn: (message: string) => void): void {
  if (sslMode !== 'disable' || !hosts.some(isRemote)) return;
  warn(
    'the connection to PostgreSQL is not encrypted (sslmode=disable): others can read and change the stored data; ' +
      'use sslmode=verify-full',
  );
}
