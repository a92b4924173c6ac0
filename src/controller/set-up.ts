import { ControllerBuilder, shown, wrong } from './builder.js';
import { Controller } from './controller.js';
import type { Reconciler } from './reconciler.js';

/**
 * Calls a reconciler's `setupWith` and returns its controller.
 * @throws ServiceError `BadRequest` when a value is wrong or `setupWith` does not return the result of `build()`; any error that
 *   `setupWith` throws
 */
export function setUp(reconciler: Reconciler): Controller {
  const controller: unknown = reconciler.setupWith(new ControllerBuilder(reconciler));
  if (controller instanceof Controller) return controller;
  throw wrong(
    `setupWith of ${reconciler.constructor.name} must return builder.build(), got ${shown(controller)}`,
  );
}
