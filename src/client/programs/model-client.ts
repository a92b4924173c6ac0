import { isRecord } from '../../lib/json/json.js';
import { hasReason, isNotServed, misuse } from './api-error.js';
import { follow } from './follow.js';
import { openLive, type LiveList } from './live.js';
import { PATCH_CONTENT_TYPES, type RequestOptions } from '../transport.js';
import { ModelRequests, type ModelTarget, type ServiceRequests } from './served-model.js';
import {
  WATCH_PARAMETERS,
  type ApiObject,
  type CallOptions,
  type DeleteParameters,
  type Draft,
  type Expanded,
  type GetParameters,
  type ListAllParameters,
  type ListParameters,
  type ModelEvent,
  type ModelWatch,
  type ObjectPage,
  type PatchParameters,
  type ReplaceParameters,
  type WatchParameters,
  type WriteParameters,
} from './types.js';

/** Objects in each part of a whole list. */
const PART_SIZE = 500;
/** Objects without their content: only the fact of a change matters. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
/** Tries to apply an object that others create and delete meanwhile. */
const APPLY_MAX = 5;

const WATCH = { watch: true, allowWatchBookmarks: true };
/** Of a watch without a revision. */
const BEGINNING = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
const FROM_NOW = { ...BEGINNING, sendInitialEvents: false };

/** The objects of one model. Errors are {@link ApiError}. */
export class ModelClient<T extends object = ApiObject> {
  readonly #requests: ModelRequests;

  /** @internal */
  constructor(
    service: ServiceRequests,
    name: string,
    private readonly namespace: string | undefined,
  ) {
    this.#requests = new ModelRequests(service, name);
  }

  /** @throws ApiError `NotFound` */
  get(name: string, options: GetParameters = {}): Promise<T & Expanded> {
    const { namespace, signal, ...parameters } = options;
    return this.#object({ namespace, name }, { query: toQuery(parameters), signal });
  }

  /** A list, or one page of it. */
  async list(options: ListParameters = {}): Promise<ObjectPage<T>> {
    const { namespace = this.namespace, signal, ...parameters } = options;
    const body = await this.#requests.request({ namespace }, { query: toQuery(parameters), signal });
    if (isPage<T>(body)) return body;
    throw this.#requests.malformed('not a list');
  }

  /** Every match, in order, read in parts: changes meanwhile neither hide nor repeat an object. */
  async *listAll({ limit = PART_SIZE, ...parameters }: ListAllParameters = {}): AsyncGenerator<T, undefined> {
    let part: ListParameters = { ...parameters, limit };
    for (;;) {
      const { items, metadata } = await this.list(part);
      yield* items;
      if (metadata.continue === undefined) return;
      part = { ...part, continue: metadata.continue };
    }
  }

  /** @throws ApiError `AlreadyExists`, `Invalid` */
  create(object: Draft<T>, options: WriteParameters = {}): Promise<T> {
    return this.#write('POST', undefined, withNamespace(options, object), { body: object });
  }

  /**
   * Replaces the object of that name. A status that is absent stays.
   * @throws ApiError `NotFound`, `Invalid`; `Conflict` when `metadata` has another version than the stored object
   */
  async update(object: Draft<T>, options: ReplaceParameters = {}): Promise<T> {
    return this.#write('PUT', getName(object), withNamespace(options, object), { body: object });
  }

  /**
   * Creates the object, or writes its members into the stored object, whose other members stay. Null removes a member.
   * @throws ApiError as {@link ModelClient.create} and {@link ModelClient.update}
   */
  async apply(object: Draft<T>, options: WriteParameters = {}): Promise<T> {
    const name = getName(object);
    for (let left = APPLY_MAX; ; left--) {
      try {
        return await this.patch(name, object, withNamespace(options, object));
      } catch (error) {
        if (!hasReason(error, 'NotFound') || isNotServed(error)) throw error;
      }
      try {
        return await this.create(object, options);
      } catch (error) {
        if (left === 1 || !hasReason(error, 'AlreadyExists')) throw error;
      }
    }
  }

  /** Changes members of an object. */
  patch(name: string, patch: object, options: PatchParameters = {}): Promise<T> {
    const { type = Array.isArray(patch) ? 'json' : 'merge', ...others } = options;
    const contentType = PATCH_CONTENT_TYPES[type];
    return this.#write('PATCH', name, others, { body: patch, contentType });
  }

  /** Resolves with the last state of the object; with finalizers it exists until they are removed. */
  delete(name: string, options: DeleteParameters = {}): Promise<T> {
    return this.#write('DELETE', name, options);
  }

