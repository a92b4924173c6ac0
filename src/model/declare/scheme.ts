import type { ModelClass } from './model-class.js';
import type { Cause } from '../../errors.js';
import type { Conversion, Migration } from '../evolve/conversion.js';
import type { ExtensionObject, JsonObject, ObjectDraft } from '../object.js';
import type { IndexDeclaration, Resource } from '../resource.js';

/** A readable value of an index: instants are RFC 3339 strings, longs are bigint. */
export type IndexValue = string | boolean | number | bigint;

/** A declared index with the function that fills it. */
export interface Index extends IndexDeclaration {
  /** Changes with everything that affects the entries: name, key type, order, uniqueness, text of the function. */
  readonly fingerprint: string;
  /**
   * The encoded values of an object, ascending and distinct; empty when it has none.
   * @throws ServiceError `Invalid`, field = index name, when the function throws or returns another type
   */
  values(object: ExtensionObject): readonly Buffer[];
}

export interface Faults {
  /** Every violation; empty when the object is accepted. */
  readonly causes: readonly Cause[];
  /** Dotted paths of fields that no schema declares. */
  readonly unknown: readonly UnknownField[];
}

/** The violations of an object. For an object that replaces a stored one, only those that it adds. */
export interface ValidationResult extends Faults {
  /** Violations of the stored object as well: the same value breaks the same rule at the same place. */
  readonly old?: Faults;
}

export interface UnknownField {
  readonly path: string;
  /** A declared name that is similar, if any. */
  readonly suggestion?: string;
}

/** The owner of the models that are part of the program. */
export const PLATFORM = 'platform';

/** A version of a registered model: its data, and the functions that need its code. */
export interface Scheme {
  readonly resource: Resource;
  /** The class that declares it; undefined for a model without a class. */
  readonly model: ModelClass | undefined;
  /** The name of the registering plugin, or {@link PLATFORM}. */
  readonly owner: string;
  /** The indexes of the storage version, which read its objects, with their names in this version. */
  readonly indexes: readonly Index[];
  /** True when requests may use it. */
  readonly isServed: boolean;
  /** Between this version and the storage version; undefined for the storage version itself. */
  readonly conversion: Conversion | undefined;
  /** All versions of the model; the same for each version. */
  readonly versions: ModelVersions;
  /**
   * Checks the whole object against the model, and the rules of metadata and names. Sets the defaults of the schema
   * in place.
   * @param stored the object that is replaced; it is not changed
   */
  validate(object: ObjectDraft, stored?: ObjectDraft, options?: ValidateOptions): ValidationResult;
  /** Present: stored objects are shown with the defaults that the schema has now. Absent: as they are stored. */
  readonly shownDefaults?: ShownDefaults | undefined;
  /** Applies a strategic merge patch; undefined for a model that takes none. */
  readonly strategicMerge?: StrategicMerge | undefined;
  /** A new object before its values are set, for the managers of its fields. Absent: it has no fields. */
  readonly blank?: (() => JsonObject) | undefined;
  /** Absent: deleted objects wait for the finalizers of their metadata alone. */
  readonly deletion?: DeletionRules;
  /**
   * The models whose changes an object passes on to others: its writer needs the right to watch them. Absent: none.
   */
  readonly passedOn?: PassedOn;
  /** Present: objects belong to the users who create them. Absent: rights to the model are rights to all of its objects. */
  readonly ownership?: Ownership;
}

/** The defaults of a schema for objects that were stored before it had them. */
export interface ShownDefaults {
  /** Changes with each default and its place; undefined for a schema without any. */
  readonly digest: string | undefined;
  /** The object with the defaults that it lacks. The argument is not changed, and is the result when it lacks none. */
  readonly addTo: (object: ExtensionObject) => ExtensionObject;
}

/** The owners of a model's objects, where users are authenticated. Owners change their objects, and read what is not shared. */
export interface Ownership {
  /** Undefined for an object that everybody with the rights may change. */
  readonly ownerOf: (object: ObjectDraft) => string | undefined;
  /** True when others may read it. */
  readonly isShared: (object: ObjectDraft) => boolean;
  /** The filter that matches the objects that a user may read. */
  readonly filterFor: (user: string) => string;
}

/** @returns the models, as group and plural */
export type PassedOn = (object: ExtensionObject) => readonly Pick<Resource, 'group' | 'plural'>[];

/** Further rules for the deletion of a model's objects. */
export interface DeletionRules {
  /**
   * Changes an object that a delete marks, in place.
   * @throws ServiceError when it must not be deleted
   */
  readonly begin: (object: ExtensionObject) => void;
  /** True while a deleted object without finalizers must stay. */
  readonly isHeld: (object: ExtensionObject) => boolean;
}

/**
 * Applies a strategic merge patch to an object, which it does not change.
 * @throws ServiceError `BadRequest`
 */
export type StrategicMerge = (object: Readonly<Record<string, unknown>>, patch: unknown) => unknown;

export interface ValidateOptions {
  /** True for a stored object that is not being written. Rules about changes are skipped. */
  readonly isStored?: boolean;
  /** The part of the object that is written. Default: the whole object, or `status`. */
  readonly subresource?: 'finalize' | undefined;
  /** The user of the write; undefined without authentication. */
  readonly user?: string | undefined;
}

/** The versions of a model: views of the same objects. */
export interface ModelVersions {
  /** The version in which objects are stored. */
  readonly storage: Scheme;
  /** All versions by name: the storage version, other served ones, and those that are not served. */
  readonly byName: ReadonlyMap<string, Scheme>;
  /** Changes of stored objects, in the order of application. */
  readonly migrations: readonly Migration[];
  /** True when a program converts objects, so that conversions may be pending. */
  readonly isRemote?: boolean;
}
