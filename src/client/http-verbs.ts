import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest, ServiceError, unavailable } from '../errors.js';
import { CONVERSION_FIELD } from '../service/write/conversion-causes.js';
import { isRecord } from '../lib/json/json.js';
import type { ExtensionObject, ObjectDraft } from '../model/object.js';
import { isNamespaced, joinFullName, namespacePrefix, splitFullName } from '../model/full-name.js';
import { getApiVersion, getPath, qualifiedPlural, type Resource } from '../model/resource.js';
import { ALL_OBJECTS } from '../model/subresource.js';
import { hasResource } from '../model/resolve-resource.js';
import type { GetOptions, ListOptions } from '../query/list-options.js';
import { LIST_PARAMETERS, SELECTORS, type ListParameterName } from '../query/list-parameters.js';
import type {
  BatchItem,
  BatchResult,
  DeleteOptions,
  DependentList,
  HistoryOptions,
  HistoryPage,
  ListExplanation,
  ListPage,
  ModelHistoryOptions,
  ModelHistoryPage,
  StatedPatchType,
  ReferrerList,
  RelatedOptions,
  ResourceRef,
  Subresource,
  UndoneItem,
  UndoOptions,
  UndoResult,
  Verbs,
  WatchEvent,
  WatchOptions,
  WithIncluded,
  WriteOptions,
  WriteResult,
} from '../service/verbs.js';
import {
  isBookmark,
  isDependentList,
  isExtensionObject,
  isHistoryPage,
  isListExplanation,
  isListPage,
  isModelHistoryPage,
  isReferrerList,
  isResource,
} from './answers.js';
import { JsonItemSplitter } from './json-items.js';
import { RemoteTransport, toServiceError } from './remote-transport.js';
import { getFailure } from './status.js';
import { splitLines } from './lines.js';
import { PATCH_CONTENT_TYPES, type Answer, type RemoteOptions } from './transport.js';

const MODELS_PATH = '/apis/api.platform.run/v1alpha1/models';
const BATCH_PATH = '/apis/api.platform.run/v1alpha1/batches';
const UNDOS_PATH = '/apis/api.platform.run/v1alpha1/undos';
const REFERRERS_PATH = '/apis/api.platform.run/v1alpha1/referrers';
const DEPENDENTS_PATH = '/apis/api.platform.run/v1alpha1/dependents';

/** The parameters of a list that is not read in parts. */
const WHOLE_LIST = LIST_PARAMETERS.filter(({ use }) => use !== 'page');

/** Longest wait for a server that is starting, and the interval between requests, in milliseconds. */
const START_MS = 2_000;
const START_CHECK_MS = 200;

/** Most characters of names in one request: they must fit into a URL. */
const NAMES_LENGTH_MAX = 16_000;

/**
 * The verbs of a server. Errors are those of the server; an unreachable server is `ServiceUnavailable`, with the URL
 * in the message.
 *
 * Over HTTP no answer reports that an update or a patch changed nothing. `changed` is exact when the caller stated
 * the `resourceVersion` of the object (`ifMatch`, or in the body), and in batches; else it is true.
 * @throws ServiceError `BadRequest` when the URL is not an HTTP URL
 */
export function openRemote(url: string, options: RemoteOptions = {}): Verbs {
  return new HttpVerbs(new RemoteTransport(url, options));
}

class HttpVerbs implements Verbs {
  constructor(private readonly transport: RemoteTransport) {}

  async resources(named?: string): Promise<readonly Resource[]> {
    const until = performance.now() + START_MS;
    for (;;) {
      const { body } = await this.transport.request(MODELS_PATH);
      const { items, metadata } = isRecord(body) ? body : {};
      if (!Array.isArray(items) || !items.every(isResource))
        throw this.transport.malformed('not a list of models');
      const isComplete = !isRecord(metadata) || metadata.complete !== false;
      if (isComplete || (named !== undefined && hasResource(items, named))) return items;
      if (performance.now() > until) throw starting(metadata.starting);
      await sleep(START_CHECK_MS);
    }
  }

  async get(
    resource: ResourceRef,
    name: string,
    options: GetOptions = {},
  ): Promise<ExtensionObject & WithIncluded> {
    return this.#read(isExtensionObject, 'an object', objectPath(resource, name), listQuery(options));
  }

  async getAt(resource: ResourceRef, name: string, resourceVersion: string): Promise<ExtensionObject> {
    const query = new URLSearchParams({ resourceVersion, resourceVersionMatch: 'Exact' });
    return this.#read(isExtensionObject, 'an object', objectPath(resource, name), query);
  }

  async history(resource: ResourceRef, name: string, options: HistoryOptions = {}): Promise<HistoryPage> {
    const { limit, continue: token } = options;
    const query = new URLSearchParams();
    if (limit !== undefined) query.set('limit', String(limit));
    if (token !== undefined) query.set('continue', token);
    return this.#read(isHistoryPage, 'a history', objectPath(resource, name, 'history'), query);
  }

