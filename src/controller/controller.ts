import type { GvkDeclaration } from '../model/declare/gvk.js';
import type { ExtensionObject } from '../model/object.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { MatchOptions } from '../query/list-options.js';
import type { Reconciling } from './request.js';

/** Which changes are a reason to reconcile. One that is absent accepts everything. */
export interface Matchers {
  readonly onAdd?: (object: ExtensionObject) => boolean;
  readonly onUpdate?: (object: ExtensionObject, old: ExtensionObject) => boolean;
  readonly onDelete?: (object: ExtensionObject) => boolean;
}

/** What a {@link Controller} is made of. Times are milliseconds. */
export interface ControllerParts {
  /** How it is called within its plugin; a lowercase name. */
  readonly name: string;
  readonly model: ModelClass;
  readonly gvk: GvkDeclaration;
  readonly reconciler: Reconciling;
  readonly matchers: Matchers;
  /** Whether every object is reconciled when the controller starts. */
  readonly syncAllOnStart: boolean;
  /** Which objects the sync at the start is limited to. */
  readonly syncAllListOptions: MatchOptions;
  /** The first wait after a failure. */
  readonly minDelayMs: number;
  /** The longest wait after failures. */
  readonly maxDelayMs: number;
  /** How many names are reconciled at the same time. */
  readonly workerCount: number;
}

/** The description of a controller, made by a `ControllerBuilder`. It does nothing by itself, and cannot be changed. */
export class Controller {
  readonly parts: ControllerParts;

  constructor(parts: ControllerParts) {
    this.parts = Object.freeze({ ...parts, matchers: Object.freeze({ ...parts.matchers }) });
    Object.freeze(this);
  }
}
