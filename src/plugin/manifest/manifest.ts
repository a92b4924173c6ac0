import { readFile } from 'node:fs/promises';
import path from 'node:path';
import semver from 'semver';
import { ServiceError, badRequest, getMessage } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { nameFaults } from '../../model/names-and-labels.js';
import { readDocuments, type UnknownRecord } from '../records.js';
import { checkConsole, type PluginConsole } from './console-pages.js';
import { ManifestFaults } from './faults.js';
import { checkPermissions, type PluginPermission } from './permissions.js';

/** The file that makes a directory a plugin. */
export const MANIFEST_FILE = 'plugin.yaml';
export const MANIFEST_API_VERSION = 'plugin.platform.run/v1alpha1';
export const MANIFEST_KIND = 'Plugin';

export interface PluginAuthor {
  readonly name: string;
  readonly website?: string;
}

export interface PluginLicense {
  readonly name: string;
  readonly url?: string;
}

export interface PluginSpec {
  readonly displayName?: string;
  readonly description?: string;
  /** Semantic version. Default: `0.0.0`. */
  readonly version: string;
  /** Range of compatible xsvc versions. */
  readonly requires?: string;
  /** Main module, relative to the plugin's directory. */
  readonly main?: string;
  /** First value of the switch; afterwards the `Plugin` object decides. Default true. */
  readonly enabled: boolean;
  /** Name to range of versions. These plugins start first. */
  readonly pluginDependencies: Readonly<Record<string, string>>;
  /**
   * Limits the plugin's work on objects: as itself, by its controllers and declared objects, and in the name of users. They add up;
   * an empty list permits nothing. Absent: everything is permitted.
   */
  readonly permissions?: readonly PluginPermission[];
  /** Pages in the console. */
  readonly console?: PluginConsole;
  readonly author?: PluginAuthor;
  readonly license?: readonly PluginLicense[];
  readonly logo?: string;
  readonly homepage?: string;
  readonly repo?: string;
  readonly issues?: string;
}

/** A checked `plugin.yaml`. */
export interface PluginManifest {
  readonly apiVersion: typeof MANIFEST_API_VERSION;
  readonly kind: typeof MANIFEST_KIND;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: PluginSpec;
}

/** True when a text can name a plugin: the rule of `metadata.name`. */
export function isPluginName(text: unknown): text is string {
  return typeof text === 'string' && nameFaults(text).length === 0;
}

/**
 * Reads and checks a plugin's manifest.
 * @param directory of the plugin
 * @param xsvcVersion the running version, which `spec.requires` must allow
 * @throws ServiceError `Invalid` that lists every error as `<file>:<line>: <field>: <message>`, with the plugin's name in its
 *   details when it is valid; `BadRequest` when the file cannot be read or is not YAML
 */
export async function readManifest(directory: string, xsvcVersion: string): Promise<PluginManifest> {
  const file = path.join(directory, MANIFEST_FILE);
  return parseManifest(await readText(file), file, xsvcVersion, directory);
}

/**
 * {@link readManifest} for a text that is in memory; `file` only appears in messages.
 * @param directory of the plugin, whose files are checked; undefined for a manifest without files
 */
export function parseManifest(
  text: string,
  file: string,
  xsvcVersion: string,
  directory?: string,
): PluginManifest {
  const [document, second] = readDocuments(text, file);
  if (!document || !isRecord(document.value)) {
    throw new ServiceError(
      'Invalid',
      `${file}:1: must contain a mapping with apiVersion, kind, metadata and spec`,
    );
  }
  if (second) throw new ServiceError('Invalid', `${file}:${second.line}: must contain one document only`);
  const faults = new ManifestFaults(file, (field) => document.findLine(field) ?? document.line);
  const manifest = checkManifest(document.value, faults, { xsvcVersion, directory });
  const { name } = manifest.metadata;
  faults.throwIfAny({ kind: MANIFEST_KIND, ...(name !== '' && { name }) });
  return manifest;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw badRequest(`Cannot read the manifest ${file}: ${getMessage(error)}`);
  }
}

interface ManifestWorld {
  readonly xsvcVersion: string;
  readonly directory: string | undefined;
}

function checkManifest(root: UnknownRecord, faults: ManifestFaults, world: ManifestWorld): PluginManifest {
  faults.expect(root.apiVersion === MANIFEST_API_VERSION, ['apiVersion'], `must be ${MANIFEST_API_VERSION}`);
  faults.expect(root.kind === MANIFEST_KIND, ['kind'], `must be ${MANIFEST_KIND}`);
  return {
    apiVersion: MANIFEST_API_VERSION,
    kind: MANIFEST_KIND,
    metadata: checkMetadata(faults.record(root, ['metadata'], 'required') ?? {}, faults),
    spec: checkSpec(faults.record(root, ['spec'], 'required') ?? {}, faults, world),
  };
}

