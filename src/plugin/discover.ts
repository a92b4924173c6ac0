import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError, badRequest, getMessage } from '../errors.js';
import { MANIFEST_FILE, readManifest, type PluginManifest } from './manifest/manifest.js';

/** A discovered plugin whose code is not loaded yet. */
export interface PluginSource {
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
  readonly manifest: PluginManifest;
  /** The exports of the main module when it is imported already: then nothing is loaded. */
  readonly exports?: object;
}

/** A plugin directory with an unusable manifest; only this plugin fails. */
export interface BrokenPlugin {
  /** The name from the manifest, or else from the directory. */
  readonly name: string;
  readonly directory: string;
  readonly error: ServiceError;
}

export interface Discovery {
  /** By name. */
  readonly plugins: readonly PluginSource[];
  /** By directory. */
  readonly broken: readonly BrokenPlugin[];
}

export interface DiscoverOptions {
  /** The running version; manifests may require a range of it. */
  readonly xsvcVersion: string;
  /** The default directory, which may be missing. */
  readonly defaultDirectory?: string;
  /** Plugins that are given and not discovered. */
  readonly given?: readonly PluginSource[];
}

/**
 * Finds the plugins of the given directories and reads their manifests. A directory with a `plugin.yaml` is one
 * plugin, otherwise each sub-directory with one is. A directory given twice counts once.
 * @throws ServiceError `BadRequest` for a directory that does not exist, `AlreadyExists` when two plugins have the same name
 */
export async function discoverPlugins(
  directories: readonly string[],
  options: DiscoverOptions,
): Promise<Discovery> {
  const found = await Promise.all(directories.map((directory) => pluginDirectories(directory, options)));
  const unique = [...new Set(found.flat())];
  const read = await Promise.all(unique.map((directory) => readSource(directory, options.xsvcVersion)));
  const sources = [...read.filter((one) => 'manifest' in one), ...(options.given ?? [])];
  const plugins = sources.sort((a, b) => compare(a.name, b.name));
  refuseDuplicates(plugins);
  return { plugins, broken: read.filter((one) => 'error' in one) };
}

/**
 * The plugin directories in a directory, absolute, sorted by name.
 * @throws ServiceError `BadRequest` when it does not exist and is not the default one
 */
export async function pluginDirectories(
  directory: string,
  options: Pick<DiscoverOptions, 'defaultDirectory'> = {},
): Promise<string[]> {
  const root = path.resolve(directory);
  const isDefault = options.defaultDirectory !== undefined && path.resolve(options.defaultDirectory) === root;
  if (!(await isDirectory(root))) {
    if (isDefault) return [];
    throw badRequest(`The plugin directory ${root} does not exist or is not a directory`);
  }
  if (await hasManifest(root)) return [root];
  const children = (await readdir(root)).sort(compare).map((name) => path.join(root, name));
  const marks = await Promise.all(children.map(hasManifest));
  return children.filter((_, i) => marks[i]);
}

async function readSource(directory: string, xsvcVersion: string): Promise<PluginSource | BrokenPlugin> {
  try {
    const manifest = await readManifest(directory, xsvcVersion);
    return { name: manifest.metadata.name, directory, manifest };
  } catch (error) {
    const known = error instanceof ServiceError ? error : badRequest(getMessage(error));
    return { name: known.details.name ?? path.basename(directory), directory, error: known };
  }
}

function refuseDuplicates(plugins: readonly PluginSource[]): void {
  const seen = new Map<string, string>();
  for (const { name, directory } of plugins) {
    const other = seen.get(name);
    if (other !== undefined) {
      throw new ServiceError('AlreadyExists', `Two plugins are named "${name}": ${other} and ${directory}`);
    }
    seen.set(name, directory);
  }
}

async function hasManifest(directory: string): Promise<boolean> {
  return (await stat(path.join(directory, MANIFEST_FILE)).catch(() => undefined))?.isFile() ?? false;
}

async function isDirectory(directory: string): Promise<boolean> {
  return (await stat(directory).catch(() => undefined))?.isDirectory() ?? false;
}

/** Compares code units, so that the order does not depend on the machine's language. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
