import type { Cause } from '../errors.js';
import type { ExtensionObject, ObjectDraft } from './object.js';
import type { IndexDeclaration, Resource } from './resource.js';

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

export interface ValidationResult {
  /** Every violation; empty when the object is accepted. */
  readonly causes: readonly Cause[];
  /** Dotted paths of fields that no schema declares. */
  readonly unknown: readonly UnknownField[];
}

export interface UnknownField {
  readonly path: string;
  /** A declared name that is near, when there is one. */
  readonly suggestion?: string;
}

/** A class that declares a model. */
export type ModelClass<T extends object = object> = abstract new (...args: never[]) => T;

/** A registered model: the data of it and what only its code can do. */
export interface Scheme {
  readonly resource: Resource;
  /** The class it was declared by. */
  readonly model: ModelClass;
  /** Who registered it: the plugin's name, or `platform`. */
  readonly owner: string;
  readonly indexes: readonly Index[];
  /**
   * Checks the whole object against the model, the rules of metadata and those of names, and fills in the schema's
   * defaults, in place.
   */
  validate(object: ObjectDraft): ValidationResult;
}
