import type { ServiceError } from '../errors.js';
import type { Allowance } from '../lib/work/allowance.js';
import type { Work } from '../lib/work/work.js';
import type { NameParts } from '../model/full-name.js';
import type { ExtensionObject, ObjectDraft } from '../model/object.js';
import type { PropagationPolicy } from '../model/owner-references.js';
import type { DeletePolicy } from '../model/references/reference.js';
import type { Resource } from '../model/resource.js';
import type { ListGroups } from '../list/aggregates/aggregates.js';
import type { FacetCount } from '../list/facets/facets.js';
import type { GetOptions, ListOptions, Page } from '../query/list-options.js';
import type { WriteVerb } from '../store/log/log.js';
import type { WrittenChange, StoreTransaction } from '../store/transaction.js';
import type { FindWriteScope } from './scope/write-scope.js';
import type { WriteOrigin } from './write-origin.js';

/** Handling of fields that no schema declares: refused, kept with a warning, or kept silently. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/**
 * Checks all changes of a commit, within it, and throws to refuse it. Like every commit it may run more than once.
 */
export type CommitCheck = (tx: StoreTransaction, changes: readonly WrittenChange[]) => void;

/** True when objects of a model may be named to the sender. */
export type MayList = (model: Pick<Resource, 'group' | 'plural'>) => boolean;

export interface WriteOptions {
  /** Decides and answers as usual, but stores nothing. */
  readonly dryRun?: boolean;
  /** Default `Warn`. */
  readonly fieldValidation?: FieldValidation;
  /** Writes only when the stored object has one of these `resourceVersion`s; else `PreconditionFailed`. */
  readonly ifMatch?: readonly string[];
  /**
   * The author of the write. Plugins may not use reserved label and annotation keys. Default: a person or a script.
   */
  readonly author?: 'plugin';
  /** The user of the request's token, for the log. Only in process. Default: the service's own user. */
  readonly user?: string;
  /** The groups of that user. Only in process. Default: none. */
  readonly groups?: readonly string[] | undefined;
  /** True for upkeep that must not wait for anybody: nobody is asked about it. Only in process. */
  readonly isUnreviewed?: boolean;
  /** Only in process. */
  readonly admission?: CommitCheck | undefined;
  /** Objects of other models are counted in a refusal, but not named. Only in process. Default: all models. */
  readonly mayList?: MayList | undefined;
  /** The objects and fields that the sender may write. Only in process. Default: all. */
  readonly scopeOf?: FindWriteScope | undefined;
  /** The name under which fields of the object are owned. Default: that of the client, or of the service. */
  readonly fieldManager?: string | undefined;
  /** An apply takes fields from other managers instead of a conflict. */
  readonly forceConflicts?: boolean | undefined;
  /** Called before an apply creates the object. Only in process. @throws ServiceError `Forbidden` */
  readonly authorizeCreate?: (() => void) | undefined;
  /** The work that the request may cause. Only in process. Default: one for the request. */
  readonly allowance?: Allowance | undefined;
  /** Most bytes of JSON for all objects of a batch together, each item counted once. Only in process. Default: no limit. */
  readonly bytesMax?: number | undefined;
  /** For the logs of changes and of the audit. Only in process. Default: derived from user and author. */
  readonly origin?: WriteOrigin | undefined;
}

export interface DeleteOptions extends WriteOptions {
  /** Kubernetes' preconditions; a mismatch is a `Conflict`. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Removes the object at once, without regard to finalizers: the work that they stand for is then never done. */
  readonly forceFinalizers?: boolean;
  /**
   * Default: the policy of the object's finalizers, else `Background`. A running service carries out the policy;
   * until then a finalizer keeps the object, except for `Background`.
   */
  readonly propagationPolicy?: PropagationPolicy;
}

/** The part of the object that a write may change. */
export type Subresource = 'status' | 'finalize' | undefined;

/** The part of the object that the body of a write is; with `scale`, it is a `Scale`. */
export type WrittenPart = Subresource | 'scale';

export type PatchType = 'merge' | 'json';

/** `apply`: the fields that a manager states; the others stay, except those that it stated before. */
export type StatedPatchType = PatchType | 'apply';

/** `strategic`: only for models whose scheme applies such patches. */
export type AcceptedPatchType = StatedPatchType | 'strategic';

export interface WriteResult<T = ExtensionObject> {
  /** The object as it is stored now; after a delete, its last state. */
  readonly object: T;
  /** False when the write changed nothing, so nothing was stored. */
  readonly changed: boolean;
  /** Sentences for people, such as unknown fields that were kept. */
  readonly warnings: readonly string[];
}

