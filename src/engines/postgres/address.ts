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

/** Where a store in PostgreSQL is, and how it is reached. It holds no password. */
export interface PostgresAddress {
  readonly user: string;
  /** Servers of one cluster, of which one takes writes. */
  readonly hosts: readonly PostgresHost[];
  readonly database: string;
  /** Holds the tables of the store. */
  readonly schema: string;
  readonly sslMode: SslMode;
  /** File with the certificates that the server's is checked against. */
  readonly sslRootCert: string | undefined;
  /** Whether the server tells of appends, or is only asked. */
  readonly notify: boolean;
  /** How long records are kept that the checkpoint covers, for processes that are behind. */
  readonly retainMs: number;
  /** First line: the password. Without one PGPASSWORD and PGPASSFILE are used. */
  readonly passwordFile: string | undefined;
  /** Whether a server is taken that may lose what it has answered when it crashes. */
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
 * Reads the address of a store: `postgres://USER@HOST[:PORT][,HOST..]/DATABASE?schema=..&sslmode=..`.
 * @throws ServiceError `BadRequest` that names what is wrong, and never repeats a password
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

/** The address as it is shown. */
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

/** Without TLS, whoever is between could read all there is, and be the server. */
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

/** Whether a server is reached over a network. */
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
