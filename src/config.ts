import path from 'node:path';
import { getMessage } from './errors.js';
import { CACHE_BYTES } from './lib/cache-bytes.js';
import { parseDuration, parseSize } from './lib/time/duration.js';
import { isRecord } from './lib/json/json.js';
import { isLoopback } from './lib/process/loopback.js';
import { suggest } from './lib/suggest.js';
import { READ_ENTRIES_MAX } from './lib/work/work.js';
import { parseYamlAll, type YamlDocument } from './lib/json/yaml.js';
import { parseEtcdAddress } from './engines/etcd/address.js';
import { parsePostgresAddress } from './engines/postgres/address.js';
import type { SharedAddress } from './engines/open-shared.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** All settings of an operator. */
export interface Config {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Absolute. */
  readonly dataDir: string;
  /** The number of processes that serve; `auto` is one for each processor. */
  readonly workers: number | 'auto';
  /** Absolute; each is a plugin or contains plugins. */
  readonly plugins: readonly string[];
  /** True when the plugin directories were configured; the default one may be missing. */
  readonly pluginsGiven: boolean;
  readonly maxBodyBytes: number;
  /** The memory in bytes for all request bodies that arrive at the same time: at least twice the largest one. */
  readonly bodiesBytes: number;
  /** The limit of index entries, names and records that one request reads. */
  readonly maxReadEntries: number;
  /** The limit of bytes for all caches of the process. */
  readonly cacheBytes: number;
  /** The time limit for a request's body. */
  readonly bodyTimeoutMs: number;
  /** Origins of other servers whose pages may read and write: `https://app.example.com`, or `*`. */
  readonly corsOrigins: readonly string[];
  /** The limit of open connections. */
  readonly maxConnections: number;
  /** The limit of a stored object, as JSON. */
  readonly maxObjectBytes: number;
  /** The address of a shared store; undefined when the store is in the data directory. */
  readonly shared: SharedAddress | undefined;
  /** The longest wait of requests for a shared store before they are refused. */
  readonly storeTimeoutMs: number;
  readonly durability: 'safe' | 'relaxed';
  /** The free space of the store's disk below which writes are refused; at most a twentieth of the disk. */
  readonly diskReserveBytes: number;
  /** A leading process that does not report within this time loses the lead. */
  readonly leaseMs: number;
  /** Set to serve the page at `/console/`. */
  readonly console: 'on' | 'off';
  /** The senders of requests that are accepted: all, or those with a token. */
  readonly auth: 'none' | 'token';
  /** Absolute PEM files. With both, only TLS is accepted. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Allows listening beyond this machine without authentication. */
  readonly insecure: boolean;
  /** True when a failed plugin stops the daemon. */
  readonly strict: boolean;
  /** `auto` runs outstanding migrations at start; with `never` such a plugin fails. */
  readonly migrate: 'auto' | 'never';
  /** The reaction to a plugin's model that does not fit stored objects: a warning, or the plugin fails. */
  readonly unfit: 'warn' | 'refuse';
  /** True to change declarations that another living process serves in another form. */
  readonly takeover: boolean;
  /** True to reload plugins when their files change. */
  readonly watch: boolean;
  /** Plugins that may register models in the platform's groups. */
  readonly platformPlugins: readonly string[];
  /** The configuration of each plugin, by plugin name. */
  readonly pluginConfig: Readonly<Record<string, unknown>>;
  readonly logRetentionCount: number;
  readonly logRetentionAgeMs: number;
  /** The limit of the log's size; it overrides count and age. */
  readonly logRetentionBytes: number;
  readonly logLevel: LogLevel;
  /** True to log each request. */
  readonly accessLog: boolean;
  /** A list that takes at least this time is logged with its explanation; undefined: none is. */
  readonly slowListMs: number | undefined;
}

/** The sources of the configuration; nothing is read from the machine. */
export interface ConfigSources {
  /** By the flags' names in camelCase; undefined for absent flags. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file?: { readonly path: string; readonly text: string };
  /** The directory for relative paths of flags and environment. Relative paths of the file start from the file's directory. */
  readonly cwd: string;
}

/** The operator's configuration cannot be used. An error of usage, not of an object: exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Parses one value; the message of its error completes "must be". */
type Read<T> = (value: unknown) => T;

interface Setting<T> {
  readonly read: Read<T>;
  readonly fallback: T;
}

/** The default ratio of an object's limit to a body's limit: patches make objects grow. */
const OBJECT_BODIES = 2;
const BODIES_BYTES = 256 * 1024 * 1024;