  /**
   * The changes of the objects. It resumes by itself after an interruption.
   * @throws ApiError from the loop: the first request failed, or the service refuses a later one
   */
  watch(options: WatchParameters = {}): ModelWatch<T> {
    const { namespace = this.namespace, name, signal: ending, resourceVersion, bookmarks, onError } = options;
    const stop = new AbortController();
    const signal = ending === undefined ? stop.signal : AbortSignal.any([ending, stop.signal]);
    const selection = getSelection(options);
    const open = (after: string | undefined): Promise<Response> => {
      const position = after === undefined ? BEGINNING : { resourceVersion: after };
      const query = toQuery({ ...selection, ...WATCH, ...position });
      return this.#requests.open({ namespace, name }, { query, signal });
    };
    const from = resourceVersion === '0' ? undefined : resourceVersion;
    const stream = follow({ open, from, hasInitial: true, isFirst: true, onError, signal });
    const events = (async function* (): AsyncGenerator<ModelEvent<T>, undefined> {
      for await (const event of stream)
        if ((event.type !== 'BOOKMARK' || bookmarks === true) && isModelEvent<T>(event)) yield event;
    })();
    const close = (): void => stop.abort();
    return {
      close,
      [Symbol.asyncIterator]: () => ({
        next: () => events.next(),
        return: () => {
          close();
          return events.return(undefined);
        },
      }),
    };
  }

  /**
   * A list that is kept current: it is read again when a watch reports a change of the selected objects. Objects of other models,
   * which `expand` includes or `ref(..)` names, are not watched: their changes appear with the next reading, such as by
   * {@link LiveList.refresh}.
   */
  live(options: ListParameters = {}): LiveList<T> {
    const { namespace = this.namespace } = options;
    let selection: object = getSelection(options);
    const open = async (after: string | undefined, signal: AbortSignal): Promise<Response> => {
      const position = after === undefined ? FROM_NOW : { resourceVersion: after };
      const query = toQuery({ ...selection, ...WATCH, ...position });
      try {
        return await this.#requests.open({ namespace }, { query, signal, accept: METADATA_ONLY });
      } catch (error) {
        // Some conditions are only for lists, such as those on the targets of references: then every change counts.
        if (!hasReason(error, 'BadRequest') || Object.keys(selection).length === 0) throw error;
        selection = {};
        return open(after, signal);
      }
    };
    return openLive({ list: (signal) => this.list({ ...options, signal }), open }, options.signal);
  }

  #write(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    name: string | undefined,
    options: DeleteParameters & ReplaceParameters,
    content: { readonly body?: unknown; readonly contentType?: string } = {},
  ): Promise<T> {
    const { namespace, signal, ifMatch, subresource, ...parameters } = options;
    const precondition = ifMatch === undefined ? {} : { ifMatch: [ifMatch] };
    const request = { method, query: writeQuery(parameters), signal, ...content, ...precondition };
    return this.#object({ namespace, name, subresource }, request);
  }

  async #object({ namespace = this.namespace, ...target }: ModelTarget, request: RequestOptions): Promise<T> {
    const body = await this.#requests.request({ namespace, ...target }, request);
    if (isObject<T>(body)) return body;
    throw this.#requests.malformed('not an object');
  }
}

/** The parameters of a URL. Members that are undefined are left out, and lists are repeated. */
function toQuery(parameters: object): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const one of [value ?? []].flat()) query.append(name, String(one));
  return query;
}

export function writeQuery({ dryRun, ...parameters }: WriteParameters): URLSearchParams {
  return toQuery({ ...parameters, ...(dryRun === true && { dryRun: 'All' }) });
}

/** The parameters that a list and a watch have in common. */
function getSelection(options: WatchParameters): object {
  return Object.fromEntries(
    WATCH_PARAMETERS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

function withNamespace<O extends CallOptions>(options: O, { metadata }: Draft<object>): O {
  return metadata.namespace === undefined ? options : { namespace: metadata.namespace, ...options };
}

function getName({ metadata }: Draft<object>): string {
  if (metadata.name !== undefined) return metadata.name;
  throw misuse('the object has no metadata.name');
}

/** The content of an object is that of the caller's model: it is not checked further. */
function isObject<T>(value: unknown): value is T {
  return isRecord(value) && isRecord(value.metadata);
}

function isPage<T>(value: unknown): value is ObjectPage<T> {
  return isRecord(value) && isRecord(value.metadata) && Array.isArray(value.items) && 'total' in value;
}

function isModelEvent<T>(event: { readonly type: string }): event is ModelEvent<T> {
  return ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'RELIST'].includes(event.type);
}
