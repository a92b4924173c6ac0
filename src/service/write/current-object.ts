import type { ExtensionObject, Metadata } from '../../model/object.js';
import { parseObject, type StoredObject } from '../../store/object-record.js';
import type { ModelView } from '../read/view.js';

/** The present state of an object before a write. It is converted on demand: a deletion needs no conversion. */
export class CurrentObject {
  #object: ExtensionObject | undefined;
  #shown: ExtensionObject | undefined;

  constructor(
    /** In the version of the write. */
    readonly model: ModelView,
    /** As stored, in its stored version. */
    readonly raw: ExtensionObject,
    /** The revision of its last change; undefined when the change is part of the same commit. */
    readonly revision: number | undefined,
    /** Size of its JSON, in bytes. */
    readonly bytes: number,
  ) {}

  /** The same in all versions. */
  get metadata(): Metadata {
    return this.raw.metadata;
  }

  /**
   * In the storage version.
   * @throws ConversionError
   */
  get object(): ExtensionObject {
    return (this.#object ??= this.model.inStorage(this.raw));
  }

  /**
   * In the version of the write.
   * @throws ConversionError
   */
  get shown(): ExtensionObject {
    return (this.#shown ??= this.model.shown(this.model.isObjectOf(this.raw) ? this.raw : this.object));
  }
}

/** The object without its managers; the same one when it has none. */
export function withoutManagers(current: CurrentObject): CurrentObject {
  const { model, raw, revision, bytes } = current;
  if (raw.metadata.managedFields === undefined) return current;
  const { managedFields: _, ...metadata } = raw.metadata;
  return new CurrentObject(model, { ...raw, metadata }, revision, bytes);
}

export function currentObject(model: ModelView, { revision, bytes }: StoredObject): CurrentObject {
  return new CurrentObject(model, parseObject(bytes), revision, bytes.length);
}
