import type { Models } from './models.js';
import type { Store } from '../store/store.js';
import type { Derived } from '../store/derived.js';

/** What the verbs work with. */
export interface ServiceContext {
  readonly store: Store;
  readonly models: Models;
  readonly derived: Derived;
  now(): Date;
  /** A new UUID. */
  uid(): string;
}
