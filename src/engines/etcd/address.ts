import {
  checkOptions,
  readRetain,
  readServer,
  type ServerPlace,
  wrongAddress,
} from '../replicated/address-parts.js';

/** The location of a store in etcd, and the connection options. Contains no password: that is in ETCD_PASSWORD. */
export interface EtcdAddress {
  /** Members of one cluster. */
  readonly members: readonly EtcdMember[];
  /** All keys of the store begin with it and a slash. */
  readonly prefix: string;
  /** File with the certificates that verify those of the members. Its presence enables TLS. */
  readonly caFile: string | undefined;
  /** Files of the client certificate. */
  readonly client: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly user: string | undefined;
  /** Retention of records that the checkpoint includes, for processes that are behind, in milliseconds. */
  readonly retainMs: number;
  /** True when the store compacts etcd, which removes old values of all keys in the cluster. */
  readonly compacts: boolean;
}

export type EtcdMember = ServerPlace;

const DEFAULT_PORT = 2379;
const ADDRESS = /^etcd:\/\/([^/?]*)\/([^?]+)(?:\?(.*))?$/u;
/** The prefix is part of messages and typed into `etcdctl`. */
const PREFIX = /^[\w.-]+(?:\/[\w.-]+)*$/u;
const OPTIONS = ['cacert', 'cert', 'key', 'user', 'retain', 'compact'];
const SHAPE = 'etcd://HOST[:PORT][,HOST..]/PREFIX?user=USER';

/**
 * Parses the address of a store: `etcd://HOST[:PORT][,HOST..]/PREFIX?cacert=..&cert=..&key=..&user=..`.
 * @throws ServiceError `BadRequest` that names the error, and never repeats a password
 */
export function parseEtcdAddress(text: string): EtcdAddress {
  if (text.includes('@') || /[?&]password=/iu.test(text))
    wrongAddress(
      'must not contain a password, because others could read it; use ?user=USER and put the password in ETCD_PASSWORD',
    );
  const [, members = '', prefix = '', query = ''] = ADDRESS.exec(text) ?? wrongAddress(`must be ${SHAPE}`);
  if (members === '') wrongAddress(`must be ${SHAPE}`);
  if (!PREFIX.test(prefix))
    wrongAddress('has a prefix with other characters than letters, digits, - _ . and /');
  const given = new URLSearchParams(query);
  checkOptions(given, OPTIONS);
  const compact = given.get('compact') ?? 'auto';
  if (compact !== 'auto' && compact !== 'off')
    wrongAddress('has an invalid value for compact; use auto or off');
  return {
    members: members.split(',').map((member) => readServer(member, DEFAULT_PORT)),
    prefix,
    caFile: given.get('cacert') ?? undefined,
    client: getClient(given.get('cert'), given.get('key')),
    user: given.get('user') ?? undefined,
    retainMs: readRetain(given.get('retain')),
    compacts: compact === 'auto',
  };
}

export function formatEtcdAddress({ members, prefix }: EtcdAddress): string {
  return `etcd://${members.map(formatMember).join(',')}/${prefix}`;
}

export function formatMember({ host, port }: EtcdMember): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** True when connections use TLS. */
export function isEncrypted({ caFile, client }: EtcdAddress): boolean {
  return caFile !== undefined || client !== undefined;
}

function getClient(certFile: string | null, keyFile: string | null): EtcdAddress['client'] {
  if (certFile === null && keyFile === null) return undefined;
  if (certFile === null || keyFile === null) wrongAddress('needs both cert and key, or neither');
  return { certFile, keyFile };
}