function checkMetadata(metadata: UnknownRecord, faults: ManifestFaults): PluginManifest['metadata'] {
  const name = metadata.name;
  faults.expect(
    isPluginName(name),
    ['metadata', 'name'],
    'must be 1 to 253 lowercase letters, digits and -, with a letter or digit at both ends',
  );
  const labels = faults.texts(metadata, ['metadata', 'labels']);
  const annotations = faults.texts(metadata, ['metadata', 'annotations']);
  return {
    name: isPluginName(name) ? name : '',
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  };
}

const TEXT_FIELDS = ['displayName', 'description', 'main', 'logo', 'homepage', 'repo', 'issues'] as const;

function checkSpec(spec: UnknownRecord, faults: ManifestFaults, world: ManifestWorld): PluginSpec {
  const texts: Partial<Record<(typeof TEXT_FIELDS)[number], string>> = {};
  for (const field of TEXT_FIELDS) {
    const text = faults.text(spec, ['spec', field]);
    if (text !== undefined) texts[field] = text;
  }
  const requires = checkRequires(spec, faults, world.xsvcVersion);
  const author = checkAuthor(spec, faults);
  const license = checkLicense(spec, faults);
  const permissions = checkPermissions(spec, faults);
  const pages = checkConsole(spec, faults, world.directory);
  const enabled = spec.enabled ?? true;
  faults.expect(typeof enabled === 'boolean', ['spec', 'enabled'], 'must be true or false');
  return {
    ...texts,
    version: checkVersion(spec, faults),
    ...(requires !== undefined && { requires }),
    enabled: enabled === true,
    pluginDependencies: checkDependencies(spec, faults),
    ...(permissions && { permissions }),
    ...(pages && { console: pages }),
    ...(author && { author }),
    ...(license && { license }),
  };
}

function checkVersion(spec: UnknownRecord, faults: ManifestFaults): string {
  const version = faults.text(spec, ['spec', 'version']) ?? '0.0.0';
  faults.expect(
    semver.valid(version) !== null,
    ['spec', 'version'],
    `"${version}" is not a semantic version`,
  );
  return version;
}

function checkRequires(spec: UnknownRecord, faults: ManifestFaults, xsvcVersion: string): string | undefined {
  const requires = faults.text(spec, ['spec', 'requires']);
  if (requires === undefined) return undefined;
  if (semver.validRange(requires) === null) {
    faults.add(['spec', 'requires'], `"${requires}" is not a version range`);
  } else if (!satisfies(xsvcVersion, requires)) {
    faults.add(['spec', 'requires'], `needs xsvc ${requires}, but this is xsvc ${xsvcVersion}`);
  }
  return requires;
}

function checkDependencies(spec: UnknownRecord, faults: ManifestFaults): Record<string, string> {
  const dependencies = faults.texts(spec, ['spec', 'pluginDependencies']) ?? {};
  for (const [name, range] of Object.entries(dependencies)) {
    const field = ['spec', 'pluginDependencies', name];
    faults.expect(isPluginName(name), field, `"${name}" cannot be the name of a plugin`);
    faults.expect(semver.validRange(range) !== null, field, `"${range}" is not a version range`);
  }
  return dependencies;
}

function checkAuthor(spec: UnknownRecord, faults: ManifestFaults): PluginAuthor | undefined {
  const author = faults.record(spec, ['spec', 'author']);
  if (author === undefined) return undefined;
  const name = faults.text(author, ['spec', 'author', 'name'], 'required') ?? '';
  const website = faults.text(author, ['spec', 'author', 'website']);
  return { name, ...(website !== undefined && { website }) };
}

function checkLicense(spec: UnknownRecord, faults: ManifestFaults): PluginLicense[] | undefined {
  if (spec.license === undefined || spec.license === null) return undefined;
  if (!Array.isArray(spec.license)) {
    faults.add(['spec', 'license'], 'must be a list of {name, url}');
    return undefined;
  }
  return spec.license.map((item: unknown, i) => {
    const field = ['spec', 'license', i];
    if (!isRecord(item)) faults.add(field, 'must be a mapping with name and url');
    const license = isRecord(item) ? item : { name: '' };
    const name = faults.text(license, [...field, 'name'], 'required') ?? '';
    const url = faults.text(license, [...field, 'url']);
    return { name, ...(url !== undefined && { url }) };
  });
}

/** True when a version is in a range; a pre-release counts as the version that it precedes. */
export function satisfies(version: string, range: string): boolean {
  return semver.satisfies(version, range, { includePrerelease: true });
}
