import path from 'node:path';
import { CACHE_BYTES } from './lib/cache-bytes.js';
import {
  delay,
  duration,
  flag,
  integer,
  label,
  list,
  mapping,
  onOrOff,
  oneOf,
  origin,
  origins,
  size,
  subnets,
  switchOf,
  text,
  workerCount,
  type ParseValue,
} from './lib/parse-value.js';
import { issuerUrl, namePrefix } from './oidc/oidc-config.js';
import { serviceUrls } from './kubernetes/webhooks/service-urls.js';
import { READ_ENTRIES_MAX } from './lib/work/work.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Each has a pair of colors in both themes of the console. */
export const CONSOLE_COLORS = ['blue', 'teal', 'green', 'orange', 'red', 'pink', 'violet', 'gray'] as const;

/** A setting: its name is the key in the file, and gives the flag and the environment variable. */
export interface Setting {
  readonly read: ParseValue<unknown>;
  /** A value for `read`. Absent: undefined. */
  readonly fallback?: unknown;
  /** The name of the member of the configuration. Default: that of the setting; none for one that others depend on. */
  readonly member?: string | undefined;
  /** `<value> text`, or `text` for a switch. Absent: the file alone has the setting, or each command has the flag. */
  readonly help?: string;
  /** The default in the help, where it is not `fallback`. */
  readonly shownDefault?: string;
  readonly isRepeatable?: boolean;
  /** True for a setting without an environment variable. */
  readonly isFileOnly?: boolean;
}

