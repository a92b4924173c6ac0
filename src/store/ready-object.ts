import { randomBytes } from 'node:crypto';
import type { ExtensionObject, Metadata } from '../model/object.js';
import type { Index } from '../model/declare/scheme.js';
import type { IndexValues } from './index/index-record.js';
import type { Table } from './table.js';

/**
 * Marks the place of the revision in a text. Its random value is secret, so no other part of an object can contain
 * it.
 */
const REVISION_MARK = randomBytes(16).toString('hex');

/** An object as JSON, except for the revision, which its commit assigns. It is formatted in the commit, or before. */
export class ObjectText {
  readonly metadata: Metadata;
  #form: { readonly object: ExtensionObject } | TextAround;

  constructor(object: ExtensionObject) {
    this.metadata = object.metadata;
    this.#form = { object };
  }

  /**
   * Does the work that is possible before the commit, and releases the object, which takes more memory than its text.
   */
  prepare(): void {
    if ('object' in this.#form) this.#form = textAround(this.#form.object);
  }

  /** Least number of bytes of the text; 0 before it is prepared. */
  get leastBytes(): number {
    return 'object' in this.#form ? 0 : this.#form.before.length + this.#form.after.length;
  }

  json(revision: string): string {
    if ('object' in this.#form) return JSON.stringify(stamped(this.#form.object, revision));
    const { before, after } = this.#form;
    return before + revision + after;
  }
}

/** True when an object may be stored although an index function failed. The index then has no value of it. */
export type Pardon = (index: Index, error: unknown) => boolean;

/** An object to be stored, with its index values. */
export class ReadyObject extends ObjectText {
  #contributed: { readonly object: ExtensionObject } | { readonly values: IndexValues };

  constructor(
    readonly table: Table,
    object: ExtensionObject,
    private readonly pardon: Pardon = () => false,
  ) {
    super(object);
    this.#contributed = { object };
  }

  /** @throws ServiceError `Invalid` when an index function fails */
  override prepare(): void {
    if ('object' in this.#contributed) {
      const values = this.#valuesWithoutRevision(this.#contributed.object);
      if (values !== undefined) this.#contributed = { values };
    }
    super.prepare();
  }

  /** @throws ServiceError `Invalid` when an index function fails */
  values(revision: string): IndexValues {
    if ('values' in this.#contributed) return this.#contributed.values;
    return this.#indexValues(stamped(this.#contributed.object, revision));
  }

  /** Undefined when an index function reads the revision, which only the commit knows. */
  #valuesWithoutRevision(object: ExtensionObject): IndexValues | undefined {
    const seen = { revision: false };
    const { resourceVersion } = object.metadata;
    const metadata = {
      ...object.metadata,
      get resourceVersion() {
        seen.revision = true;
        return resourceVersion;
      },
    };
    const values = this.#indexValues({ ...object, metadata });
    return seen.revision ? undefined : values;
  }

  #indexValues(object: ExtensionObject): IndexValues {
    const values = new Map<number, readonly Buffer[]>();
    for (const { id, declared } of this.table.indexes) values.set(id, this.#contributedTo(declared, object));
    return values;
  }

  #contributedTo(index: Index | undefined, object: ExtensionObject): readonly Buffer[] {
    if (index === undefined) return [];
    try {
      return index.values(object);
    } catch (error) {
      if (this.pardon(index, error)) return [];
      throw error;
    }
  }
}

/** The JSON of an object before and after its revision. */
interface TextAround {
  readonly before: string;
  readonly after: string;
}

function textAround(object: ExtensionObject): TextAround {
  const text = JSON.stringify(stamped(object, REVISION_MARK));
  const at = text.indexOf(REVISION_MARK);
  return { before: text.slice(0, at), after: text.slice(at + REVISION_MARK.length) };
}

function stamped(object: ExtensionObject, resourceVersion: string): ExtensionObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}
