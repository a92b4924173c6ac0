import path from 'node:path';
import { getMessage } from './errors.js';
import { ConfigError, readAll } from './lib/config-error.js';
import { isRecord } from './lib/json/json.js';
import { addressOf, type OriginAddress } from './lib/origin.js';
import { isLoopback } from './lib/process/loopback.js';
import { suggest } from './lib/suggest.js';
import { parseYamlAll, type YamlDocument } from './lib/json/yaml.js';
import { parseEtcdAddress } from './engines/etcd/address.js';
import { parsePostgresAddress } from './engines/postgres/address.js';
import type { OidcConfig } from './oidc/oidc-config.js';
import type { SharedAddress } from './engines/open-shared.js';
import {
  flagName,
  SETTINGS,
  type Setting,
  type SettingMembers,
  type SettingName,
  type SettingValue,
} from './settings.js';

export { ConfigError };

/** All settings of an operator. */
export interface Config extends SettingMembers {
  /** Absolute. */
  readonly dataDir: string;
  /** Absolute; each is a plugin or contains plugins. */
  readonly plugins: readonly string[];
  /** True when the plugin directories were configured; the default one may be missing. */
  readonly pluginsGiven: boolean;
  /** The memory in bytes for all request bodies that arrive at the same time: at least twice the largest one. */
  readonly bodiesBytes: number;
  /** The limit of a stored object, as JSON. */
  readonly maxObjectBytes: number;
  /** The address of a shared store; undefined when the store is in the data directory. */
  readonly shared: SharedAddress | undefined;
  /** The absolute file of the audit log, or `-` for stderr; undefined without one. */
  readonly auditLog: string | undefined;
  /** Absolute PEM files. With them, only TLS is accepted. */
  readonly tls: TlsConfig | undefined;
  /** The issuer whose ID tokens are accepted; undefined without one. */
  readonly oidc: OidcConfig | undefined;
}

export interface TlsConfig {
  readonly certFile: string;
  readonly keyFile: string;
  /** The issuers of certificates of clients. Default: clients have none. */
  readonly clientCaFile?: string | undefined;
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

/** The default ratio of an object's limit to a body's limit: patches make objects grow. */
const OBJECT_BODIES = 2;
const BODIES_BYTES = 256 * 1024 * 1024;

/** Names of the settings: the names of flags and the keys of the file. */
export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);

/**
 * Builds the configuration: flags take precedence over environment, file and defaults, in this order.
 * @throws ConfigError for unknown keys and values that cannot be used: all of them, each with its place
 */
export function readConfig(sources: ConfigSources): Config {
  const file = readFile(sources.file);
  const find: FindSetting = (name) => findSetting(name, sources, file);
  const {
    keys: _,
    values,
    ...composedValues
  } = readAll({
    ...composedReaders(find),
    keys: file.check,
    values: () =>
      readAll(Object.fromEntries(SETTING_NAMES.map((name) => [name, () => find(name as SettingName).value]))),
  });
  const members = Object.entries<Setting>(SETTINGS).flatMap(([name, setting]) => {
    const member = 'member' in setting ? setting.member : name;
    return member === undefined ? [] : [[member, values[name]]];
  });
  // The type is made from the same records.
  return { ...(Object.fromEntries(members) as SettingMembers), ...composedValues };
}

/** The members that consist of several settings. */
function composedReaders(find: FindSetting): {
  readonly [Name in Exclude<keyof Config, keyof SettingMembers>]: () => Config[Name];
} {
  return {
    dataDir() {
      const [storeSetting, dataDir] = [find('store'), find('dataDir')];
      const store = findStore(storeSetting);
      return typeof store === 'string'
        ? path.resolve(storeSetting.base, store)
        : path.resolve(dataDir.base, dataDir.value);
    },
    plugins() {
      const { base, value } = find('plugins');
      return value.map((plugin) => path.resolve(base, plugin));
    },
    pluginsGiven: () => find('plugins').isGiven,
    bodiesBytes: () => Math.max(BODIES_BYTES, 2 * find('maxBody').value),
    maxObjectBytes: () => find('maxObject').value ?? OBJECT_BODIES * find('maxBody').value,
    shared() {
      const [store, durability] = [findStore(find('store')), find('durability')];
      if (store === undefined || typeof store === 'string') return undefined;
      if (durability.value === 'relaxed')
        throw new ConfigError(`${durability.place}: a shared store is always safe; leave it out`);
      return store;
    },
    auditLog: () => getAuditLog(find('auditLog'), [find('auditReads'), find('auditStrict')]),
    tls: () => getTls(find('tlsCert'), find('tlsKey'), find('clientCa')),
    oidc: () => getOidc(find),
  };
}

