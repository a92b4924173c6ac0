import type { ServiceError } from '../errors.js';
import type { Work } from '../lib/work/work.js';
import type { ExtensionObject, ObjectDraft } from '../model/object.js';
import type { PropagationPolicy } from '../model/owner-references.js';
import type { DeletePolicy } from '../model/references/reference.js';
import type { Resource } from '../model/resource.js';
import type { FacetCount } from '../list/facets/facets.js';
import type { ListOptions, Page } from '../query/list-options.js';
import type { WriteVerb } from '../store/log/log.js';
import type { ObjectChange, StoreTransaction } from '../store/transaction.js';

/** What happens to fields that no schema declares: refused, kept and named, or kept silently. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/**
 * Looks at all that a commit is about to store, within it, and throws to refuse it. Like every commit it may run more
 * than once.
 */
export type Admission = (tx: StoreTransaction, changes: readonly ObjectChange[]) => void;

/** Whether objects of a model may be named to somebody. */
export type MayList = (model: Pick<Resource, 'group' | 'plural'>) => boolean;

export interface WriteOptions {
  /** Decide and answer as always, store nothing. */
  readonly dryRun?: boolean;
  /** Default `Warn`. */
  readonly fieldValidation?: FieldValidation;
  /** Only write when the stored object has one of these `resourceVersion`s; else `PreconditionFailed`. */
  readonly ifMatch?: readonly string[];
  /** Who writes. Plugins may not use reserved label and annotation keys. Default: a person or a script. */
  readonly author?: 'plugin';
  /** Whose token a request came with, for the log. Only in process. Default: whoever the service writes for. */
  readonly user?: string;
  /** Only in process. */
  readonly admission?: Admission | undefined;
  /** A refusal names no objects of other models, and counts them. Only in process. Default: all models. */
  readonly mayList?: MayList | undefined;
  /** A patch of the status finds the metadata and the status alone. Only in process. Default: the whole object. */
  readonly seesStatusOnly?: boolean | undefined;
}

export interface DeleteOptions extends WriteOptions {
  /** Kubernetes' preconditions; a mismatch is a `Conflict`. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Remove it at once, whatever finalizers hold it: what they stand for is then never done. */
  readonly forceFinalizers?: boolean;
  /**
   * Default: what the finalizers of the object say, else `Background`. A running service does what is asked for; until
   * then a finalizer holds the object, but for `Background`.
   */
  readonly propagationPolicy?: PropagationPolicy;
}

/** Which part of the object a write may change. */
export type Subresource = 'status' | undefined;

export type PatchType = 'merge' | 'json';

export interface WriteResult<T = ExtensionObject> {
  /** The object as it is stored now; after a delete, as it was left. */
  readonly object: T;
  /** False when the write changed nothing, so nothing was stored. */
  readonly changed: boolean;
  /** Sentences for people, such as unknown fields that were kept. */
  readonly warnings: readonly string[];
}

export interface ListMetadata {
  /** Revision of the snapshot that the list was read from. */
  readonly resourceVersion: string;
  /** Where to go on, when a limit cut the list. */
  readonly continue?: string;
  /** About how many objects are left then. */
  readonly remainingItemCount?: number;
}

/** Values of fields as in the objects' JSON, and how many matches have them: most frequent first, ties in the index's order. */
export type Facets = Readonly<Record<string, readonly FacetCount[]>>;

export interface ListPage extends Page {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMetadata;
  readonly items: readonly ExtensionObject[];
  /** By each field that was asked for, its most frequent values among all matches. Absent: none was asked for. */
  readonly facets?: Facets;
  /** Objects that are left out, though `total` counts them: they cannot be converted to this version. Absent: none. */
  readonly warnings?: readonly string[];
}

/** How a list would be answered, see docs/guides/lists.md. Costs are in index entries to read, or work worth as much. */
export interface ListExplanation {
  readonly kind: 'ListExplanation';
  readonly apiVersion: string;
  readonly resource: string;
  readonly condition: string;
  readonly method: 'walk' | 'ranks' | 'sort';
  readonly description: string;
  /** The index that is walked or that gave the order; null when matches are sorted. */
  readonly index: string | null;
  readonly direction: 'asc' | 'desc' | null;
  readonly bounds: string;
  readonly sorts: boolean;
  readonly filters: readonly {
    readonly condition: string;
    /** A set kept in memory, the index, or the matches' records one by one. */
    readonly from: 'memory' | 'index' | 'records';
    readonly matches: number;
  }[];
  readonly total: number;
  readonly entriesRead: number;
  readonly recordsRead: number;
  /** What the list itself would read. */
  readonly objectsRead: number;
  readonly alternatives: readonly {
    readonly method: 'walk' | 'ranks' | 'sort';
    /** Null when it was not possible. */
    readonly cost: number | null;
    readonly reason: string;
  }[];
}

