import type { GvkDeclaration } from '../model/declare/gvk.js';
import type { ExtensionObject } from '../model/object.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { MatchOptions } from '../query/list-options.js';
import type { Reconciling } from './request.js';

/** Selects the changes that cause a reconcile. A missing matcher accepts all. */
export interface Matchers {
  readonly onAdd?: (object: ExtensionObject) => boolean;
  readonly onUpdate?: (object: ExtensionObject, old: ExtensionObject) => boolean;
  readonly onDelete?: (object: ExtensionObject) => boolean;
}

/** Another model whose objects cause reconciles. */
export interface Watched {
  readonly model: ModelClass;
  readonly gvk: GvkDeclaration;
  /** The names to reconcile for an object. @throws any error of the author's function */
  readonly namesOf: (object: ExtensionObject) => readonly string[];
}

/** The parts of a {@link Controller}. Times are milliseconds. */
export interface ControllerParts {
  /** The name within its plugin; lowercase. */
  readonly name: string;
  readonly model: ModelClass;
  readonly gvk: GvkDeclaration;
  readonly reconciler: Reconciling;
  readonly matchers: Matchers;
  readonly watched: readonly Watched[];
  /** True to reconcile every object when the controller starts. */
  readonly syncAllOnStart: boolean;
  /** The objects to which the sync at the start is limited. */
  readonly syncAllListOptions: MatchOptions;
  /** The first wait after a failure. */
  readonly minDelayMs: number;
  /** The longest wait after failures. */
  readonly maxDelayMs: number;
  /** The number of names that are reconciled at the same time. */
  readonly workerCount: number;
}

/** The description of a controller, created by a `ControllerBuilder`. It has no effect by itself and cannot be changed. */
export class Controller {
  readonly parts: ControllerParts;

  constructor(parts: ControllerParts) {
    this.parts = Object.freeze({ ...parts, matchers: Object.freeze({ ...parts.matchers }) });
    Object.freeze(this);
  }
}