/** Checks the requirements of a service. @throws ConfigError with all faults */
export function checkServing(config: Config): void {
  const checks = [checkListening, checkPluginOrigin, checkOidc, checkClientCa];
  readAll(Object.fromEntries(checks.map((check, i) => [i, () => check(config)])));
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

/**
 * Refuses an issuer that no request would be checked by.
 * @throws ConfigError unless tokens are required
 */
export function checkOidc({ oidc, auth }: Pick<Config, 'oidc' | 'auth'>): void {
  if (oidc === undefined || auth === 'token') return;
  throw new ConfigError(`${flagName('oidcIssuer')} needs --auth token: without it, no token is checked`);
}

/**
 * Refuses issuers of certificates that no request would be checked by.
 * @throws ConfigError unless tokens are required
 */
export function checkClientCa({ tls, auth }: Pick<Config, 'tls' | 'auth'>): void {
  if (tls?.clientCaFile === undefined || auth === 'token') return;
  throw new ConfigError(`${flagName('clientCa')} needs --auth token: without it, no certificate is checked`);
}

/**
 * Checks the address for pages of plugins by the rules of the main one.
 * @throws ConfigError unless this process can listen there, in addition to its main address
 */
export function checkPluginOrigin({
  pluginOrigin,
  tls,
  ...main
}: Pick<Config, 'host' | 'port' | 'auth' | 'insecure' | 'tls' | 'pluginOrigin'>): void {
  if (pluginOrigin === undefined) return;
  const address = addressOf(pluginOrigin);
  const refuse = (reason: string): ConfigError => new ConfigError(`${flagName('pluginOrigin')}: ${reason}`);
  if (address.isTls && tls === undefined)
    throw refuse(`${pluginOrigin} needs --tls-cert and --tls-key; without them, use http://`);
  if (!address.isTls && tls !== undefined)
    throw refuse(`${pluginOrigin} must begin with https://, because the service has a certificate`);
  if (isTaken(address, main))
    throw refuse(
      `${pluginOrigin} is the address of the service itself; pages of plugins need another port, such as ` +
        String(address.port + 1),
    );
  checkListening({ ...main, host: address.host });
}

/** True when both cannot listen at the same time. */
function isTaken({ host, port }: OriginAddress, main: Pick<Config, 'host' | 'port'>): boolean {
  if (port === 0 || port !== main.port) return false;
  const [one, other] = [host, main.host].map((name) => (isLoopback(name) ? 'loopback' : name.toLowerCase()));
  return one === other || EVERY_ADDRESS.has(host) || EVERY_ADDRESS.has(main.host);
}

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

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

type FindSetting = <Name extends SettingName>(name: Name) => Found<SettingValue<Name>>;

/** @throws ConfigError when the issuer or the client ID is missing */
function getOidc(find: FindSetting): OidcConfig | undefined {
  const issuer = find('oidcIssuer');
  const clientId = find('oidcClientId');
  const secretFile = find('oidcClientSecretFile');
  const names = {
    usernameClaim: find('oidcUsernameClaim').value,
    groupsClaim: find('oidcGroupsClaim').value,
    usernamePrefix: find('oidcUsernamePrefix').value,
    groupsPrefix: find('oidcGroupsPrefix').value,
  };
  if (issuer.value === undefined) {
    const lonely = [clientId, secretFile].find(({ value }) => value !== undefined);
    if (lonely !== undefined) throw new ConfigError(`${lonely.place} also needs ${flagName('oidcIssuer')}`);
    return undefined;
  }
  if (clientId.value === undefined)
    throw new ConfigError(
      `${issuer.place} also needs ${flagName('oidcClientId')}: only ID tokens for this client are accepted`,
    );
  const file = secretFile.value;
  return {
    issuer: issuer.value,
    clientId: clientId.value,
    clientSecretFile: file === undefined ? undefined : path.resolve(secretFile.base, file),
    ...names,
  };
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
  /** @throws ConfigError when it cannot be read, or has unknown keys */
  readonly check: () => void;
}

function findSetting<Name extends SettingName>(
  name: Name,
  sources: ConfigSources,
  file: File,
): Found<SettingValue<Name>> {
  const { read, fallback, isFileOnly = false }: Setting = SETTINGS[name];
  const variable = environmentName(name);
  const flagValue = sources.flags[name];
  // In shells an empty variable means that it is not set.
  const envValue = sources.env[variable] === '' ? undefined : sources.env[variable];
  const fileValue = Object.hasOwn(file.values, name) ? file.values[name] : undefined;
  const found = (value: unknown, place: string, base: string, isGiven = true): Found<SettingValue<Name>> => {
    // The type of a setting's value is that of its `read`, or undefined.
    const parsed = (value === undefined ? undefined : readAt(place, read, value)) as SettingValue<Name>;
    return { value: parsed, place, base, isGiven };
  };
  if (flagValue !== undefined) return found(flagValue, flagName(name), sources.cwd);
  if (envValue !== undefined && !isFileOnly) return found(envValue, variable, sources.cwd);
  if (fileValue !== undefined) return found(fileValue, file.place(name), file.base);
  return found(fallback, 'default', sources.cwd, false);
}

function readAt(place: string, read: Setting['read'], value: unknown): unknown {
  try {
    return read(value);
  } catch (error) {
    throw new ConfigError(`${place} ${getMessage(error)}`);
  }
}

function readFile(source: ConfigSources['file']): File {
  if (source === undefined) return { values: {}, base: '', place: (key) => key, check: () => undefined };
  let document: YamlDocument | undefined;
  let fault: ConfigError | undefined;
  try {
    document = parseFile(source);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    fault = error;
  }
  const at = (key: string): string => {
    const line = document?.findLine(key);
    return line === undefined ? `${source.path}:` : `${source.path}:${line}:`;
  };
  const values = isRecord(document?.value) ? document.value : {};
  return {
    values,
    base: path.dirname(source.path),
    place: (key) => `${at(key)} ${key}`,
    check() {
      if (fault !== undefined) throw fault;
      const unknown = Object.keys(values).filter((key) => !SETTING_NAMES.includes(key));
      if (unknown.length > 0)
        throw new ConfigError(...unknown.map((key) => `${at(key)} ${unknownText(key)}`));
    },
  };
}

function unknownText(key: string): string {
  const near = suggest(key, SETTING_NAMES);
  const hint =
    near === undefined ? `; known settings: ${SETTING_NAMES.join(', ')}` : `, did you mean "${near}"?`;
  return `unknown setting "${key}"${hint}`;
}

function parseFile({ path: file, text: content }: { path: string; text: string }): YamlDocument | undefined {
  let documents: YamlDocument[];
  try {
    documents = parseYamlAll(content, { filename: file, maxAliases: 100 });
  } catch (error) {
    throw new ConfigError(getMessage(error));
  }
  if (documents.length > 1) throw new ConfigError(`${file}: must be one document, has ${documents.length}`);
  const [document] = documents;
  if (!isRecord(document?.value ?? {})) throw new ConfigError(`${file}: must be a mapping of settings`);
  return document;
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

/** @throws ConfigError for switches of a log that is not configured */
function getAuditLog(
  { value, base }: Found<string | undefined>,
  switches: readonly Found<boolean>[],
): string | undefined {
  if (value !== undefined) return value === '-' ? value : path.resolve(base, value);
  const useless = switches.find((one) => one.value);
  if (useless === undefined) return undefined;
  throw new ConfigError(`${useless.place} also needs --audit-log: the file for the lines, or - for stderr`);
}

/** @throws ConfigError when only one of certificate and key is set, or the issuers of clients without them */
function getTls(
  cert: Found<string | undefined>,
  key: Found<string | undefined>,
  clientCa: Found<string | undefined>,
): Config['tls'] {
  if (cert.value === undefined && key.value === undefined) {
    if (clientCa.value === undefined) return undefined;
    throw new ConfigError(
      `${clientCa.place} also needs --tls-cert and --tls-key: clients show certificates only over TLS`,
    );
  }
  if (cert.value === undefined || key.value === undefined) {
    const [given, missing] = cert.value === undefined ? [key, 'tls-cert'] : [cert, 'tls-key'];
    throw new ConfigError(`${given.place} also needs --${missing}: TLS requires a certificate and its key`);
  }
  return {
    certFile: path.resolve(cert.base, cert.value),
    keyFile: path.resolve(key.base, key.value),
    clientCaFile: clientCa.value === undefined ? undefined : path.resolve(clientCa.base, clientCa.value),
  };
}
