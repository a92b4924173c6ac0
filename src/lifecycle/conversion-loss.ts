import { getMessage } from '../errors.js';
import { findDifference, type Difference } from '../lib/json/json-difference.js';
import { cloneJson, isRecord, joinPath } from '../lib/json/json.js';
import { runWithTimeout } from '../lib/time/time-limit.js';
import type { ExtensionObject } from '../model/object.js';
import type { Scheme } from '../model/declare/scheme.js';
import { parseObject } from '../store/object-record.js';
import { inStorageVersion, storedVersionIn } from '../store/stored-version.js';

/** The result of converting objects to a version's form and back, which should not change them. */
export interface ConversionLoss {
  readonly version: string;
  /** Number of tested objects. */
  readonly tried: number;
  /** Number of objects with changed or lost values in fields of the version. */
  readonly lossy: number;
  /** The fields concerned, dotted, with `[]` for items. */
  readonly fields: readonly string[];
  /** Number of objects that could not be converted both ways, and the reason for the first one. */
  readonly failed: number;
  readonly problem: string | undefined;
}

const OBJECT_MS_MAX = 2_000;
const FIELDS_MAX = 20;

/** Converts objects to the storage version and back, from each other version of a model. */
export class ConversionTrial {
  readonly #versions: readonly VersionTrial[];

  constructor(private readonly scheme: Scheme) {
    // A program is not asked for a trial.
    const versions = scheme.versions.isRemote === true ? [] : [...scheme.versions.byName.values()];
    this.#versions = versions
      .filter(({ conversion }) => conversion !== undefined)
      .map((version) => new VersionTrial(version));
  }

  /** @param json a stored object that can be converted to the storage version */
  try(json: Uint8Array): void {
    for (const version of this.#versions) version.try(this.scheme, json);
  }

  losses(): readonly ConversionLoss[] {
    return this.#versions
      .map((version) => version.loss())
      .filter(({ lossy, failed }) => lossy > 0 || failed > 0);
  }
}

class VersionTrial {
  #tried = 0;
  #lossy = 0;
  #failed = 0;
  #problem: string | undefined;
  readonly #fields = new Set<string>();

  constructor(private readonly version: Scheme) {}

  try(storage: Scheme, json: Uint8Array): void {
    this.#tried++;
    try {
      const fields = runWithTimeout(OBJECT_MS_MAX, () => lostFields(storage, this.version, json));
      if (fields.length === 0) return;
      this.#lossy++;
      for (const field of fields) if (this.#fields.size < FIELDS_MAX) this.#fields.add(field);
    } catch (error) {
      this.#failed++;
      this.#problem ??= getMessage(error);
    }
  }

  loss(): ConversionLoss {
    return {
      version: this.version.resource.version,
      tried: this.#tried,
      lossy: this.#lossy,
      fields: [...this.#fields].sort(),
      failed: this.#failed,
      problem: this.#problem,
    };
  }
}

/** Fields that the version's schema declares and that the conversion changes or loses. */
function lostFields(storage: Scheme, version: Scheme, json: Uint8Array): string[] {
  const { conversion, resource } = version;
  if (conversion === undefined) return [];
  const isStoredSo = storedVersionIn(resource, json) === resource.version;
  const before = isStoredSo ? parseObject(json) : conversion.down(inStorageVersion(storage, json));
  const after = conversion.down(conversion.up(before));
  const [given, unknown] = complete(version, before);
  const [returned] = complete(version, after);
  const difference = findDifference(given, returned);
  if (difference === undefined) return [];
  return getPaths(difference, given).filter(
    (path) => !unknown.some((other) => path === other || path.startsWith(`${other}.`)),
  );
}

/** The converted object with the defaults of its schema, and the paths that the schema does not declare. */
function complete(version: Scheme, object: ExtensionObject): [object, readonly string[]] {
  const copy = cloneJson(object);
  const { unknown } = version.validate(copy);
  const { apiVersion: _v, kind: _k, metadata: _m, ...rest } = copy;
  return [rest, unknown.map(({ path }) => path.replace(/\[\d+\]/g, '[]'))];
}

/** The paths of a value that differ, as far as the value has them. */
function getPaths(difference: Difference, value: unknown, path = ''): string[] {
  if (value === undefined) return [];
  if (difference === 'whole') return [path];
  return [...difference].flatMap(([step, below]) => {
    if (typeof step === 'number')
      return getPaths(below, Array.isArray(value) ? (value[step] as unknown) : undefined, `${path}[]`);
    return getPaths(below, isRecord(value) ? value[step] : undefined, joinPath(path, step));
  });
}