export interface ListMetadata {
  /** Revision of the snapshot that the list was read from. */
  readonly resourceVersion: string;
  /** The token of the next part, when a limit cut the list. */
  readonly continue?: string;
  /** Approximate number of objects in the parts that follow. */
  readonly remainingItemCount?: number;
}

/**
 * Values of fields as in the objects' JSON, and the number of matches with each: most frequent first, ties in the
 * index's order.
 */
export type Facets = Readonly<Record<string, readonly FacetCount[]>>;

/**
 * Objects that references name, each once: by `<plural>.<group>` of their model, or the plural alone for the empty group, and
 * by `<name>`, or `<namespace>/<name>` for objects in namespaces. They are in the version in which they are stored.
 */
export type Included = Readonly<Record<string, Readonly<Record<string, ExtensionObject>>>>;

/** The part of an answer that `expand` requests. */
export interface WithIncluded {
  /** Absent: no references were to be followed. */
  readonly included?: Included;
}

export interface ListPage extends Page, Partial<ListGroups>, WithIncluded {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMetadata;
  readonly items: readonly ExtensionObject[];
  /** The most frequent values among all matches, for each requested field. Absent: none was requested. */
  readonly facets?: Facets;
  /**
   * Objects that are left out, though `total` counts them: they cannot be converted to this version. Absent: none.
   */
  readonly warnings?: readonly string[];
}

/** The plan of a list, see docs/guides/lists.md. Costs are in index entries to read, or work of the same cost. */
export interface ListExplanation {
  readonly kind: 'ListExplanation';
  readonly apiVersion: string;
  readonly resource: string;
  readonly condition: string;
  readonly method: 'walk' | 'ranks' | 'sort' | 'relevance';
  readonly description: string;
  /** The index that is walked or that gave the order; null when matches are sorted, or ordered by relevance. */
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
  /** The search. Absent: none. */
  readonly search?: {
    /** Its parts: `word`, `prefix*`, `"two words"`, `-word`. */
    readonly words: readonly string[];
    readonly matches: number;
    /** The matches of an earlier list, kept in memory, or the text index. */
    readonly from: 'memory' | 'index';
    /** Segments of the text index, and its rows of changed objects that are not in segments yet. */
    readonly segments: number;
    readonly freshRows: number;
    /** Objects of the words, each counted once for each word. */
    readonly entriesRead: number;
  };
  /** The fields of the aggregates. Absent: none. */
  readonly aggregates?: readonly {
    readonly field: string;
    /** Values kept in memory, the index, or the matches' records one by one. */
    readonly from: 'memory' | 'index' | 'records';
  }[];
  readonly total: number;
  readonly entriesRead: number;
  readonly recordsRead: number;
  /** Number of objects that the list itself would read. */
  readonly objectsRead: number;
  readonly alternatives: readonly {
    readonly method: 'walk' | 'ranks' | 'sort';
    /** Null when the method was not possible. */
    readonly cost: number | null;
    readonly reason: string;
  }[];
}

/** Selects a part of an object's history. */
export interface HistoryOptions {
  /** Most changes in the answer; it may have fewer. 0, or absent: as many as one answer can contain. */
  readonly limit?: number;
  /** The token of the previous answer. */
  readonly continue?: string;
}

/** A field whose value a change replaced. */
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
  /** The user of the write; absent where users are not authenticated. */
  readonly user?: string;
  /** The interface that the sender used: `mcp` for agents; absent for all other writes. */
  readonly via?: string;
  /** The requested verb. */
  readonly verb: WriteVerb;
  /** Without the fields that the service sets; empty for a create. */
  readonly changes: readonly FieldChange[];
}

/** Changes of an object, newest first; also those of earlier objects with the same name. */
export interface HistoryPage {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: NameParts & {
    /** The revision of the store. */
    readonly resourceVersion: string;
    /** The first revision that the log keeps. */
    readonly oldest: string;
    /** The token of the next part; absent when the log has no more. */
    readonly continue?: string;
  };
  readonly items: readonly HistoryItem[];
  /** Some states cannot be converted to this version and are compared as stored. Absent: none. */
  readonly warnings?: readonly string[];
}

/** Selects a part of the changes of a model's objects. */
export interface ModelHistoryOptions extends HistoryOptions {
  /** Only changes from this time on: RFC 3339, or an age like `1h` by the clock of the service. */
  readonly since?: string;
  /** Only changes of this user. */
  readonly user?: string;
  /** True: each change has the state of its object before it. */
  readonly before?: boolean;
}

/** One change of one of a model's objects, with the name of the object, which may be deleted. */
export interface ModelHistoryItem extends HistoryItem, NameParts {
  /** The object before the change, on request; absent for a create, and when it cannot be converted. */
  readonly before?: ExtensionObject;
}

