import type { MaybePromise } from '../lib/work/maybe-promise.js';
import type { ExtensionObject } from '../model/object.js';
import type { Models } from './models.js';
import type { Store } from '../store/store.js';
import type { ListCaches } from '../list/cache.js';
import type { WatchHub } from '../watch/hub.js';
import type { Measures } from './measures.js';
import type { InsertEffects } from './inserts.js';
import type { WriteAudit } from './write-audit.js';
import type { EffectlessApplies } from './write/apply/effectless-applies.js';
import type { FieldManagers } from './write/apply/field-managers.js';
import type { Reviewers } from './write/review/reviewers.js';

/** Work on commits that answers about a model must not precede. */
export interface WorkAfterWrites {
  readonly group: string;
  /** @param revision of the commit */
  run(revision: number): Promise<void>;
}

/** A check of objects that follows their validation, before their commit. */
export interface CheckBeforeWrites {
  readonly group: string;
  /** @throws ServiceError to refuse the write */
  run(object: ExtensionObject): MaybePromise<void>;
}

/** The dependencies of the verbs. */
export interface ServiceContext {
  readonly store: Store;
  readonly models: Models;
  readonly listCaches: ListCaches;
  /** The source of changes for all watchers in this process. */
  readonly hub: WatchHub;
  readonly measures: Measures;
  /** The user of writes without a request, for the log. */
  readonly user: string | undefined;
  /**
   * Most objects that one commit changes together with the objects that a request deletes; the rest is changed in
   * later commits.
   */
  readonly cascadeMax: number;
  /** Interval of a watch's bookmarks, in milliseconds. */
  readonly bookmarkMs: number;
  /** By kind: one kind has one group here. */
  readonly beforeWrites: ReadonlyMap<string, CheckBeforeWrites>;
  /** By kind. */
  readonly afterWrites: ReadonlyMap<string, WorkAfterWrites>;
  readonly inserts: InsertEffects;
  /** Those who are asked about writes before their commits. Undefined when there are none. */
  readonly reviewers: Reviewers | undefined;
  /** Undefined when nobody keeps who owns which fields. */
  readonly fieldManagers: FieldManagers | undefined;
  readonly effectlessApplies: EffectlessApplies;
  /** Undefined when writes are not recorded. */
  readonly audit: WriteAudit | undefined;
  /** Starts the work that a commit left for later commits. */
  scheduleCascades(): void;
  now(): Date;
  /** Returns a new UUID. */
  uid(): string;
}
