import type { Action } from '../access/rules.js';
import { badRequest } from '../errors.js';
import { isRecord } from '../lib/json.js';
import type { Models } from '../service/models.js';
import type { Service } from '../service/service.js';
import type { BatchItem, ResourceRef, WriteOptions } from '../service/verbs.js';

export const BATCH_PATH = '/apis/api.platform.run/v1alpha1/batches';
export const BATCH_ITEMS_MAX = 10_000;

export interface BatchAnswer {
  readonly answer: object;
  readonly warnings: readonly string[];
}

/** What an item asks for. */
export function actionOfItem(item: BatchItem): Action {
  const { group, plural } = item.resource;
  const name = 'name' in item ? { name: item.name } : {};
  return { verb: item.verb, group, resource: plural, ...name };
}

/**
 * Commits the items of a batch body at one moment, or none of them.
 * @param check throws for an item that the sender may not have done
 * @throws ServiceError `BadRequest` for a malformed batch; else that of the first item at fault
 */
export async function runBatch(
  service: Service,
  models: Models,
  body: unknown,
  options: WriteOptions,
  check: (item: BatchItem) => void,
): Promise<BatchAnswer> {
  const items = isRecord(body) ? body.items : undefined;
  if (!Array.isArray(items)) throw badRequest('a batch is an object with a list "items"');
  if (items.length > BATCH_ITEMS_MAX) {
    throw badRequest(`a batch has at most ${BATCH_ITEMS_MAX} items, this one has ${items.length}`);
  }
  const parsed = items.map((item, i) => parseItem(models, item, i));
  for (const item of parsed) check(item);
  const result = await service.batch(parsed, options);
  const answer = {
    kind: 'BatchResult',
    metadata: { resourceVersion: result.resourceVersion },
    items: result.items.map(({ object, changed, warnings }, i) => ({
      code: parsed[i]?.verb === 'create' ? 201 : 200,
      object,
      ...(changed ? {} : { changed }),
      ...(warnings.length === 0 ? {} : { warnings }),
    })),
  };
  const warnings = result.items.flatMap((item, i) => item.warnings.map((text) => `items[${i}]: ${text}`));
  return { answer, warnings };
}

function parseItem(models: Models, item: unknown, position: number): BatchItem {
  const at = (message: string): Error => {
    const causes = [{ field: `items[${position}].verb`, reason: 'FieldValueInvalid' as const, message }];
    return badRequest(`items[${position}]: ${message}`, { causes });
  };
  if (!isRecord(item)) throw at('must be an object');
  const { verb, object } = item;
  const source = isRecord(object) ? object : item;
  const resource = resourceOf(models, source, at);
  const metadata = isRecord(source.metadata) ? source.metadata : {};
  const name = typeof item.name === 'string' ? item.name : metadata.name;
  if (verb === 'create') return { verb, resource, object };
  if (typeof name !== 'string') throw at('names no object');
  switch (verb) {
    case 'update':
      return { verb, resource, name, object };
    case 'delete':
      return { verb, resource, name };
    case 'patch':
      return { verb, resource, name, patch: item.patch, type: patchType(item.contentType, at) };
    default:
      throw at('verb must be create, update, patch or delete');
  }
}

function patchType(contentType: unknown, at: (message: string) => Error): 'merge' | 'json' {
  if (contentType === undefined || contentType === 'application/merge-patch+json') return 'merge';
  if (contentType === 'application/json-patch+json') return 'json';
  throw at('contentType must be application/merge-patch+json or application/json-patch+json');
}

function resourceOf(
  models: Models,
  { apiVersion, kind }: Readonly<Record<string, unknown>>,
  at: (message: string) => Error,
): ResourceRef {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw at('needs apiVersion and kind');
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const resource = models.findByKind({ group, version: apiVersion.slice(slash + 1), kind });
  if (resource === undefined) throw at(`no model ${kind} of ${apiVersion} is served`);
  return resource;
}
