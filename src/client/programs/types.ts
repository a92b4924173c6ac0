import type { ExtensionMetadata } from '../../model/object.js';
import type { PropagationPolicy } from '../../model/owner-references.js';
import type { GetOptions, ListOptions, MatchOptions } from '../../query/list-options.js';
import type { FieldValidation, Included, ListPage, PatchType } from '../../service/verbs.js';
import type { ApiError } from './api-error.js';

export interface ClientOptions {
  /** The URL of the service, such as `http://127.0.0.1:8090`. For its own pages it is `location.origin`. */
  readonly server: string;
  /** Sent as `Authorization: Bearer`. A function is called for each request, so that it may renew the token. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Called with the warnings of answers, for instance about fields that a schema does not declare. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** The members that every object has. Types written by `xsvc types` have more. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ExtensionMetadata;
  [field: string]: unknown;
}

/** An object to write. The model decides about `apiVersion` and `kind`, and the service sets the rest of the metadata. */
export type Draft<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: DraftMetadata;
};

export interface DraftMetadata extends Pick<
  ExtensionMetadata,
  'generateName' | 'namespace' | 'labels' | 'annotations' | 'finalizers' | 'ownerReferences'
> {
  /** May be absent in a create with `generateName`. */
  readonly name?: string;
  /** The version that an update replaces; another stored one is a `Conflict`. */
  readonly version?: number;
  /** As `version`. */
  readonly resourceVersion?: string;
}

export interface CallOptions {
  /** The namespace of a namespaced model. Default: that of the model's client, else of the object. */
  readonly namespace?: string;
  /** Ends the request: it fails with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** The parameters of a list, as in its URL. */
export interface ListParameters extends Omit<ListOptions, 'query' | 'namespace'>, CallOptions {}

/** The parameters of a list that is read in parts. */
export interface ListAllParameters extends Omit<MatchOptions, 'query' | 'namespace'>, CallOptions {
  /** Objects in each part. Default 500. */
  readonly limit?: number;
}

export interface GetParameters extends GetOptions, CallOptions {}

/** A part of a list, with everything that its parameters requested. */
export interface ObjectPage<T> extends Omit<ListPage, 'items' | 'warnings'> {
  readonly items: readonly T[];
}

export interface WriteParameters extends CallOptions {
  /** Decides and answers as usual, but stores nothing. */
  readonly dryRun?: boolean;
  /** Fields that the schema does not declare are refused, kept with a warning, or kept. Default `Warn`. */
  readonly fieldValidation?: FieldValidation;
}

export interface ReplaceParameters extends WriteParameters {
  /** The `resourceVersion` that the stored object must have; another one is `PreconditionFailed`. */
  readonly ifMatch?: string;
  /** The part of the object that is written. Default: all but the status, which is written when it is given. */
  readonly subresource?: 'status';
}

export interface PatchParameters extends ReplaceParameters {
  /** Default: `json` (RFC 6902) for an array, `merge` (RFC 7396) for an object. */
  readonly type?: PatchType;
}

export interface DeleteParameters extends Omit<ReplaceParameters, 'subresource'> {
  readonly propagationPolicy?: PropagationPolicy;
}

/** The parameters that select objects. */
export const WATCH_PARAMETERS = ['labelSelector', 'fieldSelector', 'filter'] as const;

export interface WatchParameters extends Pick<ListOptions, (typeof WATCH_PARAMETERS)[number]>, CallOptions {
  /** Only the object of this name, which need not exist yet. */
  readonly name?: string;
  /** Only changes after this revision, such as that of a list. Absent: the existing objects come first, as `ADDED`. */
  readonly resourceVersion?: string;
  /** True: `BOOKMARK` events report revisions to resume from, the first one after the existing objects. */
  readonly bookmarks?: boolean;
  /** Called with the error of an object that cannot be converted to the version. The watch continues. */
  readonly onError?: (error: ApiError) => void;
}

/** An event of a watch. */
export type ModelEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /**
   * Changes were missed, because the log does not go back so far. The existing objects follow as `ADDED`: forget all others, which
   * may have been deleted.
   */
  | { readonly type: 'RELIST' }
  | {
      readonly type: 'BOOKMARK';
      readonly object: { readonly metadata: { readonly resourceVersion: string } };
    };

/** A watch that resumes by itself. It begins when it is iterated, and ends with `close`, with its signal, or with the loop. */
export interface ModelWatch<T> extends AsyncIterable<ModelEvent<T>> {
  close(): void;
}

/** An item of a batch, as over HTTP. */
export type BatchRequest = { readonly namespace?: string } & (
  | { readonly verb: 'create'; readonly object: object }
  | { readonly verb: 'update'; readonly name?: string; readonly object: object }
  | ({ readonly verb: 'patch'; readonly patch: unknown; readonly contentType?: string } & BatchName)
  | ({ readonly verb: 'delete'; readonly propagationPolicy?: PropagationPolicy } & BatchName)
);

interface BatchName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** The answer to a batch, with one item for each of the request. */
export interface BatchResponse {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly { readonly code: number; readonly object: ApiObject }[];
}

/** A part of an answer with the objects that references name. */
export interface Expanded {
  /** By `<plural>.<group>` and name. Absent: no references were to be followed. */
  readonly included?: Included;
}
