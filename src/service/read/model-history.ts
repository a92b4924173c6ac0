import { badRequest, formatExcerpt } from '../../errors.js';
import { parseSince } from '../../lib/time/since.js';
import { namePartsOf } from '../../model/full-name.js';
import { getApiVersion } from '../../model/resource.js';
import { ModelPast, type ModelPastChange } from '../../store/log/model-past.js';
import { oldestIn } from '../../store/log/object-past.js';
import { picked } from '../scope/scoped-model.js';
import type { ServiceContext } from '../context.js';
import type { ModelHistoryItem, ModelHistoryOptions, ModelHistoryPage, ResourceRef } from '../verbs.js';
import {
  getItem,
  getLimit,
  readContinue,
  itemsOf,
  type StateReader,
  BYTES_MAX,
  type PastReading,
} from './history.js';

/** The model whose history is requested. */
export interface AskedModelPast extends PastReading {
  readonly context: ServiceContext;
  readonly ref: ResourceRef;
}

/**
 * The changes of all objects of a model, newest first; also of deleted objects.
 * @throws ServiceError `BadRequest`, `Expired`
 */
export async function readModelHistory(
  { context, ref, work, scope }: AskedModelPast,
  options: ModelHistoryOptions,
): Promise<ModelHistoryPage> {
  const limit = getLimit(options);
  const before = options.continue === undefined ? undefined : readContinue(options.continue);
  const sinceMs = readSince(options, context.now().getTime());
  const shown = context.models.view(ref);
  return context.store.withinCurrent(async ({ view, tables }) => {
    const model = shown.current(tables);
    const past = new ModelPast(view, model.table, await view.logHead(), work);
    const found = await past.read({ limit, bytesMax: BYTES_MAX, before, sinceMs, user: options.user });
    const oldestMs = await past.oldestMs();
    const { items, ...notes } = await itemsOf(model, found.changes, { work, scope }, (change, states) =>
      itemOf(change, states, options.before === true),
    );
    return {
      apiVersion: getApiVersion(model.resource),
      kind: `${model.resource.kind}HistoryList`,
      metadata: {
        resourceVersion: String(past.head.revision),
        oldest: String(oldestIn(past.head)),
        ...(oldestMs !== undefined && { oldestTime: new Date(oldestMs).toISOString() }),
        ...(sinceMs !== undefined && { since: new Date(sinceMs).toISOString() }),
        ...(found.continue !== undefined && { continue: String(found.continue) }),
      },
      items,
      ...notes,
    };
  });
}

/** Undefined for a change that the sender may not see. */
function itemOf(
  change: ModelPastChange,
  states: StateReader,
  withBefore: boolean,
): ModelHistoryItem | undefined {
  const found = getItem(change, states);
  if (found === undefined) return undefined;
  const item = { ...namePartsOf(change.name), ...found };
  if (!withBefore || change.previousJson === undefined) return item;
  const { shown, fields } = states.read(change.previousJson);
  return shown === undefined || fields === undefined ? item : { ...item, before: picked(shown, fields) };
}

/** @throws ServiceError `BadRequest` for a text that is no time, and for a time in the future */
function readSince({ since }: ModelHistoryOptions, nowMs: number): number | undefined {
  if (since === undefined) return undefined;
  const ms = parseSince(since, nowMs);
  if (ms === undefined)
    throw badRequest(
      `since: "${formatExcerpt(since)}" is neither a time like 2026-01-31T08:00:00Z nor an age like 1h`,
    );
  if (ms > nowMs) throw badRequest(`since: ${formatExcerpt(since)} is in the future`);
  // Times before 1970 select everything.
  return Math.max(0, Math.floor(ms));
}
