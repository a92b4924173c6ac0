import type { ControllerBuilder } from './builder.js';
import type { Controller } from './controller.js';
import { hasReconcilerMethods, type Reconciling } from './request.js';

/**
 * Brings the actual state of one object to the state that its `spec` declares. An additional call must do no harm: bursts of
 * changes are merged, and names are repeated after a restart and after failures.
 *
 * The object may be gone (its removal also causes a reconcile) or being deleted (`isDeleted`): then clean up and remove the
 * finalizer. One name is never reconciled twice at the same time.
 *
 * A thrown error is kept as the name's error, and the name is tried again with exponential back-off. A
 * `ServiceError` `Conflict` (the object was changed since it was read) is retried and not counted as an error.
 *
 * A function that computes for long without awaiting anything blocks the whole service, and nothing can interrupt it: neither a
 * deadline nor the stop of its plugin.
 */
export interface Reconciler extends Reconciling {
  /** Describes the controller: its model, the changes that matter, how often it runs. Called once, when the plugin goes live. */
  setupWith(builder: ControllerBuilder): Controller;
}

/** True when a value has the two methods of a {@link Reconciler}. */
export function isReconciler(value: unknown): value is Reconciler {
  return hasReconcilerMethods(value);
}