  async modelHistory(resource: ResourceRef, options: ModelHistoryOptions = {}): Promise<ModelHistoryPage> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(options)) query.set(name, String(value));
    const path = objectPath(resource, ALL_OBJECTS, 'history');
    return this.#read(isModelHistoryPage, 'a history of a model', path, query);
  }

  async referrers(...object: Parameters<Verbs['referrers']>): Promise<ReferrerList> {
    return this.#read(isReferrerList, 'a list of referrers', REFERRERS_PATH, relatedQuery(...object));
  }

  async dependents(...object: Parameters<Verbs['dependents']>): Promise<DependentList> {
    return this.#read(isDependentList, 'a list of dependents', DEPENDENTS_PATH, relatedQuery(...object));
  }

  async getMany(resource: ResourceRef, names: readonly string[]): Promise<(ExtensionObject | undefined)[]> {
    const found = new Map<string, ExtensionObject>();
    for (const [namespace, localNames] of byNamespace(resource, names))
      for (const chunk of nameChunks(localNames)) {
        const fieldSelector = `metadata.name=(${chunk.join(',')})`;
        for await (const object of this.listAll(resource, {
          ...(namespace !== undefined && { namespace }),
          fieldSelector,
        }))
          found.set(
            `${namespace === undefined ? '' : namespacePrefix(namespace)}${object.metadata.name}`,
            object,
          );
      }
    return names.map((name) => found.get(name));
  }

  async list(resource: ResourceRef, options: ListOptions = {}): Promise<ListPage> {
    return this.#read(isListPage, 'a list', getPath(resource, options.namespace), listQuery(options));
  }

  async explain(resource: ResourceRef, options: ListOptions = {}): Promise<ListExplanation> {
    const query = listQuery(options);
    query.set('explain', 'true');
    return this.#read(isListExplanation, 'an explanation', getPath(resource, options.namespace), query);
  }

  async *listAll(resource: ResourceRef, options: ListOptions = {}): AsyncGenerator<ExtensionObject> {
    const splitter = new JsonItemSplitter();
    const query = listQuery(options, WHOLE_LIST);
    for await (const part of this.transport.stream(getPath(resource, options.namespace), { query })) {
      for (const text of splitter.push(part)) {
        const item: unknown = JSON.parse(text);
        if (!isExtensionObject(item)) throw this.transport.malformed('an item of the list is not an object');
        yield item;
      }
    }
    if (!splitter.isComplete) throw this.transport.malformed('the list ended early');
  }

  async *watch(resource: ResourceRef, options: WatchOptions = {}): AsyncGenerator<WatchEvent> {
    const { name, namespace, signal, onError } = options;
    const path = name === undefined ? getPath(resource, namespace) : objectPath(resource, name);
    const request = { query: watchQuery(options), ...(signal === undefined ? {} : { signal }) };
    const brokenOff = (): Error => this.transport.malformed('the watch ended in the middle of an event');
    for await (const line of splitLines(this.transport.stream(path, request), brokenOff)) {
      const event = this.#watchEvent(line);
      if (event instanceof ServiceError) onError?.(event);
      else yield event;
    }
  }

  async create(resource: ResourceRef, object: ObjectDraft, options: WriteOptions = {}): Promise<WriteResult> {
    const request = { method: 'POST', query: writeQuery(options), body: object } as const;
    return this.#written(await this.transport.request(pathOfNew(resource, object), request), undefined);
  }

  // eslint-disable-next-line max-params -- a public signature
  async update(
    resource: ResourceRef,
    name: string,
    object: ObjectDraft,
    options: WriteOptions = {},
    subresource?: Subresource,
  ): Promise<WriteResult> {
    const path = objectPath(resource, name, subresource);
    const request = {
      method: 'PUT',
      query: writeQuery(options),
      body: object,
      ifMatch: options.ifMatch,
    } as const;
    return this.#written(await this.transport.request(path, request), findBase(object, options));
  }

  // eslint-disable-next-line max-params -- a public signature
  async patch(
    resource: ResourceRef,
    name: string,
    patch: unknown,
    type: StatedPatchType,
    options: WriteOptions = {},
    subresource?: Subresource,
  ): Promise<WriteResult> {
    const answer = await this.transport.request(objectPath(resource, name, subresource), {
      method: 'PATCH',
      query: writeQuery(options),
      body: patch,
      contentType: PATCH_CONTENT_TYPES[type],
      ifMatch: options.ifMatch,
    });
    return this.#written(answer, findBase(patch, options));
  }

  async delete(resource: ResourceRef, name: string, options: DeleteOptions = {}): Promise<WriteResult> {
    const { preconditions } = options;
    const query = writeQuery(options);
    if (options.forceFinalizers === true) query.set('forceFinalizers', 'true');
    if (options.propagationPolicy !== undefined) query.set('propagationPolicy', options.propagationPolicy);
    const answer = await this.transport.request(objectPath(resource, name), {
      method: 'DELETE',
      query,
      ...(preconditions === undefined
        ? {}
        : { body: { kind: 'DeleteOptions', apiVersion: 'v1', preconditions } }),
      ifMatch: options.ifMatch,
    });
    return this.#written(answer, undefined);
  }

  async batch(items: readonly BatchItem[], options: WriteOptions = {}): Promise<BatchResult> {
    const body = { items: items.map(batchItem) };
    const request = { method: 'POST', query: writeQuery(options), body } as const;
    const answer = await this.transport.request(BATCH_PATH, request);
    return this.#batchResult(answer, items);
  }

  async undoCommit(revision: string, options: UndoOptions = {}): Promise<UndoResult> {
    const { force = false } = options;
    const request = { method: 'POST', query: writeQuery(options), body: { revision, force } } as const;
    const { body } = await this.transport.request(UNDOS_PATH, request);
    const { metadata, items } = isRecord(body) ? body : {};
    const { resourceVersion } = isRecord(metadata) ? metadata : {};
    if (typeof resourceVersion !== 'string' || !Array.isArray(items))
      throw this.transport.malformed('not the result of an undo');
    return { resourceVersion, items: items.map((item) => this.#undoneItem(item)) };
  }

  #undoneItem(item: unknown): UndoneItem {
    const { verb, apiVersion, kind, plural, namespace, name, isOverwritten } = isRecord(item) ? item : {};
    const isVerb = verb === 'create' || verb === 'update' || verb === 'delete';
    const [version = '', group = ''] = typeof apiVersion === 'string' ? apiVersion.split('/').reverse() : [];
    if (!isVerb || typeof kind !== 'string' || typeof plural !== 'string' || typeof name !== 'string')
      throw this.transport.malformed('an item of the undo is not an object');
    const full = typeof namespace === 'string' ? joinFullName({ namespace, name }) : name;
    const resource = { group, version, kind, plural };
    return { verb, resource, name: full, isOverwritten: isOverwritten === true };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #read<T>(
    isAnswer: (body: unknown) => body is T,
    answerName: string,
    path: string,
    query: URLSearchParams,
  ): Promise<T> {
    const { body } = await this.transport.request(path, { query });
    if (!isAnswer(body)) throw this.transport.malformed(`not ${answerName}`);
    return body;
  }

  /** Returns the error of one object, and throws an error of the watch. */
  #watchEvent(line: string): WatchEvent | ServiceError {
    const event = this.transport.parse(line);
    const { type, object } = isRecord(event) ? event : {};
    if (type === 'ERROR') {
      const code = isRecord(object) && typeof object.code === 'number' ? object.code : 500;
      const error = toServiceError(getFailure('the watch', code, object));
      if (error.details.causes?.[0]?.field === CONVERSION_FIELD) return error;
      throw error;
    }
    if (type === 'BOOKMARK' && isBookmark(object)) return { type, object };
    if ((type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') && isExtensionObject(object)) {
      return { type, object };
    }
    throw this.transport.malformed('not a watch event');
  }

  #batchResult({ body }: Answer, sent: readonly BatchItem[]): BatchResult {
    const metadata = isRecord(body) && isRecord(body.metadata) ? body.metadata : {};
    const answers: readonly unknown[] = isRecord(body) && Array.isArray(body.items) ? body.items : [];
    const { resourceVersion } = metadata;
    if (typeof resourceVersion !== 'string' || answers.length !== sent.length) {
      throw this.transport.malformed('not a batch result');
    }
    const items = answers.map((answer) => {
      const object = isRecord(answer) ? answer.object : undefined;
      if (!isExtensionObject(object))
        throw this.transport.malformed('an item of the batch result is not an object');
      const changed = !isRecord(answer) || answer.changed !== false;
      return { object, changed, warnings: isRecord(answer) ? getTexts(answer.warnings) : [] };
    });
    return { resourceVersion, items };
  }

  #written({ body, warnings }: Answer, base: string | undefined): WriteResult {
    if (!isExtensionObject(body)) throw this.transport.malformed('not an object');
    return { object: body, changed: base === undefined || body.metadata.resourceVersion !== base, warnings };
  }
}

