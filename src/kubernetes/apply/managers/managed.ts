import type { PathSet } from '../paths/path-set.js';
import type { TypedValue } from '../types/field-type.js';

/** The fields of one manager, in one version of the model. */
export interface Managed {
  readonly fields: PathSet;
  readonly version: string;
  /** True when the manager states its fields with applies, false when it updates. */
  readonly isApplied: boolean;
}

/** Fields by manager. The key tells managers apart, such as the applies of a name from its updates. */
export type Managers = ReadonlyMap<string, Managed>;

/** The manager of a write, and the version that it uses. */
export interface WritingManager {
  readonly key: string;
  readonly version: string;
}

/** The versions of a model, as far as owners of fields depend on them. */
export interface OwnedVersions {
  /** The object in another version; undefined when there is no such version. */
  readonly convert: (object: TypedValue, version: string) => TypedValue | undefined;
  /** The fields of a set that a write through its path may own. */
  readonly ownable: (fields: PathSet, version: string) => PathSet;
}

/** A field that an apply would change, and that another manager owns. */
export interface Conflict {
  /** The key of the manager. */
  readonly manager: string;
  readonly path: readonly string[];
}

/** An apply would change fields of other managers. */
export class ApplyConflict extends Error {
  constructor(readonly conflicts: readonly Conflict[]) {
    super('fields of other managers would change');
  }
}
