import { useSyncExternalStore } from 'react';

/** A value that the whole page shares and can subscribe to. */
export class Store<T> {
  readonly #listeners = new Set<() => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  readonly get = (): T => this.#value;

  readonly set = (value: T): void => {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener();
  };

  /** @returns a function that ends it */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
