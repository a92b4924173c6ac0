import type { Models } from './models.js';
import type { Store } from '../store/store.js';
import type { CountCache } from '../store/list.js';

/** What the verbs work with. */
export interface ServiceContext {
  readonly store: Store;
  readonly models: Models;
  readonly counts: CountCache;
  now(): Date;
  /** A new UUID. */
  uid(): string;
}
