import type { ExtensionObject, Metadata } from '../model/object.js';
import type { Index } from '../model/scheme.js';
import type { IndexValues } from './index-record.js';
import { contributedValues, type Table } from './table.js';

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
    return before + JSON.stringify({ ...this.metadata, resourceVersion: revision }) + after;
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
    const metadata = Object.defineProperty({ ...object.metadata }, 'resourceVersion', {
      enumerable: true,
      get: () => {
        seen.revision = true;
        return object.metadata.resourceVersion;
      },
    });
    const values = this.#indexValues({ ...object, metadata });
    return seen.revision ? undefined : values;
  }

  #indexValues(object: ExtensionObject): IndexValues {
    return new Map(this.table.indexes.map(({ id, declared }) => [id, this.#contributedTo(declared, object)]));
  }

  #contributedTo(index: Index | undefined, object: ExtensionObject): readonly Buffer[] {
    if (index === undefined) return [];
    try {
      return contributedValues(index, object);
    } catch (error) {
      if (this.pardon(index, error)) return [];
      throw error;
    }
  }
}

/** What stands in the JSON of an object before its metadata, and behind them. */
interface TextAround {
  readonly before: string;
  readonly after: string;
}

function textAround({ apiVersion, kind, metadata: _m, ...rest }: ExtensionObject): TextAround {
  const head = JSON.stringify({ apiVersion, kind });
  const tail = JSON.stringify(rest);
  const after = tail === '{}' ? '}' : `,${tail.slice(1)}`;
  return { before: `${head.slice(0, -1)},"metadata":`, after };
}

function stamped(object: ExtensionObject, resourceVersion: string): ExtensionObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}
