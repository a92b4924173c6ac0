import type { ControllerBuilder } from './builder.js';
import type { Controller } from './controller.js';
import { hasReconcilerMethods, type Reconciling } from './request.js';

/**
 * Brings the actual state of one object to what its `spec` wants. Being called once more than necessary must do
 * no harm: bursts of changes are merged, names are repeated after a restart and after failures.
 *
 * The object may be gone (its removal is a reason to reconcile too) or being deleted (`isDeleted`): then clean up
 * and take the finalizer away. One name is never reconciled twice at the same time.
 *
 * What is thrown is kept as the name's error, and the name is tried again with exponential back-off. A
 * `ServiceError` `Conflict` (the object was changed since it was read) is retried without being an error.
 *
 * A function that computes for long without waiting for anything holds up the whole service, and nothing can cut
 * it off: neither a deadline nor the stop of its plugin.
 */
export interface Reconciler extends Reconciling {
  /** Describes the controller: which model, which changes, how often. Called once, when the plugin goes live. */
  setupWith(builder: ControllerBuilder): Controller;
}

/** Whether a value has the two methods of a {@link Reconciler}. */
export function isReconciler(value: unknown): value is Reconciler {
  return hasReconcilerMethods(value);
}
