import { type ServiceError, unavailable } from '../errors.js';
import { TooExpensive } from '../lib/work/allowance.js';
import { ConversionError } from '../model/evolve/conversion.js';
import type { ExtensionObject } from '../model/object.js';
import type { ModelReference } from '../model/references/reference.js';
import type { KeyType, Resource } from '../model/resource.js';
import type { Index, Scheme } from '../model/declare/scheme.js';
import { Dictionaries } from './compression/dictionaries.js';
import { isWorkedOn, withBuiltIndexes, type ModelRecord, type Rollback } from './catalog.js';
import { parseObject } from './object-record.js';
import { appliedToAll } from './lapsed-migrations.js';
import { shapesOf, type Shape } from './shapes.js';
import { toStorageVersion } from './stored-version.js';

/** The error of a model that is unavailable until somebody changes its objects or its declaration. */
export function notServed({ group, kind }: Resource, why: string): ServiceError {
  return unavailable(`${kind} cannot be served: ${why}`, { group, kind, isToldInFull: true });
}

export interface TableIndex {
  readonly id: number;
  readonly name: string;
  readonly keyType: KeyType;
  readonly multi: boolean;
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly ignoreCase: boolean;
  readonly ready: boolean;
  /** Absent when the model's code is not loaded. The table is then read-only. */
  readonly declared: Index | undefined;
}

/**
 * A model in the store: its record combined with its code, when that is loaded. Immutable: when the catalogue
 * changes, the store creates a new one.
 */
export class Table {
  readonly resource: Resource;
  /** Other served versions of the model. */
  readonly otherVersions: readonly Resource[];
  readonly modelId: number;
  readonly indexes: readonly TableIndex[];
  /** The one with the key type `text`. */
  readonly textIndex: TableIndex | undefined;
  /** The references of its objects' fields. */
  readonly references: readonly ModelReference[];
  /** The scheme of the storage version. Absent when the model's code is not loaded. */
  readonly scheme: Scheme | undefined;
  /**
   * True when objects may be stored in another form than they are shown in the storage version: in other versions, or without
   * some defaults. Then each object must be checked.
   */
  readonly isMixed: boolean;
  /** True when objects may be stored without defaults that they are shown with. */
  readonly lacksDefaults: boolean;
  /** True when a program converts objects, so that conversions may be pending. */
  readonly isRemote: boolean;
  /** True while migrations are applied to objects: some may be migrated and others not. */
  readonly isMigrating: boolean;
  /** True from the end of a rollback until code is attached: objects have the shape of an older release. */
  readonly isRolledBack: boolean;
  /** Ids of the migrations still to be applied to its objects, by the code that is loaded. */
  readonly #migrations: readonly string[];
  /** The same, by the latest declaration in the store. */
  readonly outstanding: readonly string[];
  readonly #isAbandoned: () => boolean;
  readonly #failure: string | undefined;
  readonly #rollback: Rollback | undefined;
  /** See {@link shapesOf}. */
  readonly shapes: readonly Shape[];
  readonly dictionaries: Dictionaries;

  /** @param isAlive true when the process with this name works on. Default: always */
  constructor(
    readonly record: ModelRecord,
    scheme?: Scheme,
    isAlive: (owner: string) => boolean = () => true,
  ) {
    const applied = appliedToAll(record);
    const declared = scheme?.versions.migrations.map(({ id }) => id) ?? [];
    this.isRolledBack = record.rollback?.isDone === true;
    const { migrations } = record;
    this.resource = this.isRolledBack ? { ...record.resource, migrations } : record.resource;
    this.#migrations = declared.filter((id) => !applied.has(id));
    this.outstanding = this.resource.migrations?.filter((id) => !applied.has(id)) ?? [];
    this.isMigrating = this.outstanding.length > 0;
    const { builder } = record;
    this.#isAbandoned = () => builder !== undefined && !(isWorkedOn(builder) && isAlive(builder));
    this.lacksDefaults = record.lacksDefaults === true;
    this.isMixed =
      this.lacksDefaults || record.storedVersions.some((version) => version !== record.resource.version);
    this.isRemote = scheme?.versions.isRemote === true;
    this.#failure = record.failure;
    this.#rollback = record.rollback;
    this.shapes = shapesOf(record);
    this.dictionaries = new Dictionaries(record.dictionaries ?? [], this.shapes.at(-1));
    this.otherVersions = record.otherVersions ?? [];
    this.modelId = record.id;
    this.references = record.resource.references ?? [];
    this.scheme = scheme;
    this.indexes = record.indexes.map((known, i) => tableIndex(record, i, known.fingerprint, scheme));
    this.textIndex = this.indexes.find(({ keyType }) => keyType === 'text');
  }

  /**
   * A stored object in the storage version; in its stored version when the model's code is not loaded.
   * @throws ConversionError
   */
  parse(json: Uint8Array): ExtensionObject {
    const object = parseObject(json);
    return this.isMixed ? this.toStorage(object) : object;
  }

  /**
   * A parsed object in the storage version, as it is shown; unchanged when the model's code is not loaded. The argument is not
   * changed, and may be the result.
   * @throws ConversionError
   */
  toStorage(object: ExtensionObject): ExtensionObject {
    if (this.scheme === undefined) return object;
    const converted = toStorageVersion(this.scheme, object);
    if (!this.lacksDefaults) return converted;
    return this.scheme.shownDefaults?.addTo(converted) ?? converted;
  }

