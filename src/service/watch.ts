import { badRequest, excerpt, ServiceError } from '../errors.js';
import { modelKey, apiVersionOf, type Resource } from '../model/resource.js';
import { bind } from '../query/bind.js';
import type { Condition } from '../query/condition.js';
import { Queries } from '../query/queries.js';
import { readListOptions } from '../query/list-request.js';
import type { Table } from '../store/table.js';
import { parseObject } from '../store/object-record.js';
import type { ObjectEvent } from '../store/change.js';
import { ChangeFilter } from '../watch/filter.js';
import type { Subscription } from '../watch/subscription.js';
import { checkStart } from '../store/log-reader.js';
import type { ServiceContext } from './context.js';
import { copiesOf, listRaw } from './list.js';
import type { BookmarkObject, ResourceRef, WatchEvent, WatchOptions } from './verbs.js';

/** Longest time that the objects there are may take to be read: they hold a snapshot of the store. */
const INITIAL_MS_MAX = 5 * 60_000;
/** Longest delay of a timer. */
const TIMER_MS_MAX = 2_147_483_647;

/** A part of a watch. */
export type WatchPart =
  /** The objects there are by name, all of them (`isWhole`) or a part. */
  | { readonly kind: 'initial'; readonly objects: readonly Buffer[]; readonly isWhole: boolean }
  /** All objects of this revision were told. `isAsked`: whether a bookmark is to say so. */
  | { readonly kind: 'initial-end'; readonly revision: number; readonly isAsked: boolean }
  /** At least one change, in revision order. */
  | { readonly kind: 'changes'; readonly events: readonly ObjectEvent[] }
  | { readonly kind: 'bookmark'; readonly revision: number };

/** A watch as stored bytes. */
export interface RawWatch {
  readonly resource: Resource;
  /** Holds nothing before it is asked for its first part; then it must be consumed or returned. */
  readonly parts: AsyncGenerator<WatchPart, undefined>;
}

/** A watch that was understood. */
interface WatchPlan {
  readonly context: ServiceContext;
  readonly ref: ResourceRef;
  readonly table: Table;
  readonly condition: Condition;
  /** Changes after it are told; undefined when the objects there are come first. */
  readonly after: number | undefined;
  readonly options: WatchOptions;
}

/**
 * Begins to watch a model.
 * @throws ServiceError `BadRequest` for what cannot be read as a request, `Expired` for a revision that changes cannot
 * be told from, `NotFound` and `ServiceUnavailable` as other verbs
 */
export async function openWatch(
  context: ServiceContext,
  ref: ResourceRef,
  options: WatchOptions,
): Promise<RawWatch> {
  const asked = context.models.table(ref);
  const revision = readRevision(options.resourceVersion);
  const { view, tables } = await context.store.readCurrent();
  try {
    const table = tables.get(modelKey(asked.resource)) ?? asked;
    refuseBuilding(table);
    const condition = conditionOf(table, options);
    // Refuses values that cannot be read before anything is answered.
    bind(condition, table.resource);
    const head = await view.logHead();
    if (options.sendInitialEvents !== true && revision > 0) checkStart(head, revision);
    else if (revision > head.revision) checkStart(head, revision);
    const isInitial = options.sendInitialEvents ?? revision === 0;
    const after = isInitial ? undefined : revision === 0 ? head.revision : revision;
    return {
      resource: table.resource,
      parts: watch({ context, ref, table, condition, after, options }),
    };
  } finally {
    view.close();
  }
}

/** 0 when there is none. */
function readRevision(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  const revision = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(revision)) return revision;
  throw badRequest(`resourceVersion: "${excerpt(text)}" is not a revision, such as a list's metadata has`);
}

function conditionOf(table: Table, { name, labelSelector, fieldSelector, query }: WatchOptions): Condition {
  const selectors = {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(query === undefined ? {} : { query }),
  };
  const { condition } = readListOptions(selectors, table.resource);
  return name === undefined ? condition : Queries.and(Queries.equal('metadata.name', name), condition);
}

function refuseBuilding(table: Table): void {
  const building = table.building();
  if (building !== undefined) throw building;
}

async function* watch(plan: WatchPlan): AsyncGenerator<WatchPart, undefined> {
  const { context, table, options } = plan;
  const ending = endingOf(options);
  try {
    const after = plan.after ?? (yield* initialParts(plan, ending.signal));
    const subscription = context.hub.subscribe(table, { after, signal: ending.signal });
    try {
      yield* liveParts(plan, subscription, after);
    } finally {
      subscription.close();
    }
  } finally {
    ending.forget();
  }
}