/** Which part of an object's history. */
export interface HistoryOptions {
  /** At most so many changes; an answer may have fewer. 0, or absent: as many as one answer has room for. */
  readonly limit?: number;
  /** Where an answer before said to go on. */
  readonly continue?: string;
}

/** A field that a change made another one. */
export interface FieldChange {
  /** Dotted, as in the messages of a refusal: `spec.tags[2]`. */
  readonly path: string;
  /** Absent when the field was added. */
  readonly from?: unknown;
  /** Absent when the field was removed. */
  readonly to?: unknown;
}

/** One change of an object. */
export interface HistoryItem {
  readonly resourceVersion: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly time: string;
  /** Who wrote; absent where nobody is asked. */
  readonly user?: string;
  /** What was asked for. */
  readonly verb: WriteVerb;
  /** Without what the service sets; empty for a create. */
  readonly changes: readonly FieldChange[];
}

/** Changes of an object, newest first; also those of objects that had its name before. */
export interface HistoryPage {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    /** Of the store. */
    readonly resourceVersion: string;
    /** The first revision that the log keeps. */
    readonly oldest: string;
    /** Where to go on; absent when the log has no more. */
    readonly continue?: string;
  };
  readonly items: readonly HistoryItem[];
  /** Some states are compared as they were stored, for they cannot be converted to this version. Absent: none. */
  readonly warnings?: readonly string[];
}

/** Which part of the objects that have to do with another one. */
export interface RelatedOptions {
  /** Of each field, or model, at most so many objects are named. Default 10. */
  readonly limit?: number;
}

/** Objects that refer to an object by one field of their model. A field selector with that field lists all of them. */
export interface FieldReferrers {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Dotted path, by which lists can select. */
  readonly field: string;
  /** What the deletion of the object does to them. */
  readonly onDelete: DeletePolicy;
  readonly total: number;
  /** The first of them, oldest first. */
  readonly names: readonly string[];
}

/** Whoever refers to an object, by model and field; also fields by which nobody does. */
export interface ReferrerList {
  readonly items: readonly FieldReferrers[];
}

/** Objects of a model that an object owns. */
export interface ModelDependents {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly total: number;
  /** How many of them name another owner as well, which keeps them as long as it is there. */
  readonly shared: number;
  /** How many of them are being deleted. */
  readonly deleting: number;
  /** The first of them, oldest first. */
  readonly names: readonly string[];
}

/** What an object owns, by model; models of which it owns nothing are left out. */
export interface DependentList {
  readonly items: readonly ModelDependents[];
}

/** Names a model: all that is needed to address it. */
export type ResourceRef = Pick<Resource, 'group' | 'version' | 'kind' | 'plural'>;

export type BatchItem = { readonly resource: ResourceRef } & (
  | { readonly verb: 'create'; readonly object: unknown }
  | { readonly verb: 'update'; readonly name: string; readonly object: unknown }
  | { readonly verb: 'patch'; readonly name: string; readonly patch: unknown; readonly type: PatchType }
  | { readonly verb: 'delete'; readonly name: string; readonly propagationPolicy?: PropagationPolicy }
);

export interface BatchResult {
  readonly resourceVersion: string;
  /** One for each item, in their order. */
  readonly items: readonly WriteResult[];
}

/** Which changes are told, and from where on. */
export interface WatchOptions extends Pick<
  ListOptions,
  'labelSelector' | 'fieldSelector' | 'filter' | 'query'