/** Changes of a model's objects, newest first. */
export interface ModelHistoryPage {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    /** The revision of the store. */
    readonly resourceVersion: string;
    /** The first revision that the log keeps. */
    readonly oldest: string;
    /** The time of that revision; absent in an empty log. */
    readonly oldestTime?: string;
    /** The requested start as a time: an age means another one in each request. */
    readonly since?: string;
    /** The token of the next part, which a part without changes may have too. */
    readonly continue?: string;
  };
  readonly items: readonly ModelHistoryItem[];
  /** Some states cannot be converted to this version and are compared as stored. Absent: none. */
  readonly warnings?: readonly string[];
}

/** Selects a part of the objects that are related to an object. */
export interface RelatedOptions {
  /** Most objects that are named for each field or model. Default 10. */
  readonly limit?: number;
}

/**
 * Objects that refer to an object by one field of their model. A field selector with that field lists all of them.
 */
export interface FieldReferrers {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Dotted path, which field selectors accept. */
  readonly field: string;
  /** The effect of the object's deletion on them. */
  readonly onDelete: DeletePolicy;
  readonly total: number;
  /** The full names of the first of them, oldest first: `<namespace>/<name>` for objects in namespaces. */
  readonly names: readonly string[];
}

/** The objects that refer to an object, by model and field; also fields without such objects. */
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
  /** Number of them with another owner, which keeps them as long as it exists. */
  readonly shared: number;
  /** Number of them that are being deleted. */
  readonly deleting: number;
  /** The full names of the first of them, oldest first: `<namespace>/<name>` for objects in namespaces. */
  readonly names: readonly string[];
}

/** The objects that an object owns, by model; models without such objects are left out. */
export interface DependentList {
  readonly items: readonly ModelDependents[];
}

/** Identifies a model: all that is needed to address it. */
export type ResourceRef = Pick<Resource, 'group' | 'version' | 'kind' | 'plural' | 'scope' | 'storedGroup'>;

export type BatchItem = { readonly resource: ResourceRef } &
  /** The uid of a new object is only stated in process: that of a trial before. */
  (
    | { readonly verb: 'create'; readonly object: unknown; readonly uid?: string | undefined }
    | { readonly verb: 'update'; readonly name: string; readonly object: unknown }
    | { readonly verb: 'patch'; readonly name: string; readonly patch: unknown; readonly type: PatchType }
    | ({ readonly verb: 'delete'; readonly name: string } & Pick<
        DeleteOptions,
        'propagationPolicy' | 'preconditions'
      >)
  );

export interface BatchResult {
  readonly resourceVersion: string;
  /** One for each item, in their order. */
  readonly items: readonly WriteResult[];
}

/** An object that the undo of a commit changes. */
export interface UndoneItem {
  /** Of the undo: `create` for an object that the commit deleted. */
  readonly verb: 'create' | 'update' | 'delete';
  readonly resource: Pick<Resource, 'group' | 'version' | 'kind' | 'plural'>;
  /** The full name. */
  readonly name: string;
  /** True when it overwrites later changes, with `force`. */
  readonly isOverwritten: boolean;
}

/** Options of the undo of a commit. */
export interface UndoOptions extends WriteOptions {
  /** Overwrites later changes of the same objects. Default: they are refused. */
  readonly force?: boolean;
  /** Throws when the sender may not change an object like that. Only in process. */
  readonly check?: ((item: UndoneItem) => void) | undefined;
}

export interface UndoResult {
  readonly resourceVersion: string;
  readonly items: readonly UndoneItem[];
}

/** Selects the changes of a watch, and its start. */
export interface WatchOptions extends Pick<
  ListOptions,
  'namespace' | 'labelSelector' | 'fieldSelector' | 'filter' | 'query'
> {
  /** Only the object of this full name, which need not exist yet. */
  readonly name?: string;
  /**
   * The watch starts after this revision. Absent, or 0: the existing objects come first, as `ADDED`, then the changes
   * after them.
   */
  readonly resourceVersion?: string;
  /** A `BOOKMARK` reports a revision to resume from at intervals without other events. Default false. */
  readonly bookmarks?: boolean;
  /**
   * True: the existing objects come first for any `resourceVersion`, and then a `BOOKMARK` with the annotation
   * `k8s.io/initial-events-end`. False: only changes come, without a `resourceVersion` those from now on.
   */
  readonly sendInitialEvents?: boolean;
  /**
   * Most conditions of the watch; more are refused, because each change is compared with all of them. Default: no
   * limit.
   */
  readonly conditionsMax?: number;
  /** Limits the reading of the existing objects. Only in process. Default: no limits. */
  readonly work?: Work;
  /** The watch ends after this many milliseconds. */
  readonly timeoutMs?: number;
  /** Ends the watch, without an error. */
  readonly signal?: AbortSignal;
  /**
   * Called with the error of an object that cannot be converted to the requested version. The watch sends no event
   * for it, and continues. Default: such errors are ignored.
   */
  readonly onError?: (error: ServiceError) => void;
}