/** A signal for when the watch is to end: because it was asked to, or because its time is over. */
function endingOf({ signal, timeoutMs }: WatchOptions): { readonly signal: AbortSignal; forget(): void } {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(end, Math.min(timeoutMs, TIMER_MS_MAX)).unref();
  if (signal?.aborted === true) end();
  else signal?.addEventListener('abort', end, { once: true });
  return {
    signal: controller.signal,
    forget() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    },
  };
}

/** The objects there are, all of one revision, with which it ends. */
async function* initialParts(
  { context, table, condition, options }: WatchPlan,
  ending: AbortSignal,
): AsyncGenerator<WatchPart, number> {
  const list = await listRaw(context, table, { query: condition });
  const revision = Number(list.metadata.resourceVersion);
  const objects = copiesOf(list);
  const state = { isLate: false };
  const release = (): void => {
    if ('next' in objects) void objects.return(undefined);
  };
  const tooLong = setTimeout(() => {
    state.isLate = true;
    release();
  }, INITIAL_MS_MAX).unref();
  ending.addEventListener('abort', release, { once: true });
  try {
    // Each part waits for the next one, so that the only one is known to be the whole.
    let held: readonly Buffer[] = [];
    let isWhole = true;
    for await (const chunk of objects) {
      if (ending.aborted) return revision;
      if (held.length > 0) {
        isWhole = false;
        yield { kind: 'initial', objects: held, isWhole };
      }
      held = chunk;
    }
    if (held.length > 0 && !state.isLate && !ending.aborted)
      yield { kind: 'initial', objects: held, isWhole };
  } finally {
    clearTimeout(tooLong);
  }
  if (state.isLate)
    throw new ServiceError('Expired', 'too slow: reading the objects there are took too long');
  if (!ending.aborted) yield { kind: 'initial-end', revision, isAsked: options.sendInitialEvents === true };
  return revision;
}

async function* liveParts(
  { context, ref, table, condition, options }: WatchPlan,
  subscription: Subscription,
  after: number,
): AsyncGenerator<WatchPart, undefined> {
  // The model may have been taken away while the objects there were being told.
  context.models.table(ref);
  let told = after;
  let filter = new ChangeFilter(table, condition);
  const tick = (): void => subscription.wake();
  const ticks = options.bookmarks === true ? setInterval(tick, context.bookmarkMs).unref() : undefined;
  try {
    for (;;) {
      const taken = await subscription.next();
      if (taken === 'ended') return;
      // The plugin may have been stopped.
      context.models.table(ref);
      if (taken === 'woken') {
        const { position } = subscription;
        if (options.bookmarks !== true || position <= told) continue;
        told = position;
        yield { kind: 'bookmark', revision: position };
        continue;
      }
      if (taken.table !== filter.table) {
        refuseBuilding(taken.table);
        filter = new ChangeFilter(taken.table, condition);
      }
      const events = filter.events(taken);
      const last = events.at(-1);
      if (last === undefined) continue;
      told = last.revision;
      yield { kind: 'changes', events };
      // Asked for the next part: this one has been taken. How old changes are that were caught up with is no lag.
      if (subscription.hasCaughtUp)
        context.measures.watchLagSeconds.observe(Math.max(0, Date.now() - taken.madeAtMs) / 1_000);
    }
  } finally {
    clearInterval(ticks);
  }
}

/** The annotation of the bookmark after the objects there are, as Kubernetes has it. */
const INITIAL_END = { 'k8s.io/initial-events-end': 'true' } as const;

/** The object of a bookmark. */
export function bookmarkOf(resource: Resource, revision: number, endsInitial: boolean): BookmarkObject {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      resourceVersion: String(revision),
      ...(endsInitial ? { annotations: INITIAL_END } : {}),
    },
  };
}

/** A watch as objects, one event after another. */
export async function* watchEvents({ resource, parts }: RawWatch): AsyncGenerator<WatchEvent> {
  for await (const part of parts) {
    if (part.kind === 'initial') {
      for (const bytes of part.objects) yield { type: 'ADDED', object: parseObject(bytes) };
    } else if (part.kind === 'changes') {
      for (const { type, bytes } of part.events) yield { type, object: parseObject(bytes) };
    } else if (part.kind === 'bookmark' || part.isAsked) {
      const object = bookmarkOf(resource, part.revision, part.kind === 'initial-end');
      yield { type: 'BOOKMARK', object };
    }
  }
}