  /**
   * {@link parse} for index functions: undefined for an object that cannot be converted or shown, which then has no values.
   */
  parseForIndexes(json: Uint8Array): ExtensionObject | undefined {
    try {
      return this.parse(json);
    } catch (error) {
      if (error instanceof ConversionError || error instanceof TooExpensive) return undefined;
      throw error;
    }
  }

  /** The same objects as stored, with the indexes that are built. */
  withBuiltIndexes(): Table {
    return new Table(withBuiltIndexes(this.record));
  }

  /** The error when the model cannot be served as declared; undefined when it can, now or soon. */
  failed(): ServiceError | undefined {
    return this.#failure === undefined ? undefined : notServed(this.resource, this.#failure);
  }

  /** The error when indexes cannot be read now; undefined when they can. Objects can always be read by name. */
  building(): ServiceError | undefined {
    if (this.#failure !== undefined) return this.failed();
    if (this.#rollback === undefined && this.indexes.every((index) => index.ready)) return undefined;
    const { group, kind } = this.resource;
    const work =
      this.#rollback !== undefined
        ? `the rollback of ${kind} to "${this.#rollback.to}" is running`
        : this.isMigrating
          ? `${listed(this.outstanding)} of ${kind} ${this.outstanding.length === 1 ? 'is' : 'are'} running`
          : `indexes of ${kind} are being built`;
    const message = `${work}; try again in a moment`;
    return this.unfinished() ?? unavailable(message, { group, kind, retryAfterSeconds: 1 });
  }

  /** The error when work on the objects has ended before it was complete, and no process continues it. */
  unfinished(): ServiceError | undefined {
    if (!this.#isAbandoned()) return undefined;
    const { group, kind, plural } = this.resource;
    if (this.#rollback !== undefined)
      return unavailable(rollbackText(this.resource, this.#rollback), { group, kind });
    const [work, command] = this.isMigrating
      ? [listed(this.outstanding), `model migrate ${kind}`]
      : ['the build of indexes', `reindex ${plural}`];
    const message = `${work} of ${kind} did not finish; run \`xsvc ${command}\`, or start the service`;
    return unavailable(message, { group, kind });
  }

  /** The error when objects must not change now; undefined when no migration is outstanding. */
  unmigrated(): ServiceError | undefined {
    if (this.#rollback !== undefined) return this.building();
    if (this.#migrations.length === 0) return undefined;
    const { group, kind } = this.resource;
    return unavailable(
      `${kind} has the outstanding migration ${quoted(this.#migrations)}; run \`xsvc model migrate ${kind}\``,
      { group, kind },
    );
  }

  /** The error when nothing can be written now; undefined when writes are possible. */
  problem(): ServiceError | undefined {
    const kind = this.resource.kind;
    const failed = this.failed();
    if (failed !== undefined) return failed;
    if (this.scheme === undefined) return unavailable(`the plugin that declares ${kind} is not loaded`);
    const building = this.building();
    if (building !== undefined) return building;
    const unmigrated = this.unmigrated();
    if (unmigrated !== undefined) return unmigrated;
    const { migrations = [] } = this.scheme.resource;
    if (
      this.scheme.resource.version !== this.resource.version ||
      this.resource.migrations?.some((id) => !migrations.includes(id)) === true ||
      this.indexes.length !== this.scheme.indexes.length ||
      this.indexes.some((i) => i.declared === undefined)
    ) {
      return unavailable(
        `another process declared ${kind} differently; restart this one with the same plugins`,
      );
    }
    return undefined;
  }
}

function rollbackText({ kind }: Resource, { to, isDone }: Rollback): string {
  const forward = `run \`xsvc model migrate ${kind}\` to apply the migrations again`;
  return isDone
    ? `${kind} was rolled back to "${to}"; start the release that its objects are for now, or ${forward}`
    : `the rollback of ${kind} to "${to}" was interrupted; run \`xsvc model rollback ${kind} --to ${to}\` to finish it, or ${forward}`;
}

/** Migrations at the beginning of a message. */
function listed(ids: readonly string[]): string {
  return `the ${ids.length === 1 ? 'migration' : 'migrations'} ${quoted(ids)}`;
}

function quoted(ids: readonly string[]): string {
  return ids.map((id) => `"${id}"`).join(', ');
}

function tableIndex(
  record: ModelRecord,
  position: number,
  fingerprint: string,
  scheme: Scheme | undefined,
): TableIndex {
  const known = record.indexes[position];
  const declaration = record.resource.indexes[position];
  if (known === undefined || declaration === undefined) throw new RangeError('the catalog record is damaged');
  const declared = scheme?.indexes.find((index) => index.name === known.name);
  return {
    id: known.id,
    name: known.name,
    keyType: declaration.keyType,
    multi: declaration.multi,
    unique: declaration.unique,
    sparse: declaration.sparse,
    ignoreCase: declaration.ignoreCase === true,
    ready: known.state === 'ready',
    declared: declared?.fingerprint === fingerprint ? declared : undefined,
  };
}