/** A server that is starting will serve more models soon. */
function starting(plugins: unknown): ServiceError {
  const names = Array.isArray(plugins) && plugins.length > 0 ? ` (${plugins.join(', ')})` : '';
  return unavailable(`the server is starting its plugins${names}; try again in a moment`, {
    retryAfterSeconds: 1,
  });
}

function pathOfNew(resource: ResourceRef, { metadata }: ObjectDraft): string {
  return getPath(resource, isNamespaced(resource) ? metadata?.namespace : undefined);
}

/** @param full the full name */
function objectPath(resource: ResourceRef, full: string, subresource?: Subresource | 'history'): string {
  const { namespace, name } = splitFullName(full, resource);
  const path = `${getPath(resource, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** @param parameters those that are sent */
function listQuery(
  options: ListOptions,
  parameters: readonly { readonly name: ListParameterName }[] = LIST_PARAMETERS,
): URLSearchParams {
  if (options.query !== undefined)
    throw badRequest('a condition object cannot be sent to a server; use selectors or a filter');
  const query = new URLSearchParams();
  for (const { name } of parameters)
    for (const value of [options[name] ?? []].flat()) query.append(name, String(value));
  return query;
}

function watchQuery(options: WatchOptions): URLSearchParams {
  const query = listQuery(options, SELECTORS);
  query.set('watch', 'true');
  const { resourceVersion, bookmarks, sendInitialEvents, timeoutMs } = options;
  if (resourceVersion !== undefined) query.set('resourceVersion', resourceVersion);
  if (bookmarks === true) query.set('allowWatchBookmarks', 'true');
  if (sendInitialEvents !== undefined) {
    query.set('sendInitialEvents', String(sendInitialEvents));
    query.set('resourceVersionMatch', 'NotOlderThan');
  }
  // The server counts in seconds; the value is rounded down so that the watch is not longer than requested.
  if (timeoutMs !== undefined) query.set('timeoutSeconds', String(Math.max(1, Math.floor(timeoutMs / 1000))));
  return query;
}

function relatedQuery(resource: ResourceRef, name: string, { limit }: RelatedOptions = {}): URLSearchParams {
  const query = new URLSearchParams({ resource: qualifiedPlural(resource), name });
  if (limit !== undefined) query.set('limit', String(limit));
  return query;
}

/** The manager of writes that name none. */
const MANAGER = 'xsvc';

function writeQuery(options: WriteOptions): URLSearchParams {
  const { dryRun, fieldValidation, fieldManager = MANAGER, forceConflicts } = options;
  const parameters = new URLSearchParams({ fieldManager });
  if (forceConflicts === true) parameters.set('force', 'true');
  if (dryRun === true) parameters.set('dryRun', 'All');
  if (fieldValidation !== undefined) parameters.set('fieldValidation', fieldValidation);
  return parameters;
}

/** The revision that the caller states as the base of its write. */
function findBase(body: unknown, { ifMatch }: WriteOptions): string | undefined {
  if (ifMatch?.length === 1) return ifMatch[0];
  const metadata = isRecord(body) && isRecord(body.metadata) ? body.metadata : {};
  return typeof metadata.resourceVersion === 'string' ? metadata.resourceVersion : undefined;
}

function batchItem(item: BatchItem): object {
  const identity = { apiVersion: getApiVersion(item.resource), kind: item.resource.kind };
  const withIdentity = (object: unknown): unknown => (isRecord(object) ? { ...identity, ...object } : object);
  const nameParts = 'name' in item ? splitFullName(item.name, item.resource) : {};
  switch (item.verb) {
    case 'create':
      return { verb: item.verb, object: withIdentity(item.object) };
    case 'update':
      return { verb: item.verb, ...nameParts, object: withIdentity(item.object) };
    case 'patch':
      return {
        verb: item.verb,
        ...identity,
        ...nameParts,
        patch: item.patch,
        contentType: PATCH_CONTENT_TYPES[item.type],
      };
    case 'delete':
      return {
        verb: item.verb,
        ...identity,
        ...nameParts,
        ...(item.propagationPolicy && { propagationPolicy: item.propagationPolicy }),
        ...(item.preconditions && { preconditions: item.preconditions }),
      };
  }
}

function getTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

/** Full names, without their namespaces, by namespace. */
function byNamespace(resource: ResourceRef, fullNames: readonly string[]): Map<string | undefined, string[]> {
  const found = new Map<string | undefined, string[]>();
  for (const { namespace, name } of fullNames.map((fullName) => splitFullName(fullName, resource))) {
    const names = found.get(namespace) ?? [];
    found.set(namespace, names);
    names.push(name);
  }
  return found;
}

/** Splits names into lists that fit into a URL. Invalid names are left out: no object has them. */
function nameChunks(names: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let chunk: string[] = [];
  let length = 0;
  for (const name of names) {
    if (!/^[a-z0-9.-]+$/.test(name)) continue;
    if (chunk.length > 0 && length + name.length > NAMES_LENGTH_MAX) {
      chunks.push(chunk);
      [chunk, length] = [[], 0];
    }
    chunk.push(name);
    length += name.length + 1;
  }
  return chunk.length === 0 ? chunks : [...chunks, chunk];
}
