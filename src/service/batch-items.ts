import { badRequest, formatExcerpt, ServiceError } from '../errors.js';
import { isRecord } from '../lib/json/json.js';
import { fullName, isNamespaced } from '../model/full-name.js';
import { isDnsLabel } from '../model/names-and-labels.js';
import { PROPAGATION_POLICIES, type PropagationPolicy } from '../model/owner-references.js';
import type { Models } from './models.js';
import type { BatchItem, DeleteOptions, ResourceRef } from './verbs.js';

export const BATCH_ITEMS_MAX = 10_000;
/** Most bytes of JSON for the objects of all items together, each item counted once. */
export const BATCH_BYTES_MAX = 64 * 1024 * 1024;
/** The largest body with a batch in JSON: its objects, and 512 bytes an item for the rest. */
export const BATCH_BODY_BYTES_MAX = BATCH_BYTES_MAX + BATCH_ITEMS_MAX * 512;

interface Served {
  readonly models: Models;
  /** Replaces the error for a model that is missing, while models may still be added. Default: the error itself. */
  readonly asMissing?: ((error: ServiceError) => ServiceError) | undefined;
}

/** The items of a body. @throws ServiceError `BadRequest`, `RequestEntityTooLarge` */
export function itemsIn(given: unknown): readonly unknown[] {
  if (!Array.isArray(given)) throw badRequest('a batch must be an object with a list "items"');
  if (given.length > BATCH_ITEMS_MAX) throw tooManyItems(given.length);
  return given;
}

function tooManyItems(count: number): ServiceError {
  return new ServiceError(
    'RequestEntityTooLarge',
    `a batch may have at most ${BATCH_ITEMS_MAX} items, got ${count}; send it in parts`,
  );
}

/** An item of a body. @throws ServiceError `BadRequest` */
export function readBatchItem(served: Served, item: unknown, position: number): BatchItem {
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
  { models, asMissing }: Served,
  { apiVersion, kind }: Readonly<Record<string, unknown>>,
  at: (message: string) => ServiceError,
): ResourceRef {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw at('needs apiVersion and kind');
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const resource = models.findByKind({ group, version: apiVersion.slice(slash + 1), kind });
  if (resource !== undefined) return resource;
  const error = at(`no model ${formatExcerpt(kind)} of ${formatExcerpt(apiVersion)} is served`);
  throw asMissing?.(error) ?? error;
}
