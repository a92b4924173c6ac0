import { randomBytes } from 'node:crypto';
import type { ExtensionObject, Metadata } from '../model/object.js';
import type { Index } from '../model/declare/scheme.js';
import type { IndexValues } from './index/index-record.js';
import type { Table } from './table.js';

/**
 * Stands for the revision in a text until there is one. Nobody else knows it, so nothing else of an object can be taken
 * for it.
 */
const REVISION_MARK = randomBytes(16).toString('hex');

/** An object as JSON, but for the revision that its commit gives it. It is written in the commit, or before. */
export class ObjectText {
  readonly metadata: Metadata;
  #form: { readonly object: ExtensionObject } | TextAround;

  constructor(object: ExtensionObject) {
    this.metadata = object.metadata;
    this.#form = { object };
  }

  /** Does now what can be done before the commit, and lets go of the object, which takes more memory than its text. */
  prepare(): void {
    if ('object' in this.#form) this.#form = textAround(this.#form.object);
  }

  /** Bytes that it takes at least; 0 before it is prepared. */
  get leastBytes(): number {
    return 'object' in this.#form ? 0 : this.#form.before.length + this.#form.after.length;
  }

  json(revision: string): string {
    if ('object' in this.#form) return JSON.stringify(stamped(this.#form.object, revision));
    const { before, after } = this.#form;
    return before + revision + after;
  }
}

/** Whether an object is stored though an index function failed; the index then has no value of it. */
export type Pardon = (index: Index, error: unknown) => boolean;

/** An object that is to be stored, with what it contributes to the indexes. */
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

  /** Undefined when an index function looks at the revision, which only the commit knows. */
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

/** What stands in the JSON of an object before its revision, and behind it. */
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
