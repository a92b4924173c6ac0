import { ConversionError } from '../../model/evolve/conversion.js';
import { withHeldConversions } from '../../model/evolve/pending-conversion.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import type { ExtensionObject } from '../../model/object.js';
import { getApiVersion, modelKey, versionName, type Resource } from '../../model/resource.js';
import type { Scheme } from '../../model/declare/scheme.js';
import { TimeoutError, runWithTimeout } from '../../lib/time/time-limit.js';
import { parseObject } from '../../store/object-record.js';
import { storedVersionIn, toStorageVersion, toVersion } from '../../store/stored-version.js';
import type { Table } from '../../store/table.js';

/** Time limit of a plugin's code for the conversion of one object, or of a few small ones, in milliseconds. */
const LIMIT_MS = 2_000;
/** After a timeout, other objects of the same list get a shorter limit, but never less than this, in milliseconds. */
const LIMIT_MS_MIN = 200;
/** Large objects get more time, because their conversion is slower. */
const BYTES_PER_MS = 1_024;

/** True while the running code has a time limit. */
let isLimited = false;

/** A model's objects in one of its versions. Immutable. */
export class ModelView {
  /**
   * The resource of the version. Its indexes are those of the table, in their order, with their names in this
   * version.
   */
  readonly resource: Resource;
  /**
   * The scheme of the version; undefined when the model's code is not loaded. Then objects are returned as stored.
   */
  readonly scheme: Scheme | undefined;
  /** True when all stored objects are returned as their stored bytes. */
  readonly isVerbatim: boolean;
  readonly #apiVersion: string;
  readonly #version: string;

  constructor(
    readonly table: Table,
    private readonly asked: Resource,
  ) {
    this.#version = versionName(asked);
    const isStorage = this.#version === table.resource.version;
    this.scheme = table.scheme?.versions.byName.get(this.#version);
    this.resource = isStorage ? table.resource : addIndexesTo(table, asked);
    this.isVerbatim = this.scheme === undefined || (isStorage && !table.isMixed);
    this.#apiVersion = getApiVersion(asked);
  }

  /** The same version of another state of the model. */
  at(table: Table): ModelView {
    return table === this.table ? this : new ModelView(table, this.asked);
  }

  /** The same version, as of the tables of a moment. */
  current(tables: ReadonlyMap<string, Table>): ModelView {
    return this.at(tables.get(modelKey(this.resource)) ?? this.table);
  }

  /**
   * For lists. After a rollback, objects are shown as stored, by the indexes that every model has.
   * @throws ServiceError `ServiceUnavailable` while an index is built
   */
  ready(): ModelView {
    if (this.table.isRolledBack) return this.at(this.table.withBuiltIndexes());
    const building = this.table.building();
    if (building !== undefined) throw building;
    return this;
  }

  /** The reason why nothing can be written now; undefined when writes are possible. */
  problem(): ReturnType<Table['problem']> {
    return this.table.problem();
  }

  /** True when an object of the version may be stored without defaults that it is shown with. */
  get #lacksDefaults(): boolean {
    return this.isStorage && this.table.lacksDefaults;
  }

  /** True when an object that is or was stored is returned as its stored bytes. */
  isStoredAs(json: Uint8Array): boolean {
    if (this.scheme === undefined) return true;
    return !this.#lacksDefaults && storedVersionIn(this.table.resource, json) === this.#version;
  }

  /**
   * A stored object as JSON.
   * @throws ConversionError
   */
  json(stored: Buffer): Buffer {
    return this.isVerbatim || this.isStoredAs(stored)
      ? stored
      : Buffer.from(JSON.stringify(this.object(stored)));
  }

  /** @throws ConversionError */
  object(stored: Uint8Array): ExtensionObject {
    return this.shown(parseObject(stored));
  }

  /** True when objects are stored in this version; also while some are still stored in others. */
  get isStorage(): boolean {
    return this.scheme?.conversion === undefined;
  }

  /** True when an object is in this version. */
  isObjectOf({ apiVersion }: ExtensionObject): boolean {
    return this.scheme === undefined || apiVersion === this.#apiVersion;
  }

  /**
   * Converts an object from any version to the storage version. The argument is not changed, and may be the result.
   * @throws ConversionError
   */
  toStorage(object: ExtensionObject): ExtensionObject {
    const { scheme } = this;
    if (scheme === undefined || object.apiVersion === getApiVersion(scheme.versions.storage.resource))
      return object;
    return this.#inTime(object, () => toStorageVersion(scheme, object));
  }

  /**
   * Converts an object of any version to this one. The argument is not changed, and may be the result.
   * @throws ConversionError
   */
  toOwnVersion(object: ExtensionObject): ExtensionObject {
    const { scheme } = this;
    if (scheme === undefined || this.isObjectOf(object)) return object;
    return this.#inTime(object, () => toVersion(scheme, object, this.#version));
  }

