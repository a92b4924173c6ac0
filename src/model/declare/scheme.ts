import type { ModelClass } from './model-class.js';
import type { Cause } from '../../errors.js';
import type { Conversion, Migration } from '../evolve/conversion.js';
import type { ExtensionObject, ObjectDraft } from '../object.js';
import type { IndexDeclaration, Resource } from '../resource.js';

/** A value of an index as people read it: instants are RFC 3339 strings, longs are bigint. */
export type IndexValue = string | boolean | number | bigint;

/** A declared index with the function that fills it. */
export interface Index extends IndexDeclaration {
  /** Changes when anything does that decides the entries: name, key type, order, uniqueness, function text. */
  readonly fingerprint: string;
  /**
   * What an object contributes: encoded values, ascending, each once; empty when it has none.
   * @throws ServiceError `Invalid`, field = index name, when the function throws or returns another type.
   */
  values(object: ExtensionObject): readonly Buffer[];
}

export interface Faults {
  /** Every violation; empty when the object is accepted. */
  readonly causes: readonly Cause[];
  /** Dotted paths of fields that no schema declares. */
  readonly unknown: readonly UnknownField[];
}

/** The faults of an object; when it is to replace a stored one, those that it adds. */
export interface ValidationResult extends Faults {
  /** What the stored object has already: the same rule is broken at the same place by the same value. */
  readonly old?: Faults;
}

export interface UnknownField {
  readonly path: string;
  /** A declared name that is near, when there is one. */
  readonly suggestion?: string;
}

/** Who registers the models that come with the program. */
export const PLATFORM = 'platform';

/** A version of a registered model: the data of it and what only its code can do. */
export interface Scheme {
  readonly resource: Resource;
  /** The class it was declared by. */
  readonly model: ModelClass;
  /** Who registered it: the plugin's name, or {@link PLATFORM}. */
  readonly owner: string;
  /** Those of the storage version, which read its objects, by the names they have in this version. */
  readonly indexes: readonly Index[];
  /** Whether requests may ask for it. */
  readonly isServed: boolean;
  /** Between this version and the storage version; undefined for the storage version itself. */
  readonly conversion: Conversion | undefined;
  /** All versions of the model; the same for each of them. */
  readonly versions: ModelVersions;
  /**
   * Checks the whole object against the model, the rules of metadata and those of names, and fills in the schema's
   * defaults, in place.
   * @param stored the object that it is to replace; nothing is filled into this one
   */
  validate(object: ObjectDraft, stored?: ObjectDraft, options?: ValidateOptions): ValidationResult;
}

export interface ValidateOptions {
  /** Whether it is stored as it is, and nobody is about to write it: rules about changes are left out. */
  readonly isStored?: boolean;
}

/** The versions of a model: views of the same objects. */
export interface ModelVersions {
  /** The one that objects are stored in. */
  readonly storage: Scheme;
  /** By name, the storage version among them, and those that are not served. */
  readonly byName: ReadonlyMap<string, Scheme>;
  /** Changes of stored objects, in the order they are applied in. */
  readonly migrations: readonly Migration[];
}
