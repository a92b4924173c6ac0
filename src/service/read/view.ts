import { ConversionError } from '../../model/evolve/conversion.js';
import type { ExtensionObject } from '../../model/object.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import type { Scheme } from '../../model/declare/scheme.js';
import { TimeoutError, runWithTimeout } from '../../lib/time/time-limit.js';
import { parseObject } from '../../store/object-record.js';
import { storedVersionIn, toStorageVersion } from '../../store/stored-version.js';
import type { Table } from '../../store/table.js';

/** How long a plugin's code may take to convert one object, or a few small ones, in milliseconds. */
const LIMIT_MS = 2_000;
/** Where it failed to return before, others of the same list get less, but never less than this. */
const LIMIT_MS_MIN = 200;
/** Large objects take longer, without any fault of that code. */
const BYTES_PER_MS = 1_024;

/** Whether what runs now will be ended when it takes too long. */
let isLimited = false;

/** A model's objects as one of its versions shows them. Immutable. */
export class ModelView {
  /** Of the version. Its indexes are those of the table, in their order, by the names they have in this version. */
  readonly resource: Resource;
  /** Of the version; undefined when the model's code is not loaded: then objects are shown as they are stored. */
  readonly scheme: Scheme | undefined;
  /** Whether all stored objects are shown as the bytes they are stored as. */
  readonly isVerbatim: boolean;
  private readonly apiVersion: string;

  constructor(
    readonly table: Table,
    private readonly asked: Resource,
  ) {
    const { version } = asked;
    const isStorage = version === table.resource.version;
    this.scheme = table.scheme?.versions.byName.get(version);
    this.resource = isStorage ? table.resource : addIndexesTo(table, asked);
    this.isVerbatim = this.scheme === undefined || (isStorage && !table.isMixed);
    this.apiVersion = getApiVersion(asked);
  }

  /** The same version of another state of the model. */
  at(table: Table): ModelView {
    return table === this.table ? this : new ModelView(table, this.asked);
  }

  /** Why nothing can be written now; undefined when it can. */
  problem(): ReturnType<Table['problem']> {
    return this.table.problem();
  }

  /** Whether an object that is stored, or was once, is shown as the bytes it is stored as. */
  isStoredAs(json: Uint8Array): boolean {
    return this.scheme === undefined || storedVersionIn(this.resource, json) === this.resource.version;
  }

  /** A stored object as JSON. @throws ConversionError */
  json(stored: Buffer): Buffer {
    return this.isVerbatim || this.isStoredAs(stored)
      ? stored
      : Buffer.from(JSON.stringify(this.object(stored)));
  }

  /** @throws ConversionError */
  object(stored: Uint8Array): ExtensionObject {
    return this.shown(parseObject(stored));
  }

  /** Whether objects are stored in this version; also when some are still stored in others. */
  get isStorage(): boolean {
    return this.scheme?.conversion === undefined;
  }

  /** Whether an object is in this version. */
  isObjectOf({ apiVersion }: ExtensionObject): boolean {
    return this.scheme === undefined || apiVersion === this.apiVersion;
  }

  /** An object in the storage version, from any other. It is left as it is, and may be the answer. @throws ConversionError */
  toStorage(object: ExtensionObject): ExtensionObject {
    const { scheme } = this;
    if (scheme === undefined || object.apiVersion === getApiVersion(scheme.versions.storage.resource))
      return object;
    return this.inTime(object, () => toStorageVersion(scheme, object));
  }

  /** A stored object that was parsed. It is left as it is, and may be the answer. @throws ConversionError */
  shown(stored: ExtensionObject): ExtensionObject {
    if (this.isObjectOf(stored)) return stored;
    return this.inTime(stored, () => this.convert(stored));
  }

  /**
   * As {@link shown}, whatever time it takes.
   * @throws ConversionError
   */
  convert(stored: ExtensionObject): ExtensionObject {
    if (this.scheme === undefined || stored.apiVersion === this.apiVersion) return stored;
    const object = toStorageVersion(this.scheme, stored);
    return this.scheme.conversion?.down(object) ?? object;
  }

  private inTime<T>({ metadata }: ExtensionObject, convert: () => T): T {
    return this.limited(metadata.name, convert);
  }

  /**
   * Does work in which one object is converted, maybe several times: to limit each time alone would take longer than most
   * conversions.
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

/** The version's resource, with indexes as the table has them: another process may have declared others. */
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

/** An object as JSON, or why it cannot be shown. */
export type ShownObject = Buffer | ConversionError;

/** Shows stored objects one after another in a version, for one list or watch. */
export class ViewReader {
  private limitMs = LIMIT_MS;

  constructor(private readonly model: ModelView) {}

  /** In the order of the stored ones, which should be few: nothing else is done meanwhile. */
  read(stored: readonly Buffer[]): readonly ShownObject[] {
    return this.model.isVerbatim ? stored : this.readLogged(stored);
  }

  /** The same for objects as they once were, of which the log has some in versions that nothing is stored in now. */
  readLogged(stored: readonly Buffer[]): readonly ShownObject[] {
    if (stored.every((json) => this.model.isStoredAs(json))) return stored;
    const shown: ShownObject[] = [];
    while (shown.length < stored.length) this.readOn(stored, shown);
    return shown;
  }

  /** Goes on where it ended, until all are shown, or one took too long. */
  private readOn(stored: readonly Buffer[], shown: ShownObject[]): void {
    const bytes = stored.reduce((sum, { length }) => sum + length, 0);
    const limitMs = this.limitMs + Math.ceil(bytes / BYTES_PER_MS);
    let began = 0;
    try {
      runWithTimeout(limitMs, () => {
        for (let json = stored[shown.length]; json !== undefined; json = stored[shown.length]) {
          began = performance.now();
          shown.push(this.readOne(json));
        }
      });
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      // When all of them took long together, the one that happened to be the last is tried again.
      if (performance.now() - began < limitMs / 2) return;
      const json = stored[shown.length];
      if (json === undefined) return;
      shown.push(tookTooLong(this.model.resource, parseObject(json).metadata.name, limitMs));
      this.limitMs = Math.max(LIMIT_MS_MIN, Math.floor(this.limitMs / 4));
    }
  }

  private readOne(json: Buffer): ShownObject {
    if (this.model.isStoredAs(json)) return json;
    try {
      return Buffer.from(JSON.stringify(this.model.convert(parseObject(json))));
    } catch (error) {
      if (error instanceof ConversionError) return error;
      throw error;
    }
  }
}
