import { badRequest, formatExcerpt, type Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { countYielding } from '../../lib/work/yield.js';
import { isNamespaced, namePartsOf } from '../../model/full-name.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import { PROPAGATION_POLICIES } from '../../model/owner-references.js';
import { BATCH_ITEMS_MAX, itemsIn, readBatchItem } from '../../service/batch-items.js';
import type { BatchItem } from '../../service/verbs.js';
import type { Caller } from '../caller.js';
import { findAmong, readName } from '../names.js';
import { describeFaults, unknownKeys, type Parameter } from '../parameters.js';

const TEXT = { type: 'string' } as const;

const ITEM_MEMBERS = {
  verb: { ...TEXT, enum: ['create', 'update', 'patch', 'delete'] },
  model: {
    ...TEXT,
    description: 'Name of the model, as the tool `models` gives it. Example: "services"',
  },
  apiVersion: { ...TEXT, description: 'With kind, instead of model. Example: "catalog.example.com/v1"' },
  kind: { ...TEXT, description: 'With apiVersion, instead of model. Example: "Service"' },
  name: {
    ...TEXT,
    description:
      'For update, patch and delete. In a namespaced model "<namespace>/<name>". Example: "checkout"',
  },
  namespace: { ...TEXT, description: 'Instead of the namespace in name. Example: "default"' },
  object: {
    type: 'object',
    additionalProperties: true,
    description:
      'For create and update: the whole object. Example: {"metadata": {"name": "checkout"}, "spec": {"tier": "gold"}}',
  },
  patch: {
    description:
      'For patch: a JSON merge patch, or a JSON Patch with contentType. Example: {"spec": {"tier": "silver"}}',
  },
  contentType: {
    ...TEXT,
    enum: ['application/merge-patch+json', 'application/json-patch+json'],
    description: 'The type of patch. Default: the merge patch',
  },
  propagationPolicy: {
    ...TEXT,
    enum: [...PROPAGATION_POLICIES],
    description: 'For delete: what happens to the objects that this one owns. Default: Background',
  },
  preconditions: {
    type: 'object',
    properties: { uid: TEXT, resourceVersion: TEXT },
    additionalProperties: false,
    description: 'For delete: another object is a conflict. Example: {"resourceVersion": "42"}',
  },
} as const;

const KNOWN = Object.keys(ITEM_MEMBERS);

export const ITEMS = {
  type: 'objects',
  max: BATCH_ITEMS_MAX,
  about:
    'The changes, in their order; later ones see earlier ones. Example: [{"verb": "patch", "model": "services", "name": "checkout", "patch": {"spec": {"tier": "silver"}}}]',
  items: { type: 'object', properties: ITEM_MEMBERS, required: ['verb'], additionalProperties: false },
} as const satisfies Parameter;

type GivenItem = Readonly<Record<string, unknown>>;

/**
 * The items of a plan, as those of a batch.
 * @throws ServiceError `BadRequest` for malformed items, `RequestEntityTooLarge` for too many, `NotFound` for a model
 */
export async function readItems(caller: Caller, given: readonly GivenItem[]): Promise<readonly BatchItem[]> {
  const all = itemsIn(given) as readonly GivenItem[];
  if (all.length === 0) throw badRequest('items must have at least one item');
  const { writes, asMissing } = caller;
  if (writes === undefined) throw new Error('items are read only for a caller that writes');
  const resources = await caller.reads.resources();
  const { models } = writes.service;
  const items: BatchItem[] = [];
  await countYielding(all.length, (i) => {
    const item = all[i] ?? {};
    items.push(readBatchItem({ models, asMissing }, asBatchItem(caller, resources, item, i), i));
  });
  return items;
}

/** The item with the group, version and kind instead of the name of the model. */
function asBatchItem(
  caller: Caller,
  resources: readonly Resource[],
  item: GivenItem,
  position: number,
): GivenItem {
  const at = `items[${position}]`;
  const faults: Cause[] = unknownKeys(Object.keys(item), KNOWN, `${at}.`);
  if (faults.length > 0) throw badRequest(describeFaults(faults), { causes: faults });
  const { model, ...rest } = item;
  if (model === undefined) return withNameParts(rest);
  if (typeof model !== 'string') throw badRequest(`${at}.model must be a text`);
  const resource = findAmong(caller, resources, model);
  const gvk = { apiVersion: getApiVersion(resource), kind: resource.kind };
  if (typeof rest.name === 'string' && rest.namespace === undefined) {
    const isWhole = isNamespaced(resource) && !rest.name.includes('/');
    if (!isWhole) readName(resource, rest.name);
  }
  const { object } = rest;
  if (!isRecord(object)) return withNameParts({ ...rest, ...gvk });
  for (const member of ['apiVersion', 'kind'] as const) {
    const stated = object[member];
    if (stated !== undefined && stated !== gvk[member])
      throw badRequest(
        `${at}.object.${member} is ${formatExcerpt(JSON.stringify(stated))}, but the model "${formatExcerpt(model)}" has "${gvk[member]}"`,
      );
  }
  return withNameParts({ ...rest, object: { ...gvk, ...object } });
}

/** A batch has the namespace and the name in two members. */
function withNameParts(item: GivenItem): GivenItem {
  const { name, namespace } = item;
  if (typeof name !== 'string' || namespace !== undefined || !name.includes('/')) return item;
  return { ...item, ...namePartsOf(name) };
}
