/** A request to reconcile: only a name. It does not contain the change; the reconciler reads the object's state now. */
export interface Request {
  readonly name: string;
  /**
   * The right under which it is reconciled: of all processes on a store, one leads and runs the controllers. The token rises with
   * each change of the leader. The store refuses a reconciler's writes once another process leads; pass the token to other systems
   * that can refuse an older one as well. A daemon always sets it.
   */
  readonly leadership?: { readonly token: number };
}

/** The result of a reconcile that did not throw. No result is the same as `{ requeue: false }`. */
export interface Result {
  /** True to reconcile the name again although nothing changes. */
  readonly requeue: boolean;
  /** The delay in milliseconds, 0 being at once. Without it: after the back-off. Read only with `requeue`. */
  readonly retryAfterMs?: number;
}

/** The method that a controller calls. */
export interface Reconciling {
  reconcile(request: Request): Result | void | undefined | Promise<Result | void | undefined>;
}

/** True when a value has the methods of a reconciler, `reconcile` and `setupWith`. */
export function hasReconcilerMethods(value: unknown): value is Reconciling & { setupWith: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'reconcile' in value &&
    typeof value.reconcile === 'function' &&
    'setupWith' in value &&
    typeof value.setupWith === 'function'
  );
}