/** All settings of an operator, in the order of the help. Sizes are in bytes, times in milliseconds. */
export const SETTINGS = {
  host: { read: text, fallback: '127.0.0.1', help: '<address> address to listen on' },
  port: { read: integer(0, 65_535), fallback: 8090, help: '<number> port to listen on; 0 picks a free one' },
  dataDir: { read: text, fallback: '.xsvc', member: undefined },
  workers: {
    read: workerCount,
    fallback: 1,
    help: '<number> number of serving processes; auto: one per processor',
  },
  plugins: { read: list(path.delimiter), fallback: 'plugins', member: undefined },
  maxBody: { read: size, fallback: '1MiB', member: 'maxBodyBytes', help: '<size> largest request body' },
  maxReadEntries: {
    read: integer(1, Number.MAX_SAFE_INTEGER),
    fallback: READ_ENTRIES_MAX,
    help: '<number> maximum index entries read by one request; larger ones get 413',
  },
  cacheBytes: {
    read: size,
    fallback: CACHE_BYTES,
    help: '<size> memory of all caches together',
    shownDefault: '256MiB',
  },
  bodyTimeout: {
    read: delay,
    fallback: '30s',
    member: 'bodyTimeoutMs',
    help: '<duration> maximum time to receive a request body',
  },
  maxConnections: {
    read: integer(1, Number.MAX_SAFE_INTEGER),
    fallback: 10_000,
    help: '<number> maximum number of open connections; further ones are closed',
  },
  maxObject: {
    read: size,
    member: undefined,
    help: '<size> largest stored object, as JSON',
    shownDefault: 'twice --max-body',
  },
  store: { read: text, member: undefined },
  storeTimeout: {
    read: delay,
    fallback: '30s',
    member: 'storeTimeoutMs',
    help: '<duration> maximum wait of a request for a shared store',
  },
  durability: {
    read: oneOf(['safe', 'relaxed']),
    fallback: 'safe',
    help: '<mode> safe, or relaxed: writes may be answered before they are durable',
  },
  diskReserve: {
    read: size,
    fallback: '256MiB',
    member: 'diskReserveBytes',
    help: '<size> reject writes while less disk space is free',
    shownDefault: '256MiB, or a twentieth of a small disk',
  },
  leaseDuration: {
    read: delay,
    fallback: '10s',
    member: 'leaseMs',
    help: '<duration> time after which a silent leader is replaced; within 5s when its end is detectable',
  },
  console: { read: onOrOff, fallback: 'on', help: '<switch> on, or off: do not serve /console/' },
  consoleName: {
    read: label(40),
    fallback: 'xsvc',
    help: '<text> name of the service in the console',
  },
  consoleEnvironment: {
    read: label(20),
    help: '<text> environment of the service in the console: production',
  },
  consoleColor: {
    read: oneOf(CONSOLE_COLORS),
    help: `<color> color of name and environment in the console: ${CONSOLE_COLORS.join(', ')}`,
  },
  mcp: {
    read: oneOf(['off', 'read', 'write']),
    fallback: 'read',
    help: '<mode> tools for agents at /mcp: off, read, or write',
  },
  kubernetes: {
    read: switchOf(['on', 'full', 'off']),
    fallback: 'on',
    help:
      '<mode> kinds of Kubernetes: on, full: also those that nothing acts on, its roles and webhooks, or off: none, ' +
      'and no CustomResourceDefinitions',
  },
  auth: {
    read: oneOf(['none', 'token']),
    fallback: 'none',
    help: '<mode> none, or token: requests need a token',
  },
  oidcIssuer: {
    read: issuerUrl,
    member: undefined,
    help: '<url> issuer of ID tokens (OpenID Connect) that are accepted with --auth token',
  },
  oidcClientId: { read: text, member: undefined, help: '<id> client ID of the service at the issuer' },
  oidcClientSecretFile: {
    read: text,
    member: undefined,
    help: '<file> file with the client secret; without it, the client is public',
  },
  oidcUsernameClaim: {
    read: text,
    fallback: 'sub',
    member: undefined,
    help: '<claim> claim with the name of the user',
  },
  oidcGroupsClaim: {
    read: text,
    fallback: 'groups',
    member: undefined,
    help: '<claim> claim with the groups of the user',
  },
  oidcUsernamePrefix: {
    read: namePrefix,
    fallback: 'oidc:',
    member: undefined,
    help: '<prefix> begin of the names of users of the issuer; - means none',
  },
  oidcGroupsPrefix: {
    read: namePrefix,
    fallback: 'oidc:',
    member: undefined,
    help: '<prefix> begin of the names of groups of the issuer; - means none',
  },
  tlsCert: { read: text, member: undefined, help: '<file> certificate in PEM: serve only TLS' },
  tlsKey: { read: text, member: undefined, help: '<file> private key of the certificate, in PEM' },
  clientCa: {
    read: text,
    member: undefined,
    help: '<file> certificates of issuers, in PEM: clients with a certificate of theirs are users, with --auth token',
  },
  corsOrigin: {
    read: origins,
    fallback: [],
    member: 'corsOrigins',
    help: '<origin> origin whose pages may use the service in a browser; * means all',
    isRepeatable: true,
  },
  pluginOrigin: {
    read: origin,
    help: '<origin> second address, for pages of plugins that may use the API: http://127.0.0.1:8091',
  },
  webhookAllow: {
    read: subnets,
    fallback: [],
    help: '<cidr> loopback, link-local or private addresses that webhooks may use: 10.0.0.0/8',
    isRepeatable: true,
  },
  serviceUrl: {
    read: serviceUrls,
    fallback: [],
    member: 'serviceUrls',
    help:
      '<address> where the webhooks of a service of Kubernetes are: ' + 'shop/hooks=https://127.0.0.1:9443',
    isRepeatable: true,
  },
  insecure: {
    read: flag,
    fallback: false,
    help: 'allow listening on non-loopback addresses without authentication',
  },
  strict: { read: flag, fallback: false, help: 'exit when a plugin fails to start' },
  migrate: {
    read: oneOf(['auto', 'never']),
    fallback: 'auto',
    help: '<when> auto, or never: plugins with outstanding migrations fail',
  },
  upgrade: {
    read: oneOf(['auto', 'never']),
    fallback: 'auto',
    help: '<when> auto, or never: refuse a store of an older format',
  },
  unfit: {
    read: oneOf(['warn', 'refuse']),
    fallback: 'warn',
    help: '<policy> warn, or refuse: plugins fail when stored objects are invalid for their models',
  },
  takeover: { read: flag, fallback: false },
  watch: { read: flag, fallback: false, help: 'reload plugins when their files change' },
  platformPlugins: {
    read: list(','),
    fallback: [],
    help: '<name> plugin that may use groups of the platform',
    isRepeatable: true,
  },
  pluginConfig: { read: mapping, fallback: {}, isFileOnly: true },
  logRetentionCount: {
    read: integer(0, Number.MAX_SAFE_INTEGER),
    fallback: 100_000,
    help: '<number> minimum number of changes kept in the log',
  },
  logRetentionAge: {
    read: duration,
    fallback: '24h',
    member: 'logRetentionAgeMs',
    help: '<duration> minimum age of changes kept in the log',
  },
  logRetentionBytes: {
    read: size,
    fallback: '1GiB',
    help: '<size> maximum size of the log; takes precedence over count and age',
  },
  logLevel: { read: oneOf(LOG_LEVELS), fallback: 'info', help: '<level> debug, info, warn, error or silent' },
  accessLog: { read: flag, fallback: false, help: 'log each request with its user, as a JSON line' },
  auditLog: {
    read: text,
    member: undefined,
    help: '<file> record each write, refusal and sign-in there, as a JSON line; - is stderr',
  },
  auditReads: { read: flag, fallback: false, help: 'record reads in the audit log too' },
  auditStrict: {
    read: flag,
    fallback: false,
    help: 'refuse writes while the audit log cannot be written',
  },
  slowList: {
    read: duration,
    member: 'slowListMs',
    help: '<duration> log slower lists, with their query plan',
    shownDefault: 'off',
  },
} as const satisfies Readonly<Record<string, Setting>>;

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;

export type SettingValue<Name extends SettingName> =
  | ReturnType<Settings[Name]['read']>
  | (Settings[Name] extends { readonly fallback: unknown } ? never : undefined);

type Member<Name extends SettingName> = Settings[Name] extends { readonly member: infer Given }
  ? Given & string
  : Name;

/** The members of the configuration that are each the value of one setting. */
export type SettingMembers = { readonly [Name in SettingName as Member<Name>]: SettingValue<Name> };

/** The flag of a setting: `--data-dir` for `dataDir`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function serveFlags(): {
  readonly flag: string;
  readonly help: string;
  readonly isRepeatable: boolean;
}[] {
  return Object.entries<Setting>(SETTINGS).flatMap(([name, setting]) => {
    const { help, fallback, shownDefault = fallback, isRepeatable = false } = setting;
    if (help === undefined) return [];
    const [, value, about = ''] = /^(<\w+>) (.*)$/.exec(help) ?? [];
    if (value === undefined) return { flag: flagName(name), help, isRepeatable };
    const isShown = typeof shownDefault === 'string' || typeof shownDefault === 'number';
    const note = isRepeatable ? ' (repeatable)' : isShown ? ` (default: ${shownDefault})` : '';
    return { flag: `${flagName(name)} ${value}`, help: `${about}${note}`, isRepeatable };
  });
}
