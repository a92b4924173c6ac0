import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Config, ConfigSources } from '../config.js';
import type { OpenDescription } from '../daemon/offline/description.js';
import type { Logger } from '../lib/log/logger.js';
import type { Service } from '../service/service.js';
import type { Verbs } from '../service/verbs.js';
import type { GlobalFlags } from './flags.js';
import { StoredVerbs } from './stored-verbs.js';
import { readBytes } from './input/bytes.js';
import { readText } from './input/files.js';
import type { CliIo } from './io.js';
import { openLineLog } from './logging.js';
import { findRemote, refuseServer, reportUnusedServer, type Remote } from './remote/remote.js';

interface WriteFlags extends GlobalFlags {
  readonly dryRun?: boolean;
}

const CONFIG_FILE = 'xsvc.yaml';

/**
 * Reads the optional configuration file, and combines it with environment and flags.
 * @param check further requirements of the configuration. Default: that commands can open its store
 * @throws UsageError for a file that cannot be read; ConfigError
 */
export async function loadConfig(
  flags: GlobalFlags,
  io: CliIo,
  check?: (config: Config) => void,
): Promise<Config> {
  const { readConfig, refuseShared } = await import('../config.js');
  const file = await readConfigFile(flags.config, io);
  const sources: ConfigSources = { flags: { ...flags }, env: io.env, cwd: io.cwd };
  const config = readConfig(file === undefined ? sources : { ...sources, file });
  (check ?? refuseShared)(config);
  return config;
}

/**
 * The configuration for a command that works on a store alone.
 * @throws UsageError when the command line names a server
 */
export async function storeConfig(command: string, flags: GlobalFlags, io: CliIo): Promise<Config> {
  const message = `${command} works on a store, not on a server; use --data-dir on the machine of the store`;
  refuseServer(flags, message);
  const config = await loadConfig(flags, io);
  await reportUnusedServer(command, flags, config, io);
  return config;
}

/**
 * Like {@link storeConfig}, for a store that must exist: a directory without a store must not get one.
 * @throws UsageError when the command line names a server; ServiceError `ServiceUnavailable` without a store
 */
export async function existingStore(command: string, flags: GlobalFlags, io: CliIo): Promise<Config> {
  const config = await storeConfig(command, flags, io);
  const { server: _, ...onStore } = flags;
  await (await openForReading({ ...onStore, dataDir: config.dataDir }, io)).close();
  return config;
}

/** The log of a command, with debug output and stacks of errors on request. */
export async function openCommandLog({ verbose = false }: GlobalFlags, io: CliIo): Promise<Logger> {
  const log = await openLineLog(io, verbose ? 'debug' : 'warn');
  if (verbose) return log;
  return { ...log, error: (message, fields) => log.error(message, { ...fields, stack: undefined }) };
}

/** The description of the models and endpoints of the plugins, without a server. */
export async function withDescription<T>(
  flags: GlobalFlags,
  io: CliIo,
  work: (opened: OpenDescription) => T,
): Promise<T> {
  const config = await loadConfig(flags, io);
  const { openDescription } = await import('../daemon/offline/description.js');
  const opened = await openDescription(config, await openCommandLog(flags, io));
  try {
    return work(opened);
  } finally {
    await opened.close();
  }
}

/** Accepts any store, for commands that do not open it. */
export function anyStore(): void {
  // The store is not opened, so any is valid.
}

/** Verbs for a command that only reads. @throws ServiceError `ServiceUnavailable` */
export async function openForReading(flags: GlobalFlags, io: CliIo): Promise<Verbs> {
  const remote = await findRemote(flags, io);
  if (remote !== undefined) return openRemoteVerbs(remote, io);
  const config = await loadConfig(flags, io);
  const { openReader } = await import('../admin/reader.js');
  const reader = await openReader({ dataDir: config.dataDir, relaxed: config.durability === 'relaxed' });
  // A command that only reads does not upgrade a store.
  const converting = reader.isOlder ? { ...config, upgrade: 'never' as const } : config;
  return new StoredVerbs({
    reader,
    openConverting: () => openVerbs(converting, flags, io),
    warn: warnOn(io),
    lacksKinds: config.kubernetes !== 'off' && reader.resources().every(({ origin }) => origin !== 'core'),
  });
}

/**
 * Verbs for a command that writes; on the store it loads the plugins. With `--dry-run` those of {@link openForChanging}.
 * @throws ServiceError `ServiceUnavailable`
 */
export async function openForWriting(flags: WriteFlags, io: CliIo): Promise<Verbs> {
  if (flags.dryRun === true) return openForChanging(flags, io);
  const remote = await findRemote(flags, io);
  if (remote !== undefined) return openRemoteVerbs(remote, io);
  return openVerbs(await loadConfig(flags, io), flags, io);
}

/** The service on the store, with the plugins. @throws ServiceError `ServiceUnavailable` */
export async function openStoreService(flags: GlobalFlags, io: CliIo): Promise<Service> {
  return openVerbs(await loadConfig(flags, io), flags, io);
}

async function openVerbs(config: Config, flags: GlobalFlags, io: CliIo): Promise<Service> {
  const { openWriter } = await import('../daemon/offline/plugin-store.js');
  return openWriter(config, await openCommandLog(flags, io));
}

/**
 * Verbs for a command that changes existing objects, or only tests a write. Does not create a missing store: the result is that of
 * an empty one. @throws ServiceError `ServiceUnavailable`
 */
export async function openForChanging(flags: GlobalFlags, io: CliIo): Promise<Verbs> {
  const remote = await findRemote(flags, io);
  if (remote !== undefined) return openRemoteVerbs(remote, io);
  const config = await loadConfig(flags, io);
  const { lmdbExists } = await import('../engines/lmdb/files.js');
  if (lmdbExists(config.dataDir)) return openVerbs(config, flags, io);
  const temporary = await mkdtemp(path.join(tmpdir(), 'xsvc-'));
  const remove = (): Promise<void> => rm(temporary, { recursive: true, force: true });
  try {
    const verbs = await openVerbs({ ...config, dataDir: temporary }, flags, io);
    const close = verbs.close.bind(verbs);
    verbs.close = () => close().finally(remove);
    return verbs;
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Runs work with verbs and always closes them. */
export async function withVerbs<T>(opening: Promise<Verbs>, work: (verbs: Verbs) => Promise<T>): Promise<T> {
  const verbs = await opening;
  try {
    return await work(verbs);
  } catch (error) {
    const { explainUnknown } = await import('./model/plugins.js');
    throw await explainUnknown(error, verbs);
  } finally {
    await verbs.close();
  }
}

async function openRemoteVerbs({ url, token }: Remote, io: CliIo): Promise<Verbs> {
  const { openRemote } = await import('../client/http-verbs.js');
  return openRemote(url, { onWarning: warnOn(io), ...(token !== undefined && { token }) });
}

/** A command sends several requests; a warning about all of them is printed once. */
function warnOn(io: CliIo): (text: string) => void {
  const printed = new Set<string>();
  return (text) => {
    if (!printed.has(text)) io.stderr.line(`warning: ${text}`);
    printed.add(text);
  };
}

async function readConfigFile(given: string | undefined, io: CliIo): Promise<ConfigSources['file']> {
  const file = path.resolve(io.cwd, given ?? CONFIG_FILE);
  if (given === undefined && !existsSync(file)) return undefined;
  const shown = 'the configuration file';
  return { path: file, text: await readText(readBytes(file, shown), shown) };
}
