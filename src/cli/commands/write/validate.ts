import { existsSync } from 'node:fs';
import path from 'node:path';
import { badRequest, getCauses, getMessage, getReason, invalid, type Cause } from '../../../errors.js';
import { cloneJson } from '../../../lib/json/json.js';
import { didYouMean } from '../../../lib/suggest.js';
import { Allowance } from '../../../lib/work/allowance.js';
import { BUILT_IN_INDEX_NAMES } from '../../../model/declare/index-spec.js';
import { decodeValue } from '../../../model/key-type.js';
import {
  findLastMigration,
  migrationsAfter,
  withoutLastMigration,
} from '../../../model/evolve/migration-stamp.js';
import { splitFullName } from '../../../model/full-name.js';
import type { ExtensionObject, ObjectDraft } from '../../../model/object.js';
import { modelKey, versionKey } from '../../../model/resource.js';
import type { Scheme } from '../../../model/declare/scheme.js';
import { DECLARED_DIRECTORIES, readDeclared } from '../../../plugin/declared.js';
import { MANIFEST_FILE } from '../../../plugin/manifest/manifest.js';
import { migrateOlderVersion } from '../../../store/older-version.js';
import { unknownMigration } from '../../../service/write/pending-migrations.js';
import { readManifests, type Manifest } from '../../input/manifests.js';
import type { CliIo } from '../../io.js';
import { findScope } from '../../remote/namespaces.js';
import { colorsFor } from '../../output/colors.js';
import { getSubject } from '../../output/written.js';
import { atPlace, Failures, printWarnings } from '../../results.js';
import { refuseServer } from '../../remote/remote.js';
import { anyStore, loadConfig, openCommandLog } from '../../session.js';
import { command } from '../../command.js';
import type { CommandFlags } from '../../flags.js';
import { INPUT, requiredFiles, VALIDATE, type Validation } from '../shared.js';

const FLAGS = { ...INPUT, ...VALIDATE };

export const define = command({
  args: { '[files...]': 'like -f' },
  flags: FLAGS,
  notes: [
    'Checks files against the models of the plugins, without a store or a server. Every error is',
    'printed as <file>:<line>:<column>: <path> <message>, and the exit code is 5.',
  ],
  examples: [
    'xsvc validate person.yaml',
    'xsvc validate -R -f manifests/ --plugins ./plugins',
    'xsvc validate -f person.yaml --validate=warn',
  ],
  run: validate,
});

async function validate(
  flags: CommandFlags<typeof FLAGS>,
  io: CliIo,
  files: readonly string[],
): Promise<number> {
  const fileNames = [...(flags.filename ?? []), ...files];
  const filename = requiredFiles('validate', fileNames.length === 0 ? undefined : fileNames);
  refuseServer(flags, 'validate works offline; to check with a server, use apply --dry-run');
  const failures = new Failures(io, flags);
  const logger = await openCommandLog(flags, io);
  const { openOffline } = await import('../../../daemon/offline/description.js');
  const offline = await openOffline(await loadConfig(flags, io, anyStore), logger);
  try {
    const schemes = new Map(offline.schemes.map((scheme) => [versionKey(scheme.resource), scheme]));
    const resources = offline.schemes.map(({ resource }) => resource);
    const options = { resources, scope: await findScope(flags, io), takesGenerated: true, columns: true };
    const { manifests, problems } = await readManifests(io, { ...flags, filename }, options);
    for (const problem of problems) await failures.add(problem);
    for (const directory of getPlugins(manifests, io.cwd))
      await readDeclared(directory).catch((error: unknown) => failures.add(error));
    if (manifests.length === 0 && problems.length === 0) throw badRequest('the files contain no manifest');
    const checker = new Checker(schemes, flags.validate);
    const colors = await colorsFor(io.stdout, io.env);
    for (const manifest of manifests) {
      const { resource, name, value, place } = manifest;
      const subject = getSubject(resource, name === '' ? `${generatedPrefix(value)}...` : name);
      const { causes, unknown } = checker.check(manifest);
      if (causes.length > 0) await failures.add(atPlace(invalid(subject, causes), place, subject));
      else io.stdout.paint(`${subject} ${colors.good('valid')}\n`);
      for (const { field, message } of unknown) printWarnings(io, place(field), [`${field} ${message}`]);
    }
    return failures.exitCode;
  } finally {
    await offline.close();
  }
}

/** The plugins whose declared instances are among the files: these get the checks of a start. */
function getPlugins(manifests: readonly Manifest[], cwd: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { place } of manifests) {
    const directory = path.dirname(path.resolve(cwd, place().replace(/(:\d+){0,2}$/, '')));
    for (const below of DECLARED_DIRECTORIES) {
      const plugin = directory.slice(0, -below.length - 1);
      if (directory === path.join(plugin, below) && existsSync(path.join(plugin, MANIFEST_FILE)))
        found.add(plugin);
    }
  }
  return found;
}

function generatedPrefix({ metadata }: Manifest['value']): string {
  const members = typeof metadata === 'object' && !Array.isArray(metadata) ? metadata : {};
  return typeof members?.generateName === 'string' ? members.generateName : '';
}

interface Checked {
  readonly causes: readonly Cause[];
  /** Fields that no schema declares, when they only cause a warning. */
  readonly unknown: readonly Cause[];
}

