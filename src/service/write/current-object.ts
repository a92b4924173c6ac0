import type { ExtensionObject, Metadata } from '../../model/object.js';
import { parseObject, type StoredObject } from '../../store/object-record.js';
import type { ModelView } from '../read/view.js';
import { PENDING, type Change } from './change.js';

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
    return (this.#object ??= this.model.toStorage(this.raw));
  }

  /**
   * In the version of the write.
   * @throws ConversionError
   */
  get shown(): ExtensionObject {
    return (this.#shown ??= this.model.isObjectOf(this.raw) ? this.raw : this.model.shown(this.object));
  }
}

export function currentObject(model: ModelView, { revision, bytes }: StoredObject): CurrentObject {
  return new CurrentObject(model, parseObject(bytes), revision, bytes.length);
}

/** The state for a later request of the same commit; undefined when the object will be removed. */
export function pendingObject(
  model: ModelView,
  { kind, object }: Exclude<Change, { kind: 'keep' }>,
): CurrentObject | undefined {
  if (kind === 'remove') return undefined;
  const bytes = Buffer.from(object.json(PENDING));
  return new CurrentObject(model, parseObject(bytes), undefined, bytes.length);
}