const DEFAULTS = {
  host: setting(text, '127.0.0.1'),
  port: setting(integer(0, 65_535), 8090),
  dataDir: setting(text, '.xsvc'),
  workers: setting(workerCount, 1),
  plugins: setting(list(path.delimiter), ['plugins']),
  maxBody: setting(size, 1024 * 1024),
  maxReadEntries: setting(integer(1, Number.MAX_SAFE_INTEGER), READ_ENTRIES_MAX),
  cacheBytes: setting(size, CACHE_BYTES),
  corsOrigin: setting(origins, []),
  bodyTimeout: setting(delay, 30_000),
  maxConnections: setting(integer(1, Number.MAX_SAFE_INTEGER), 10_000),
  maxObject: setting<number | undefined>(size, undefined),
  store: setting<string | undefined>(text, undefined),
  storeTimeout: setting(delay, 30_000),
  durability: setting<'safe' | 'relaxed'>(oneOf(['safe', 'relaxed']), 'safe'),
  diskReserve: setting(size, 256 * 1024 * 1024),
  leaseDuration: setting(delay, 10_000),
  console: setting<'on' | 'off'>(onOrOff, 'on'),
  auth: setting<'none' | 'token'>(oneOf(['none', 'token']), 'none'),
  tlsCert: setting<string | undefined>(text, undefined),
  tlsKey: setting<string | undefined>(text, undefined),
  insecure: setting(flag, false),
  strict: setting(flag, false),
  migrate: setting<'auto' | 'never'>(oneOf(['auto', 'never']), 'auto'),
  unfit: setting<'warn' | 'refuse'>(oneOf(['warn', 'refuse']), 'warn'),
  takeover: setting(flag, false),
  watch: setting(flag, false),
  platformPlugins: setting(list(','), []),
  pluginConfig: setting<Readonly<Record<string, unknown>>>(mapping, {}),
  logRetentionCount: setting(integer(0, Number.MAX_SAFE_INTEGER), 100_000),
  logRetentionAge: setting(duration, 86_400_000),
  logRetentionBytes: setting(size, 1024 * 1024 * 1024),
  logLevel: setting<LogLevel>(oneOf(LOG_LEVELS), 'info'),
  accessLog: setting(flag, false),
  slowList: setting<number | undefined>(duration, undefined),
};

/** Names of the settings: the names of flags and the keys of the file. */
export const SETTING_NAMES: readonly string[] = Object.keys(DEFAULTS);

/**
 * Builds the configuration: flags take precedence over environment, file and defaults, in this order.
 * @throws ConfigError for unknown keys and values that cannot be used; it names their place
 */
export function readConfig(sources: ConfigSources): Config {
  const file = readFile(sources.file);
  const find = <T>(name: string, option: Setting<T>): Found<T> => findSetting(name, option, sources, file);
  const given = {
    dataDir: find('dataDir', DEFAULTS.dataDir),
    plugins: find('plugins', DEFAULTS.plugins),
    store: find('store', DEFAULTS.store),
  };
  const maxBody = find('maxBody', DEFAULTS.maxBody).value;
  const store = findStore(given.store);
  const directory = typeof store === 'string' ? { ...given.store, value: store } : given.dataDir;
  const shared = typeof store === 'string' ? undefined : store;
  const durability = find('durability', DEFAULTS.durability);
  if (shared !== undefined && durability.value === 'relaxed')
    throw new ConfigError(`${durability.place}: a shared store is always safe; leave it out`);
  return {
    host: find('host', DEFAULTS.host).value,
    port: find('port', DEFAULTS.port).value,
    dataDir: path.resolve(directory.base, directory.value),
    plugins: given.plugins.value.map((one) => path.resolve(given.plugins.base, one)),
    workers: find('workers', DEFAULTS.workers).value,
    pluginsGiven: given.plugins.isGiven,
    maxReadEntries: find('maxReadEntries', DEFAULTS.maxReadEntries).value,
    cacheBytes: find('cacheBytes', DEFAULTS.cacheBytes).value,
    corsOrigins: find('corsOrigin', DEFAULTS.corsOrigin).value,
    bodyTimeoutMs: find('bodyTimeout', DEFAULTS.bodyTimeout).value,
    maxConnections: find('maxConnections', DEFAULTS.maxConnections).value,
    maxBodyBytes: maxBody,
    bodiesBytes: Math.max(BODIES_BYTES, 2 * maxBody),
    maxObjectBytes: find('maxObject', DEFAULTS.maxObject).value ?? OBJECT_BODIES * maxBody,
    shared,
    storeTimeoutMs: find('storeTimeout', DEFAULTS.storeTimeout).value,
    durability: durability.value,
    diskReserveBytes: find('diskReserve', DEFAULTS.diskReserve).value,
    leaseMs: find('leaseDuration', DEFAULTS.leaseDuration).value,
    console: find('console', DEFAULTS.console).value,
    auth: find('auth', DEFAULTS.auth).value,
    tls: getTls(find('tlsCert', DEFAULTS.tlsCert), find('tlsKey', DEFAULTS.tlsKey)),
    insecure: find('insecure', DEFAULTS.insecure).value,
    strict: find('strict', DEFAULTS.strict).value,
    migrate: find('migrate', DEFAULTS.migrate).value,
    unfit: find('unfit', DEFAULTS.unfit).value,
    takeover: find('takeover', DEFAULTS.takeover).value,
    watch: find('watch', DEFAULTS.watch).value,
    platformPlugins: find('platformPlugins', DEFAULTS.platformPlugins).value,
    pluginConfig: find('pluginConfig', DEFAULTS.pluginConfig).value,
    logRetentionCount: find('logRetentionCount', DEFAULTS.logRetentionCount).value,
    logRetentionAgeMs: find('logRetentionAge', DEFAULTS.logRetentionAge).value,
    logRetentionBytes: find('logRetentionBytes', DEFAULTS.logRetentionBytes).value,
    logLevel: find('logLevel', DEFAULTS.logLevel).value,
    accessLog: find('accessLog', DEFAULTS.accessLog).value,
    slowListMs: find('slowList', DEFAULTS.slowList).value,
  };
}

