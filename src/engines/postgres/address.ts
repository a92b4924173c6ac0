import { readFileSync } from 'node:fs';
import { badRequest, getMessage } from '../../errors.js';
import { isLoopback } from '../../lib/process/loopback.js';
import {
  checkOptions,
  readRetain,
  readServer,
  type ServerPlace,
  wrongAddress,
} from '../replicated/address-parts.js';

export const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof SSL_MODES)[number];

/** The location of a store in PostgreSQL, and the connection options. Contains no password. */
export interface PostgresAddress {
  readonly user: string;
  /** Servers of one cluster, one of which accepts writes. */
  readonly hosts: readonly PostgresHost[];
  readonly database: string;
  /** The schema of the store's tables. */
  readonly schema: string;
  readonly sslMode: SslMode;
  /** File with the certificates that verify that of the server. */
  readonly sslRootCert: string | undefined;
  /** True when the server notifies of appends; false when it is only polled. */
  readonly notify: boolean;
  /** Retention of records that the checkpoint includes, for processes that are behind, in milliseconds. */
  readonly retainMs: number;
  /** First line: the password. Without this file, PGPASSWORD and PGPASSFILE are used. */
  readonly passwordFile: string | undefined;
  /** True when a server is accepted that may lose confirmed writes in a crash. */
  readonly isUnsafe: boolean;
}

/** The host is a name, an address, or the directory of a Unix socket (`%2Frun%2Fpostgresql` in an address). */
export type PostgresHost = ServerPlace;

const DEFAULT_PORT = 5432;
const ADDRESS = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?]*)\/([^/?]+)(?:\?(.*))?$/u;
/** Names that need no quotes in SQL. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/u;
const OPTIONS = ['schema', 'sslmode', 'sslrootcert', 'notify', 'retain', 'passwordFile', 'unsafe'];
const SHAPE = 'postgres://USER@HOST[:PORT][,HOST..]/DATABASE?schema=xsvc';

/**
 * Parses the address of a store: `postgres://USER@HOST[:PORT][,HOST..]/DATABASE?schema=..&sslmode=..`.
 * @throws ServiceError `BadRequest` that names the error, and never repeats a password
 */
export function parsePostgresAddress(text: string): PostgresAddress {
  const [, user = '', hosts = '', database = '', query = ''] =
    ADDRESS.exec(text) ?? wrongAddress(`must be ${SHAPE}`);
  if (user.includes(':'))
    wrongAddress(
      'must not contain a password, because others could read it; use PGPASSWORD, PGPASSFILE or ?passwordFile=FILE',
    );
  if (user === '' || hosts === '') wrongAddress(`must be ${SHAPE}`);
  const given = new URLSearchParams(query);
  checkOptions(given, OPTIONS);
  const schema = given.get('schema') ?? 'xsvc';
  if (!SCHEMA.test(schema)) wrongAddress('has an invalid schema; use lower-case letters, digits and _');
  const places = hosts.split(',').map(getHost);
  return {
    user: decodeURIComponent(user),
    hosts: places,
    database: decodeURIComponent(database),
    schema,
    sslMode: getSslMode(given.get('sslmode'), places),
    sslRootCert: given.get('sslrootcert') ?? undefined,
    notify: oneOf('notify', given.get('notify') ?? 'auto', ['auto', 'off'] as const) === 'auto',
    retainMs: readRetain(given.get('retain')),
    passwordFile: given.get('passwordFile') ?? undefined,
    isUnsafe: oneOf('unsafe', given.get('unsafe') ?? '0', ['0', '1'] as const) === '1',
  };
}

export function formatPostgresAddress({ user, hosts, database, schema }: PostgresAddress): string {
  const places = hosts.map(({ host, port }) => `${encodeURIComponent(host)}:${port}`).join(',');
  return `postgres://${user}@${places}/${database}?schema=${schema}`;
}

/** @throws ServiceError `BadRequest` when the file cannot be read */
export function readPassword({ passwordFile }: PostgresAddress): string | undefined {
  if (passwordFile === undefined) return undefined;
  try {
    return readFileSync(passwordFile, 'utf8').split(/\r?\n/u)[0];
  } catch (error) {
    throw badRequest(`cannot read the password for PostgreSQL: ${getMessage(error)}`);
  }
}

/** Without TLS, an intermediary could read all data, and impersonate the server. */
function getSslMode(given: string | null, hosts: readonly PostgresHost[]): SslMode {
  if (given !== null) return oneOf('sslmode', given, SSL_MODES);
  if (hosts.some(isRemote))
    wrongAddress(
      'names a remote server, so it needs sslmode: verify-full (TLS, and the certificate must belong to ' +
        'this server), verify-ca (TLS, and the certificate must be signed by the authority), require (TLS, without a check of the server) or ' +
        'disable (no TLS; others can read everything except a SCRAM password)',
    );
  return 'disable';
}

/** True when a server is reached over a network. */
export function isRemote({ host }: PostgresHost): boolean {
  return !host.startsWith('/') && !isLoopback(host);
}

function getHost(text: string): PostgresHost {
  const { host, port } = readServer(text, DEFAULT_PORT);
  return { host: decodeURIComponent(host), port };
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  return (
    allowed.find((one) => one === value) ??
    wrongAddress(`has an invalid value for ${name}; use one of ${allowed.join(', ')}`)
  );
}