/** Checks objects one after another like writes, and the uniqueness of their values. */
class Checker {
  /** The first place of each value of a unique index. */
  readonly #taken = new Map<string, string>();

  constructor(
    private readonly schemes: ReadonlyMap<string, Scheme>,
    private readonly validation: Validation,
  ) {}

  check(manifest: Manifest): Checked {
    try {
      return new Allowance().during(() => this.#check(manifest));
    } catch (error) {
      return { causes: getFaults(error), unknown: [] };
    }
  }

  #check(manifest: Manifest): Checked {
    const offlineScheme = this.schemes.get(versionKey(manifest.resource));
    if (offlineScheme === undefined) return { causes: [], unknown: [] };
    const { scheme, object } = broughtUp(offlineScheme, manifest);
    const { causes, unknown: undeclared } = scheme.validate(object);
    const isStrict = this.validation === 'strict';
    const undeclaredCauses = undeclared.map(({ path, suggestion }): Cause => ({
      field: path,
      reason: 'FieldValueForbidden',
      message: `unknown field${didYouMean(suggestion)}`,
    }));
    const all = [...causes, ...(isStrict ? undeclaredCauses : [])];
    const unknown = this.validation === 'warn' ? undeclaredCauses : [];
    // Conversions and index functions may assume that the object matches the schema.
    if (causes.length > 0) return { causes: all, unknown };
    return {
      causes: [...all, ...this.#storedCauses(scheme, asStored(object, manifest.name), manifest)],
      unknown,
    };
  }

  /** The causes for the object in its storage version. */
  #storedCauses(scheme: Scheme, object: ExtensionObject, manifest: Manifest): readonly Cause[] {
    const { conversion, versions } = scheme;
    // Programs that convert objects are not asked.
    if (versions.isRemote === true && conversion !== undefined) return [];
    if (conversion === undefined) return this.#indexCauses(scheme, object, manifest);
    try {
      const stored = conversion.up(object);
      const { causes } = versions.storage.validate(stored);
      return [...causes, ...this.#indexCauses(versions.storage, stored, manifest)];
    } catch (error) {
      return getFaults(error);
    }
  }

  #indexCauses(scheme: Scheme, object: ExtensionObject, { resource, name, place }: Manifest): Cause[] {
    return scheme.indexes
      .filter((index) => !BUILT_IN_INDEX_NAMES.has(index.name))
      .flatMap((index) => {
        let values;
        try {
          values = index.values(object);
        } catch (error) {
          return [{ field: index.name, reason: 'FieldValueInvalid' as const, message: getReason(error) }];
        }
        if (!index.unique) return [];
        return values.flatMap((bytes): Cause[] => {
          const value = String(decodeValue(index.keyType, bytes));
          const { namespace = '' } = splitFullName(name);
          const key = `${modelKey(resource)} ${namespace} ${index.name} ${value}`;
          const first = this.#taken.get(key);
          this.#taken.set(key, first ?? place(index.name));
          if (first === undefined) return [];
          const message = `must be unique, but "${value}" is also at ${first}`;
          return [{ field: index.name, reason: 'FieldValueDuplicate', message }];
        });
      });
  }
}

/** A manifest, and the version that it is in. */
interface BroughtUp {
  readonly scheme: Scheme;
  readonly object: ObjectDraft;
}

/**
 * The manifest after its outstanding migrations; with some, it is in the storage version.
 * @throws ServiceError `Invalid` when it names one that the model does not have; ConversionError
 */
function broughtUp(scheme: Scheme, { name, value }: Manifest): BroughtUp {
  const { conversion, versions } = scheme;
  const object = cloneJson<ObjectDraft>({ ...value });
  const last = findLastMigration(object);
  if (last === undefined) return { scheme, object };
  const bare = { ...object, metadata: withoutLastMigration(object.metadata ?? {}) };
  const migrations = migrationsAfter(versions.migrations, last);
  if (migrations === undefined && conversion === undefined) throw invalid(name, [unknownMigration(last)]);
  if (migrations === undefined || migrations.length === 0) return { scheme, object: bare };
  const stated = asStored(bare, name);
  const { metadata, ...rest } =
    conversion === undefined
      ? migrations.reduce((now, one) => one.up(now), stated)
      : migrateOlderVersion(scheme, stated, { migrations, versionOf: () => undefined });
  const { labels: _l, annotations: _a, ...kept } = bare.metadata;
  const { labels, annotations } = metadata;
  const own = { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) };
  return { scheme: versions.storage, object: { ...rest, metadata: own } };
}

/** Adds the members that the service would set, for functions that read them. */
function asStored(draft: ObjectDraft, name: string): ExtensionObject {
  const { apiVersion = '', kind = '', metadata, ...rest } = draft;
  const set = { uid: '', generation: 1, version: 0, resourceVersion: '0' };
  const time = new Date(0).toISOString();
  const times = { creationTimestamp: time, updateTimestamp: time };
  return { apiVersion, kind, metadata: { ...metadata, name, ...set, ...times }, ...rest };
}

/** The message of a conversion or migration states the operation. */
function getFaults(error: unknown): readonly Cause[] {
  const causes = getCauses(error);
  return causes.length > 0
    ? causes
    : [{ field: '', reason: 'FieldValueInvalid', message: getMessage(error) }];
}