/**
 * Refuses to serve other machines without authentication.
 * @throws ConfigError unless tokens are required, the address is a loopback one, or `insecure` is set
 */
export function checkListening({ host, auth, insecure }: Pick<Config, 'host' | 'auth' | 'insecure'>): void {
  if (auth === 'token' || insecure || isLoopback(host)) return;
  throw new ConfigError(
    `listening on ${host} without authentication lets everybody who can reach this machine read and write; ` +
      `use --auth token, listen on 127.0.0.1, or confirm with --insecure`,
  );
}

/** The directory of the LMDB file: the whole store, or this machine's replica of a shared one. */
export function storeDirectory({ dataDir, shared }: Pick<Config, 'dataDir' | 'shared'>): string {
  return shared === undefined ? dataDir : path.join(dataDir, 'replica');
}

/**
 * Refuses a shared store, which only daemons open.
 * @throws ConfigError
 */
export function refuseShared({ shared }: Pick<Config, 'shared'>): void {
  if (shared !== undefined)
    throw new ConfigError('only daemons open a shared store; name one with --server (XSVC_SERVER)');
}

/** The environment variable of a setting: `XSVC_DATA_DIR` for `dataDir`. */
export function environmentName(setting: string): string {
  return `XSVC_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

interface Found<T> {
  readonly value: T;
  /** The directory for a relative path in the value. */
  readonly base: string;
  readonly isGiven: boolean;
  /** The place of the value in messages: `--port`, `XSVC_PORT`, `xsvc.yaml:3: port`. */
  readonly place: string;
}

interface File {
  readonly values: Readonly<Record<string, unknown>>;
  readonly base: string;
  place(key: string): string;
}

function findSetting<T>(
  name: string,
  { read, fallback }: Setting<T>,
  sources: ConfigSources,
  file: File,
): Found<T> {
  const variable = environmentName(name);
  const flagValue = sources.flags[name];
  // In shells an empty variable means that it is not set.
  const envValue = sources.env[variable] === '' ? undefined : sources.env[variable];
  const fileValue = Object.hasOwn(file.values, name) ? file.values[name] : undefined;
  const found = (value: unknown, place: string, base: string): Found<T> => {
    return { value: readAt(place, read, value), place, base, isGiven: true };
  };
  if (flagValue !== undefined) return found(flagValue, flagName(name), sources.cwd);
  if (envValue !== undefined && name !== 'pluginConfig') return found(envValue, variable, sources.cwd);
  if (fileValue !== undefined) return found(fileValue, file.place(name), file.base);
  return { value: fallback, place: 'default', base: sources.cwd, isGiven: false };
}

function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function readAt<T>(place: string, read: Read<T>, value: unknown): T {
  try {
    return read(value);
  } catch (error) {
    throw new ConfigError(`${place} ${getMessage(error)}`);
  }
}

function readFile(source: ConfigSources['file']): File {
  if (source === undefined) return { values: {}, base: '', place: (key) => key };
  const document = parseFile(source);
  const at = (key: string): string => {
    const line = document?.findLine(key);
    return line === undefined ? `${source.path}:` : `${source.path}:${line}:`;
  };
  const values = document?.value ?? {};
  if (!isRecord(values)) throw new ConfigError(`${source.path}: must be a mapping of settings`);
  for (const key of Object.keys(values)) {
    if (SETTING_NAMES.includes(key)) continue;
    const near = suggest(key, SETTING_NAMES);
    const hint =
      near === undefined ? `; known settings: ${SETTING_NAMES.join(', ')}` : `, did you mean "${near}"?`;
    throw new ConfigError(`${at(key)} unknown setting "${key}"${hint}`);
  }
  return { values, base: path.dirname(source.path), place: (key) => `${at(key)} ${key}` };
}

function parseFile({ path: file, text: content }: { path: string; text: string }): YamlDocument | undefined {
  let documents: YamlDocument[];
  try {
    documents = parseYamlAll(content, { filename: file, maxAliases: 100 });
  } catch (error) {
    throw new ConfigError(getMessage(error));
  }
  if (documents.length > 1) throw new ConfigError(`${file}: must be one document, has ${documents.length}`);
  return documents[0];
}

/** The directory of `lmdb:DIR`, or a shared store; undefined when none was named. */
function findStore({ value, place }: Found<string | undefined>): string | SharedAddress | undefined {
  return value === undefined ? undefined : parseStore(value, place);
}

/**
 * Parses the address of a store: `lmdb:DIR`, or that of a shared one.
 * @param place the place of the value, for messages
 * @returns the directory as it is written, or the address
 * @throws ConfigError
 */
export function parseStore(value: string, place: string): string | SharedAddress {
  if (value.startsWith('lmdb:') && value.length > 'lmdb:'.length) return value.slice('lmdb:'.length);
  try {
    if (/^postgres(?:ql)?:/.test(value)) return { engine: 'postgres', address: parsePostgresAddress(value) };
    if (value.startsWith('etcd:')) return { engine: 'etcd', address: parseEtcdAddress(value) };
  } catch (error) {
    throw new ConfigError(`${place}: ${getMessage(error)}`);
  }
  throw new ConfigError(
    `${place} must be lmdb:DIR, postgres://USER@HOST/DATABASE or etcd://HOST,HOST/PREFIX`,
  );
}

