/** A value that is available now or later. An embedded store never waits, and then no promise is needed. */
export type MaybePromise<T> = T | Promise<T>;

/** Applies a function to a value, at once when it is available. */
export function mapMaybe<T, R>(value: MaybePromise<T>, then: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(then) : then(value);
}

/** True for a promise of any implementation. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