> {
  /** Only the object of this name; there need be none yet. */
  readonly name?: string;
  /**
   * Changes after this revision are told. Absent, or 0: the objects there are come first, as `ADDED`, then what
   * changes after them.
   */
  readonly resourceVersion?: string;
  /** From time to time a `BOOKMARK` tells a revision to go on from when nothing else did. Default false. */
  readonly bookmarks?: boolean;
  /**
   * True: the objects there are come first whatever `resourceVersion` is, and then a `BOOKMARK` with the annotation
   * `k8s.io/initial-events-end`. False: only changes come, without a `resourceVersion` those from now on.
   */
  readonly sendInitialEvents?: boolean;
  /** More conditions are refused: each change is compared with all of them. Default: no limit. */
  readonly conditionsMax?: number;
  /** Reads the objects there are. Only in process. Default: no limits. */
  readonly work?: Work;
  /** The watch ends by itself after so many milliseconds. */
  readonly timeoutMs?: number;
  /** Ends the watch, without an error. */
  readonly signal?: AbortSignal;
  /**
   * Told of objects that cannot be converted to the version asked for: no event comes of them, and the watch goes on.
   * Default: nobody is told.
   */
  readonly onError?: (error: ServiceError) => void;
}

/**
 * What a watch tells. An object that begins to match the selectors is `ADDED`, one that stops is `DELETED`. A
 * `DELETED` object is as it was last known, but its `resourceVersion` is that of the change.
 */
export type WatchEvent<T = ExtensionObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: BookmarkObject };

/** Names a revision up to which everything was told. */
export interface BookmarkObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/**
 * What can be done with objects, the same in process and over HTTP. Errors are `ServiceError` on both sides.
 * Writes are on disk when the promise resolves (unless durability was given up).
 */
export interface Verbs {
  /**
   * Every model that is served, by group, version, plural.
   * @param named what a person calls the one model that is wanted: where it is there, others may be missing
   * @throws ServiceUnavailable while a server starts, and models may be missing
   */
  resources(named?: string): Promise<readonly Resource[]>;
  /** @throws NotFound */
  get(resource: ResourceRef, name: string): Promise<ExtensionObject>;
  /**
   * The object as it was when the store was at a revision.
   * @throws NotFound when there was none, Expired when the log no longer tells of it, BadRequest for one yet to come
   */
  getAt(resource: ResourceRef, name: string, resourceVersion: string): Promise<ExtensionObject>;
  /** What changed an object, newest first, also of one that is gone. @throws NotFound when the log knows of none either */
  history(resource: ResourceRef, name: string, options?: HistoryOptions): Promise<HistoryPage>;
  /** Whoever refers to the object of a name, whether it is there or not. @throws NotFound for a model that is not served */
  referrers(resource: ResourceRef, name: string, options?: RelatedOptions): Promise<ReferrerList>;
  /** What an object owns. @throws NotFound when there is no such object */
  dependents(resource: ResourceRef, name: string, options?: RelatedOptions): Promise<DependentList>;
  /** Several by name, in the order asked for; undefined where there is none. */
  getMany(resource: ResourceRef, names: readonly string[]): Promise<(ExtensionObject | undefined)[]>;
  list(resource: ResourceRef, options?: ListOptions): Promise<ListPage>;
  /**
   * Every match, read as they are consumed; `page` and `size` are ignored. When some cannot be converted to the version
   * asked for, the others come, and then an `InternalError` that names them.
   */
  listAll(resource: ResourceRef, options?: ListOptions): AsyncIterable<ExtensionObject>;
  /**
   * Changes in the order of their revisions, none left out, none twice. Errors are thrown to who iterates: `Expired`
   * when the log no longer has what follows `resourceVersion`, when the store never had that revision, or when the
   * reader is too slow; `NotFound` or `ServiceUnavailable` when the model goes. Who stops early must do so by
   * `signal`, unless the watch is not being waited for.
   */
  watch(resource: ResourceRef, options?: WatchOptions): AsyncIterable<WatchEvent>;
  /** How a list would be answered; its objects are not read. */
  explain(resource: ResourceRef, options?: ListOptions): Promise<ListExplanation>;
  create(resource: ResourceRef, object: ObjectDraft, options?: WriteOptions): Promise<WriteResult>;
  /** Replaces the object (its `status` stays when none is given). @throws NotFound, Conflict */
  update(
    resource: ResourceRef,
    name: string,
    object: ObjectDraft,
    options?: WriteOptions,
    subresource?: Subresource,
  ): Promise<WriteResult>;
  patch(
    resource: ResourceRef,
    name: string,
    patch: unknown,
    type: PatchType,
    options?: WriteOptions,
    subresource?: Subresource,
  ): Promise<WriteResult>;
  delete(resource: ResourceRef, name: string, options?: DeleteOptions): Promise<WriteResult>;
  /** All items, of any models, in one commit, or none. The error names the item: `items[<i>].<field>`. */
  batch(items: readonly BatchItem[], options?: WriteOptions): Promise<BatchResult>;
  close(): Promise<void>;
}