/**
 * An event of a watch. An object that begins to match the selectors is `ADDED`, one that stops is `DELETED`. A
 * `DELETED` object has its last known state, but the `resourceVersion` of the change.
 */
export type WatchEvent<T = ExtensionObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: BookmarkObject };

/** A revision up to which all changes were sent. */
export interface BookmarkObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/**
 * The verbs on objects, the same in process and over HTTP. Errors are `ServiceError` on both sides. Writes are on
 * disk when the promise resolves (unless durability was turned off).
 */
export interface Verbs {
  /**
   * Every model that is served, by group, version, plural.
   * @param named a person's name of the one model that is wanted: when it is served, others may be missing
   * @throws ServiceUnavailable while a server starts, and models may be missing
   */
  resources(named?: string): Promise<readonly Resource[]>;
  /** @throws NotFound */
  get(resource: ResourceRef, name: string, options?: GetOptions): Promise<ExtensionObject & WithIncluded>;
  /**
   * The state of the object at a revision of the store.
   * @throws NotFound when it did not exist, Expired when the log no longer has it, BadRequest for a future revision
   */
  getAt(resource: ResourceRef, name: string, resourceVersion: string): Promise<ExtensionObject>;
  /**
   * The changes of an object, newest first, also of a deleted one.
   * @throws NotFound when the log has no such object either
   */
  history(resource: ResourceRef, name: string, options?: HistoryOptions): Promise<HistoryPage>;
  /** The changes of all objects of a model, newest first, also of deleted ones. */
  modelHistory(resource: ResourceRef, options?: ModelHistoryOptions): Promise<ModelHistoryPage>;
  /**
   * The objects that refer to the object of a name, which need not exist.
   * @throws NotFound for a model that is not served
   */
  referrers(resource: ResourceRef, name: string, options?: RelatedOptions): Promise<ReferrerList>;
  /**
   * The objects that an object owns.
   * @throws NotFound when the object does not exist
   */
  dependents(resource: ResourceRef, name: string, options?: RelatedOptions): Promise<DependentList>;
  /** Several objects by name, in the order of the names; undefined for a missing object. */
  getMany(resource: ResourceRef, names: readonly string[]): Promise<(ExtensionObject | undefined)[]>;
  list(resource: ResourceRef, options?: ListOptions): Promise<ListPage>;
  /**
   * Every match, read as they are consumed; `page` and `size` are ignored. When some cannot be converted to the
   * requested version, the others come first, and then an `InternalError` that names them.
   */
  listAll(resource: ResourceRef, options?: ListOptions): AsyncIterable<ExtensionObject>;
  /**
   * Changes in the order of their revisions, each exactly once. The iterator throws errors: `Expired` when the log no
   * longer has the changes after `resourceVersion`, when the store never had that revision, or when the reader is too
   * slow; `NotFound` or `ServiceUnavailable` when the model is no longer served. To stop early, abort the `signal`,
   * unless the caller is not waiting for the next event.
   */
  watch(resource: ResourceRef, options?: WatchOptions): AsyncIterable<WatchEvent>;
  /** The plan of a list; its objects are not read. */
  explain(resource: ResourceRef, options?: ListOptions): Promise<ListExplanation>;
  create(resource: ResourceRef, object: ObjectDraft, options?: WriteOptions): Promise<WriteResult>;
  /**
   * Replaces the object (its `status` stays when none is given).
   * @throws NotFound, Conflict
   */
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
    type: StatedPatchType,
    options?: WriteOptions,
    subresource?: Subresource,
  ): Promise<WriteResult>;
  delete(resource: ResourceRef, name: string, options?: DeleteOptions): Promise<WriteResult>;
  /** Writes all items, of any models, in one commit, or none. The error names the item: `items[<i>].<field>`. */
  batch(items: readonly BatchItem[], options?: WriteOptions): Promise<BatchResult>;
  /**
   * Takes back all that a commit did, in one commit: created objects are deleted, deleted ones come again with their uids, also
   * those that were deleted later because their owner, namespace or referred object was. Status and finalizers stay as they are,
   * unless the commit changed them.
   * @param revision of any change of the commit
   * @throws Conflict with the names of objects that were changed after the commit, unless forced; Expired
   */
  undoCommit(revision: string, options?: UndoOptions): Promise<UndoResult>;
  close(): Promise<void>;
}
