import type { ExtensionObject, Metadata } from '../../model/object.js';
import type { ModelView } from '../read/view.js';

/** An object as a write finds it. It is converted when that is asked for: deleting it needs no conversion. */
export class CurrentObject {
  #object: ExtensionObject | undefined;
  #shown: ExtensionObject | undefined;

  constructor(
    private readonly model: ModelView,
    /** As it is stored, in whatever version that is. */
    readonly raw: ExtensionObject,
    /** Of its last change; undefined when that is made in the same commit. */
    readonly revision: number | undefined,
    /** What it takes as JSON. */
    readonly bytes: number,
  ) {}

  /** The same in all versions. */
  get metadata(): Metadata {
    return this.raw.metadata;
  }

  /** In the storage version. @throws ConversionError */
  get object(): ExtensionObject {
    return (this.#object ??= this.model.toStorage(this.raw));
  }

  /** In the version of the write. @throws ConversionError */
  get shown(): ExtensionObject {
    return (this.#shown ??= this.model.isObjectOf(this.raw) ? this.raw : this.model.shown(this.object));
  }
}
