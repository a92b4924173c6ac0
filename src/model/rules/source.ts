import type { Path } from '../../lib/json/json-difference.js';
import type { Finding } from '../validate/old-findings.js';

/** An object, or other data that has fields. */
export type Data = Readonly<Record<string, unknown>>;

/** The context in which an object is checked. */
export interface Circumstances {
  /** The object that is replaced, with the defaults of the schema; undefined when it replaces nothing. */
  readonly old: Data | undefined;
  /** True for a stored object that is not being written. */
  readonly isStored: boolean;
  /** The places where it violates its schema. */
  readonly faults: () => readonly Path[];
  /** Present where rules about unchanged values are not asked. */
  readonly hasChanged?: ((paths: readonly Path[]) => boolean) | undefined;
}

/** Rules of a model in addition to those of JSON Schema. */
export interface Rules {
  /** True when any of them reads the object that is replaced. */
  readonly readOld: boolean;
  find(object: Data, circumstances: Circumstances): readonly Finding[];
}
