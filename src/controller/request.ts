/** What is to be reconciled: only a name. What has happened to the object is not told, its state now is read. */
export interface Request {
  readonly name: string;
  /**
   * By whose right it is reconciled: of all processes on a store, one leads and runs the controllers. The token rises
   * with each change of the leader. What a reconciler writes to the store is refused once another process leads; give
   * the token to other systems that can refuse an older one as well. A daemon always gives it.
   */
  readonly leadership?: { readonly token: number };
}

/** How a reconcile ended that did not throw. No result at all is the same as `{ requeue: false }`. */
export interface Result {
  /** Whether the name is to be reconciled again although nothing changes. */
  readonly requeue: boolean;
  /** When, in milliseconds from now, 0 being at once. Without it: after the back-off. Read only with `requeue`. */
  readonly retryAfterMs?: number;
}

/** What a controller calls. */
export interface Reconciling {
  reconcile(request: Request): Result | void | undefined | Promise<Result | void | undefined>;
}

/** Whether a value has the methods of a reconciler, `reconcile` and `setupWith`. */
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