  /**
   * A stored object that was parsed, in the storage version, with the defaults that it is shown with. The argument is not
   * changed, and may be the result.
   * @throws ConversionError
   */
  inStorage(stored: ExtensionObject): ExtensionObject {
    return this.table.lacksDefaults
      ? this.#inTime(stored, () => this.table.toStorage(stored))
      : this.toStorage(stored);
  }

  /**
   * Converts a stored object that was parsed. The argument is not changed, and may be the result.
   * @throws ConversionError
   */
  shown(stored: ExtensionObject): ExtensionObject {
    if (this.isObjectOf(stored) && !this.#lacksDefaults) return stored;
    return this.#inTime(stored, () => this.convert(stored));
  }

  /**
   * Like {@link shown}, without a time limit.
   * @throws ConversionError
   */
  convert(stored: ExtensionObject): ExtensionObject {
    if (this.scheme === undefined) return stored;
    if (stored.apiVersion === this.#apiVersion && !this.#lacksDefaults) return stored;
    const object = this.table.toStorage(stored);
    return this.scheme.conversion?.down(object) ?? object;
  }

  /** Runs work that converts stored objects. A program that converts them is asked for all of them together. */
  async withHeld<T>(stored: readonly Uint8Array[], work: () => MaybePromise<T>): Promise<T> {
    const others = this.table.isRemote ? stored.filter((json) => !this.isStoredAs(json)) : [];
    return withHeldConversions(
      others.map((json) => () => this.convert(parseObject(json))),
      work,
    );
  }

  #inTime<T>({ metadata }: ExtensionObject, convert: () => T): T {
    return this.limited(metadata.name, convert);
  }

  /**
   * Runs work that converts one object, possibly several times. One limit for all of it is cheaper than one for each
   * conversion.
   * @throws ConversionError when it takes too long
   */
  limited<T>(name: string, work: () => T): T {
    if (isLimited) return work();
    isLimited = true;
    try {
      return runWithTimeout(LIMIT_MS, work);
    } catch (error) {
      if (error instanceof TimeoutError) throw tookTooLong(this.resource, name, error.ms);
      throw error;
    } finally {
      isLimited = false;
    }
  }
}

/** The version's resource, with the indexes of the table: another process may have declared others. */
function addIndexesTo({ indexes, resource, scheme }: Table, asked: Resource): Resource {
  const stored = scheme?.indexes ?? [];
  if (indexes.length === stored.length && indexes.every(({ name }, i) => name === stored[i]?.name))
    return asked;
  const names = new Map(stored.map(({ name }, i) => [name, asked.indexes[i]?.name ?? name]));
  return {
    ...asked,
    indexes: resource.indexes.map((index) => ({ ...index, name: names.get(index.name) ?? index.name })),
  };
}

function tookTooLong({ group, kind, version }: Resource, name: string, ms: number): ConversionError {
  const message = `${kind} "${name}" cannot be converted to or from ${version}: its code did not return within ${ms} ms`;
  return new ConversionError(message, { group, kind, name });
}

/** An object as JSON, or the error of its conversion. */
export type ShownObject = Buffer | ConversionError;

/** Converts stored objects to a version one after another, for one list or watch. */
export class ViewReader {
  #limitMs = LIMIT_MS;

  constructor(private readonly model: ModelView) {}

  /** In the order of the stored objects. They should be few, because the call blocks other work. */
  read(stored: readonly Buffer[]): readonly ShownObject[] {
    return this.model.isVerbatim ? stored : this.readLogged(stored);
  }

  /** Like `read`, for earlier states of objects: the log has some in versions in which nothing is stored now. */
  readLogged(stored: readonly Buffer[]): readonly ShownObject[] {
    if (stored.every((json) => this.model.isStoredAs(json))) return stored;
    const shown: ShownObject[] = [];
    while (shown.length < stored.length) this.#readOn(stored, shown);
    return shown;
  }

  /** Continues until all objects are converted, or one took too long. */
  #readOn(stored: readonly Buffer[], shown: ShownObject[]): void {
    const bytes = stored.reduce((sum, { length }) => sum + length, 0);
    const limitMs = this.#limitMs + Math.ceil(bytes / BYTES_PER_MS);
    let began = 0;
    try {
      runWithTimeout(limitMs, () => {
        for (let json = stored[shown.length]; json !== undefined; json = stored[shown.length]) {
          began = performance.now();
          shown.push(this.#readOne(json));
        }
      });
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      // When all objects together took long, the one that was last is tried again.
      if (performance.now() - began < limitMs / 2) return;
      const json = stored[shown.length];
      if (json === undefined) return;
      shown.push(tookTooLong(this.model.resource, parseObject(json).metadata.name, limitMs));
      this.#limitMs = Math.max(LIMIT_MS_MIN, Math.floor(this.#limitMs / 4));
    }
  }

  #readOne(json: Buffer): ShownObject {
    if (this.model.isStoredAs(json)) return json;
    try {
      return Buffer.from(JSON.stringify(this.model.convert(parseObject(json))));
    } catch (error) {
      if (error instanceof ConversionError) return error;
      throw error;
    }
  }
}
