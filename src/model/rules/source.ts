import type { Path } from '../../lib/json/json-difference.js';
import type { Finding } from '../validate/ratchet.js';

/** An object, or other data that has fields. */
export type Data = Readonly<Record<string, unknown>>;

/** The circumstances in which an object is judged. */
export interface Circumstances {
  /** What it is to replace, with the defaults of the schema; undefined when it replaces nothing. */
  readonly old: Data | undefined;
  /** Whether it is stored as it is, and nobody is about to write it. */
  readonly isStored: boolean;
  /** Where it breaks the rules of its schema. */
  readonly faults: () => readonly Path[];
}

/** Rules of a model beside those of JSON Schema. */
export interface Rules {
  /** Whether any of them looks at what an object is to replace. */
  readonly readOld: boolean;
  find(object: Data, circumstances: Circumstances): readonly Finding[];
}
