import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceError } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { countYielding } from '../../lib/work/yield.js';
import { BATCH_BYTES_MAX, itemsIn, readBatchItem } from '../../service/batch-items.js';
import type { Models } from '../../service/models.js';
import type { Service } from '../../service/service.js';
import type { BatchItem, WriteOptions } from '../../service/verbs.js';
import type { RawBatchResult } from '../../service/write/result.js';
import { getDeprecation } from './deprecation.js';
import { sendItems, type ListSending } from '../answer/list/list-response.js';
import { ItemBuffer } from '../answer/list/list-writer.js';
import { oneOf, type Query } from './parameters.js';
import { addWarnings, fewWarnings, formatFor } from '../answer/respond.js';
import { stillStarting, type Startup } from '../guards/startup.js';

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
  const all = itemsIn(given);
  const asMissing = (error: ServiceError): ServiceError =>
    startup?.isOver === false ? stillStarting(error) : error;
  const items: BatchItem[] = [];
  await countYielding(all.length, (i) => {
    const item = readBatchItem({ models, asMissing }, all[i], i);
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

/**
 * True when the answer has the objects.
 * @throws ServiceError `BadRequest` for an unknown value
 */
export function returnsObjects(query: Query): boolean {
  return oneOf(query, 'return', ['none']) === undefined;
}

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
