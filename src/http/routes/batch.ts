import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest, formatExcerpt, ServiceError } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { countYielding } from '../../lib/work/yield.js';
import { fullName, isNamespaced } from '../../model/full-name.js';
import { isDnsLabel } from '../../model/names-and-labels.js';
import { PROPAGATION_POLICIES, type PropagationPolicy } from '../../model/owner-references.js';
import type { Models } from '../../service/models.js';
import type { Service } from '../../service/service.js';
import type { BatchItem, DeleteOptions, ResourceRef, WriteOptions } from '../../service/verbs.js';
import type { RawBatchResult } from '../../service/write/result.js';
import { getDeprecation } from './deprecation.js';
import { sendItems, type ListSending } from '../answer/list/list-response.js';
import { ItemBuffer } from '../answer/list/list-writer.js';
import { oneOf, type Query } from './parameters.js';
import { addWarnings, fewWarnings, formatFor } from '../answer/respond.js';
import { stillStarting, type Startup } from '../guards/startup.js';

export const BATCH_ITEMS_MAX = 10_000;
/** Most bytes of JSON for the objects of all items together, each item counted once. */
export const BATCH_BYTES_MAX = 64 * 1024 * 1024;

/** The dependencies of a batch. */
export interface BatchContext {
  readonly service: Service;
  readonly models: Models;
  /** Undefined when everything is served at once. */
  readonly startup: Startup | undefined;
  /** Throws for an item that the sender is not authorized for. */
  readonly check: (item: BatchItem) => void;
}

/** A batch that was committed. */
export interface BatchDone {
  readonly commit: RawBatchResult;
  /** The status of each item. */
  readonly codes: readonly number[];
  /** Warnings about deprecated versions of models. */
  readonly deprecations: readonly string[];
}

/**
 * Commits the items of a batch body together, or none of them.
 * @throws ServiceError `BadRequest` for a malformed batch, `RequestEntityTooLarge` for one that is too large; else
 * the error of an invalid item
 */
export async function runBatch(
  { service, models, startup, check }: BatchContext,
  body: unknown,
  options: WriteOptions,
): Promise<BatchDone> {
  const given = isRecord(body) ? body.items : undefined;
  if (!Array.isArray(given)) throw badRequest('a batch must be an object with a list "items"');
  if (given.length > BATCH_ITEMS_MAX) throw tooManyItems(given.length);
  const items: BatchItem[] = [];
  await countYielding(given.length, (i) => {
    const item = parseItem({ models, startup }, given[i], i);
    check(item);
    items.push(item);
  });
  const commit = await service.batch(items, { ...options, bytesMax: BATCH_BYTES_MAX });
  const codes = items.map(({ verb }) => (verb === 'create' ? 201 : 200));
  const used = new Set(
    items.map(({ resource }) => models.find(resource.group, resource.version, resource.plural)),
  );
  const deprecations = [...used].flatMap((resource) =>
    resource === undefined ? [] : getDeprecation(resource),
  );
  return { commit, codes, deprecations };
}

function tooManyItems(count: number): ServiceError {
  return new ServiceError(
    'RequestEntityTooLarge',
    `a batch may have at most ${BATCH_ITEMS_MAX} items, got ${count}; send it in parts`,
  );
}

/**
 * True when the answer has the objects.
 * @throws ServiceError `BadRequest` for an unknown value
 */
export function returnsObjects(query: Query): boolean {
  return oneOf(query, 'return', ['none']) === undefined;
}

/** The response to a batch. */
export interface BatchAnswer {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly hasObjects: boolean;
  /** Warnings about the request itself. */
  readonly warnings: readonly string[];
}

/** Sends the stored objects, in parts: an error meanwhile does not undo the commit. */
export async function sendBatch(
  { req, res, hasObjects, warnings: ofRequest }: BatchAnswer,
  done: BatchDone,
  sending: Pick<ListSending, 'stallMs' | 'converter'>,
): Promise<void> {
  const { commit, deprecations } = done;
  const metadata = { resourceVersion: commit.resourceVersion };
  const form = { format: formatFor(req), head: { kind: 'BatchResult', metadata }, member: 'items' };
  const ofItems = commit.items.flatMap((item, i) =>
    fewWarnings(item.warnings).map((text) => `items[${i}]: ${text}`),
  );
  const warnings = [...deprecations, ...ofRequest, ...ofItems];
  const items = new ItemBuffer();
  const more = pushResults(items, done, hasObjects);
  addWarnings(res, warnings);
  await sendItems(req, res, { items, more, form }, sending);
}

