/** A value that is at hand or has to be waited for. An embedded store never waits, and then nothing is paid for it. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value, now if it is at hand. */
export function mapMaybe<T, R>(value: MaybePromise<T>, then: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(then) : then(value);
}

/** Whether there is something to wait for, of whatever make. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
