import type { Models } from './models.js';
import type { Store } from '../store/store.js';
import type { ListCaches } from '../list/cache.js';
import type { WatchHub } from '../watch/hub.js';
import type { Measures } from './measures.js';

/** What the verbs work with. */
export interface ServiceContext {
  readonly store: Store;
  readonly models: Models;
  readonly listCaches: ListCaches;
  /** Where all who watch in this process get changes from. */
  readonly hub: WatchHub;
  readonly measures: Measures;
  /** For whom this process writes, where no request says it. */
  readonly user: string | undefined;
  /** Objects that are changed with those that a request deletes; what goes beyond is done in later commits. */
  readonly cascadeMax: number;
  /** How often a watch tells a bookmark, in milliseconds. */
  readonly bookmarkMs: number;
  /** Has done, soon, what a commit left for later ones. */
  scheduleCascades(): void;
  now(): Date;
  /** A new UUID. */
  uid(): string;
}