function* pushResults(
  items: ItemBuffer,
  { commit, codes }: Pick<BatchDone, 'commit' | 'codes'>,
  hasObjects: boolean,
): Generator<undefined> {
  for (const [i, { json, warnings }] of commit.items.entries()) {
    const head = Buffer.from(`{"code":${codes[i]}`);
    const object = hasObjects ? [OBJECT, json] : [];
    const warningText = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(fewWarnings(warnings))}`;
    items.push(head, ...object, Buffer.from(`${warningText}}`));
    yield;
  }
}

const OBJECT = Buffer.from(',"object":');

type Served = Pick<BatchContext, 'models' | 'startup'>;

function parseItem(served: Served, item: unknown, position: number): BatchItem {
  const at = (message: string): ServiceError => {
    const causes = [{ field: `items[${position}].verb`, reason: 'FieldValueInvalid' as const, message }];
    return badRequest(`items[${position}]: ${message}`, { causes });
  };
  if (!isRecord(item)) throw at('must be an object');
  const { verb, object } = item;
  const source = isRecord(object) ? object : item;
  const resource = getResource(served, source, at);
  const metadata = isRecord(source.metadata) ? source.metadata : {};
  if (verb === 'create') return { verb, resource, object };
  const own = typeof item.name === 'string' ? item.name : metadata.name;
  const { namespace = metadata.namespace } = item;
  if (typeof own !== 'string') throw at('needs the name of an object');
  if (isNamespaced(resource) && (typeof namespace !== 'string' || !isDnsLabel(namespace)))
    throw at('needs the namespace of an object');
  const name = fullName(resource, { namespace, name: own });
  switch (verb) {
    case 'update':
      return { verb, resource, name, object };
    case 'delete':
      return {
        verb,
        resource,
        name,
        ...policyOfItem(item.propagationPolicy, at),
        ...preconditionsOfItem(item.preconditions, at),
      };
    case 'patch':
      return { verb, resource, name, patch: item.patch, type: patchType(item.contentType, at) };
    default:
      throw at('verb must be create, update, patch or delete');
  }
}

function policyOfItem(
  policy: unknown,
  at: (message: string) => Error,
): { readonly propagationPolicy?: PropagationPolicy } {
  if (policy === undefined) return {};
  const propagationPolicy = PROPAGATION_POLICIES.find((one) => one === policy);
  if (propagationPolicy !== undefined) return { propagationPolicy };
  throw at(`propagationPolicy must be one of ${PROPAGATION_POLICIES.join(', ')}`);
}

function preconditionsOfItem(
  given: unknown,
  at: (message: string) => Error,
): Pick<DeleteOptions, 'preconditions'> {
  if (given === undefined) return {};
  if (!isRecord(given)) throw at('preconditions must be an object with uid, resourceVersion or both');
  const { uid, resourceVersion } = given;
  for (const value of [uid, resourceVersion])
    if (value !== undefined && typeof value !== 'string') throw at('preconditions must be texts');
  return {
    preconditions: {
      ...(typeof uid === 'string' && { uid }),
      ...(typeof resourceVersion === 'string' && { resourceVersion }),
    },
  };
}

function patchType(contentType: unknown, at: (message: string) => Error): 'merge' | 'json' {
  if (contentType === undefined || contentType === 'application/merge-patch+json') return 'merge';
  if (contentType === 'application/json-patch+json') return 'json';
  throw at('contentType must be application/merge-patch+json or application/json-patch+json');
}

function getResource(
  { models, startup }: Served,
  { apiVersion, kind }: Readonly<Record<string, unknown>>,
  at: (message: string) => ServiceError,
): ResourceRef {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw at('needs apiVersion and kind');
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const resource = models.findByKind({ group, version: apiVersion.slice(slash + 1), kind });
  if (resource !== undefined) return resource;
  const error = at(`no model ${formatExcerpt(kind)} of ${formatExcerpt(apiVersion)} is served`);
  throw startup?.isOver === false ? stillStarting(error) : error;
}
