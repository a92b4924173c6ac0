import { badRequest } from '../../errors.js';
import { parseDuration } from '../../lib/duration.js';

/** Where a store in etcd is, and how it is reached. It holds no password: that is in ETCD_PASSWORD. */
export interface EtcdAddress {
  /** Members of one cluster. */
  readonly members: readonly EtcdMember[];
  /** All keys of the store begin with it and a slash. */
  readonly prefix: string;
  /** File with the certificates that the members' are checked against; with it TLS is spoken. */
  readonly caFile: string | undefined;
  /** Files of the certificate that members are shown. */
  readonly client: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly user: string | undefined;
  /** How long records are kept that the checkpoint covers, for processes that are behind. */
  readonly retainMs: number;
  /** Whether etcd is told to forget what keys held before, of all keys that it has. */
  readonly compacts: boolean;
}

export interface EtcdMember {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORT = 2379;
/** Outcomes of appends are settled within a minute, so their records must be there longer. */
const RETAIN_MS = 10 * 60_000;
const RETAIN_MS_MIN = 60_000;
const ADDRESS = /^etcd:\/\/([^/?]*)\/([^?]+)(?:\?(.*))?$/u;
/** The prefix is shown in messages and typed into `etcdctl`. */
const PREFIX = /^[\w.-]+(?:\/[\w.-]+)*$/u;
const MEMBER = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/iu;
const OPTIONS = ['cacert', 'cert', 'key', 'user', 'retain', 'compact'];
const SHAPE = 'etcd://HOST[:PORT][,HOST..]/PREFIX?user=USER';

/**
 * Reads the address of a store: `etcd://HOST[:PORT][,HOST..]/PREFIX?cacert=..&cert=..&key=..&user=..`.
 * @throws ServiceError `BadRequest` that names what is wrong, and never repeats a password
 */
export function parseEtcdAddress(text: string): EtcdAddress {
  if (text.includes('@') || /[?&]password=/iu.test(text))
    fail(
      'must not hold a password, which others could see; give ?user=USER and the password in ETCD_PASSWORD',
    );
  const [, members = '', prefix = '', query = ''] = ADDRESS.exec(text) ?? fail(`must be ${SHAPE}`);
  if (!PREFIX.test(prefix)) fail('has a prefix that is not of letters, digits, - _ . and /');
  const given = new URLSearchParams(query);
  for (const name of given.keys())
    if (!OPTIONS.includes(name)) fail(`has the option ${name}; known are ${OPTIONS.join(', ')}`);
  const compact = given.get('compact') ?? 'auto';
  if (compact !== 'auto' && compact !== 'off') fail('has compact that is none of auto, off');
  return {
    members: members.split(',').map(memberOf),
    prefix,
    caFile: given.get('cacert') ?? undefined,
    client: clientOf(given.get('cert'), given.get('key')),
    user: given.get('user') ?? undefined,
    retainMs: retainOf(given.get('retain')),
    compacts: compact === 'auto',
  };
}

/** The address as it is shown. */
export function formatEtcdAddress({ members, prefix }: EtcdAddress): string {
  return `etcd://${members.map(formatMember).join(',')}/${prefix}`;
}

export function formatMember({ host, port }: EtcdMember): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether TLS is spoken. */
export function isEncrypted({ caFile, client }: EtcdAddress): boolean {
  return caFile !== undefined || client !== undefined;
}

function memberOf(text: string): EtcdMember {
  const [, bracketed, plain, port] = MEMBER.exec(text) ?? fail(`must be ${SHAPE}`);
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  if (number < 1 || number > 65_535) fail('has a port that is not from 1 to 65535');
  return { host: bracketed ?? plain ?? '', port: number };
}

function clientOf(certFile: string | null, keyFile: string | null): EtcdAddress['client'] {
  if (certFile === null && keyFile === null) return undefined;
  if (certFile === null || keyFile === null) fail('has one of cert and key; a certificate needs its key');
  return { certFile, keyFile };
}

function retainOf(text: string | null): number {
  if (text === null) return RETAIN_MS;
  const ms = parseDuration(text);
  if (ms < RETAIN_MS_MIN) fail('has a retain of less than 1m');
  return ms;
}

function fail(message: string): never {
  throw badRequest(`the address of the store ${message}`);
}