/** @throws ConfigError when only one of the two is set */
function getTls(cert: Found<string | undefined>, key: Found<string | undefined>): Config['tls'] {
  if (cert.value === undefined && key.value === undefined) return undefined;
  if (cert.value === undefined || key.value === undefined) {
    const [given, missing] = cert.value === undefined ? [key, 'tls-cert'] : [cert, 'tls-key'];
    throw new ConfigError(`${given.place} also needs --${missing}: TLS requires a certificate and its key`);
  }
  return {
    certFile: path.resolve(cert.base, cert.value),
    keyFile: path.resolve(key.base, key.value),
  };
}

function setting<T>(read: Read<T>, fallback: T): Setting<T> {
  return { read, fallback };
}

function text(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Error(`must be text, not ${show(value)}`);
}

function integer(min: number, max: number, otherwise = ''): Read<number> {
  return (value) => {
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= min && number <= max)
      return number;
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
    throw new Error(`must be an integer ${range}${otherwise}, not ${show(value)}`);
  };
}

/** More than a machine with one store can use; each takes some of the store's slots for readers. */
const WORKERS_MAX = 128;

function workerCount(value: unknown): number | 'auto' {
  return value === 'auto' ? value : integer(1, WORKERS_MAX, ', or auto')(value);
}

function flag(value: unknown): boolean {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  throw new Error(`must be true or false, not ${show(value)}`);
}

/** Parses several texts: a list, or one text that the separator divides. */
function list(separator: string): Read<readonly string[]> {
  return (value) => {
    const items: readonly unknown[] = Array.isArray(value) ? value : text(value).split(separator);
    return items.map(text);
  };
}

/** Parses several origins, in the form of browsers. */
function origins(value: unknown): readonly string[] {
  return list(',')(value).map((text) => {
    if (text === '*') return text;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
    if (isHttp && url.href === `${url.origin}/` && !text.includes('*')) return url.origin;
    throw new Error(`must be origins like https://app.example.com, or *, not ${show(text)}`);
  });
}

function oneOf<T extends string>(choices: readonly T[]): Read<T> {
  return (value) => {
    const known = choices.find((choice) => choice === value);
    if (known !== undefined) return known;
    throw new Error(`must be one of ${choices.join(', ')}, not ${show(value)}`);
  };
}

/** Also accepts the booleans that YAML parses from these words. */
function onOrOff(value: unknown): 'on' | 'off' {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return oneOf(['on', 'off'])(value);
}

function size(value: unknown): number {
  const bytes = typeof value === 'number' ? value : parseSize(text(value));
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new Error(`must be a size like 1MiB, not ${show(value)}`);
}

function duration(value: unknown): number {
  return parseDuration(value === 0 ? '0' : text(value));
}

/** The longest delay of a timer. */
const DELAY_MS_MAX = 2 ** 31 - 1;

/** Parses a duration that a timer can wait. */
function delay(value: unknown): number {
  const ms = duration(value);
  if (ms > 0 && ms <= DELAY_MS_MAX) return ms;
  throw new Error(`must be longer than 0 and at most 24d, not ${show(value)}`);
}

function mapping(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new Error(`must be a mapping, not ${show(value)}`);
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}
