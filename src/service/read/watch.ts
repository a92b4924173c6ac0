import { badRequest, formatExcerpt, ServiceError } from '../../errors.js';
import { splitFullName } from '../../model/full-name.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import { bind } from '../../query/bind.js';
import { conditionsIn, type Condition } from '../../query/condition.js';
import { Queries } from '../../query/condition-builders.js';
import { pickOptions } from '../../query/list-options.js';
import { SELECTORS } from '../../query/list-parameters.js';
import { readListOptions } from '../../query/list-request.js';
import { ConversionError, RemoteConversionError } from '../../model/evolve/conversion.js';
import { withConversions, withHeldConversions } from '../../model/evolve/pending-conversion.js';
import { parseObject } from '../../store/object-record.js';
import type { ObjectEvent } from '../../store/log/change.js';
import { ChangeFilter } from '../../watch/filter.js';
import type { Subscription } from '../../watch/subscription.js';
import { checkStart } from '../../store/log/log-reader.js';
import type { ServiceContext } from '../context.js';
import { iterateCopies, listRaw } from './list.js';
import { refuseHiddenIn } from '../scope/hidden-fields.js';
import { bindWithin } from '../scope/bind-within.js';
import { fieldSetOf, hidesFields, type ObjectScope } from '../scope/object-scope.js';
import { ScopedModel } from '../scope/scoped-model.js';
import { shownEvents } from './shown-events.js';
import type { BookmarkObject, ResourceRef, WatchEvent, WatchOptions } from '../verbs.js';
import type { ModelView } from './view.js';

/** Longest time for reading the existing objects, in milliseconds: they keep a snapshot of the store open. */
const INITIAL_MS_MAX = 5 * 60_000;
/** Longest delay of a timer, in milliseconds. */
const TIMER_MS_MAX = 2_147_483_647;

/** A part of a watch. */
export type WatchPart =
  /**
   * The existing objects: all of them (`isWhole`) in the order of their revisions, or a part by name. With all of
   * them, a client can resume after any one: it gets the later ones as changes.
   */
  | { readonly kind: 'initial'; readonly objects: readonly Buffer[]; readonly isWhole: boolean }
  /** All objects of this revision were delivered. `isAsked`: true when a bookmark must report it. */
  | { readonly kind: 'initial-end'; readonly revision: number; readonly isAsked: boolean }
  /** At least one change, in revision order. */
  | { readonly kind: 'changes'; readonly events: readonly ObjectEvent[] }
  /** An object, or a change of one, that cannot be converted to the requested version. The watch continues. */
  | { readonly kind: 'unshown'; readonly error: ConversionError }
  | { readonly kind: 'bookmark'; readonly revision: number };

/** A watch as bytes: the stored bytes, when the requested version is the storage version. */
export interface RawWatch {
  readonly resource: Resource;
  /** Uses no resources before the first part is requested; then it must be consumed or returned. */
  readonly parts: AsyncGenerator<WatchPart, undefined>;
}

/** A parsed watch request. */
interface WatchPlan {
  readonly context: ServiceContext;
  readonly ref: ResourceRef;
  readonly model: ModelView;
  /** As requested. */
  readonly condition: Condition;
  /** The condition, for the part of the model that the sender may see. */
  readonly filter: ChangeFilter;
  /** The watch delivers changes after this revision; undefined when the existing objects come first. */
  readonly after: number | undefined;
  readonly options: WatchOptions;
  /** The part of the model that the sender may see; undefined for the whole. */
  readonly scope: ObjectScope | undefined;
}

/**
 * Opens a watch on a model.
 * @param scope the part of the model that the sender may see. Default: the whole
 * @throws ServiceError `BadRequest` for an invalid request, `Expired` for a revision from which changes are not
 * available, `NotFound` and `ServiceUnavailable` as other verbs
 */
export async function openWatch(
  context: ServiceContext,
  ref: ResourceRef,
  options: WatchOptions,
  scope?: ObjectScope,
): Promise<RawWatch> {
  const asked = context.models.view(ref);
  const revision = readRevision(options.resourceVersion);
  return context.store.withinCurrent(async ({ view, tables }) => {
    const model = asked.current(tables).ready();
    const { resource } = model;
    const condition = getCondition(resource, options, context.now().getTime());
    if (scope !== undefined) refuseHiddenIn(condition, resource, scope);
    const filter = filterWithin(model, condition, scope);
    const head = await view.logHead();
    if (options.sendInitialEvents !== true && revision > 0) checkStart(head, revision);
    else if (revision > head.revision) checkStart(head, revision);
    const isInitial = options.sendInitialEvents ?? revision === 0;
    const after = isInitial ? undefined : revision === 0 ? head.revision : revision;
    return {
      resource,
      parts: watch({ context, ref, model, condition, filter, after, options, scope }),
    };
  });
}

/** 0 when it is absent. */
function readRevision(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  const revision = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(revision)) return revision;
  throw badRequest(
    `resourceVersion: "${formatExcerpt(text)}" is not a revision; use metadata.resourceVersion of a list`,
  );
}

function getCondition(
  resource: Resource,
  { namespace, name, query, conditionsMax = Infinity, ...options }: WatchOptions,
  nowMs: number,
): Condition {
  // Plain JavaScript may pass it. Without it, the watch would deliver all objects.
  if ('search' in options) throw badRequest('search cannot be combined with watch: scores need all objects');
  const selectors = {
    ...pickOptions(options, SELECTORS),
    ...(query !== undefined && { query }),
    ...(namespace !== undefined && { namespace }),
  };
  const { condition } = readListOptions(selectors, resource, nowMs);
  const count = conditionsIn(condition);
  if (count > conditionsMax)
    throw badRequest(`a watch may have at most ${conditionsMax} conditions, got ${count}`);
  return name === undefined ? condition : Queries.and(isNamed(resource, name), condition);
}

/** @param full the full name */
function isNamed(resource: Resource, full: string): Condition {
  const { namespace, name } = splitFullName(full, resource);
  const isName = Queries.equal('metadata.name', name);
  return namespace === undefined ? isName : Queries.and({ op: 'namespace', namespace }, isName);
}

async function* watch(plan: WatchPlan): AsyncGenerator<WatchPart, undefined> {
  const { context, model, options } = plan;
  const ending = createEndSignal(options);
  try {
    const after = plan.after ?? (yield* initialParts(plan, ending.signal));
    const subscription = context.hub.subscribe(model.table, { after, signal: ending.signal });
    try {
      yield* liveParts(plan, subscription, after);
    } finally {
      subscription.close();
    }
  } finally {
    ending.forget();
  }
}

/** A signal for the end of the watch: by the caller's signal, or by its timeout. */
function createEndSignal({ signal, timeoutMs }: WatchOptions): {
  readonly signal: AbortSignal;
  forget(): void;
} {
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

/** The existing objects, all of one revision, which it returns. */
async function* initialParts(
  { context, model, condition, options, scope }: WatchPlan,
  ending: AbortSignal,
): AsyncGenerator<WatchPart, number> {
  const { work } = options;
  const list = await listRaw(context, model, { query: condition }, { work, scope });
  const revision = Number(list.metadata.resourceVersion);
  const objects = iterateCopies(list);
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
    // Each part is deferred until the next one, so that a single part is known to be the whole.
    let pending: readonly Buffer[] = [];
    let isWhole = true;
    for await (const chunk of objects) {
      if (ending.aborted) return revision;
      if (pending.length > 0) {
        isWhole = false;
        yield { kind: 'initial', objects: pending, isWhole };
      }
      pending = chunk;
      for (const error of list.unshown.recent) yield { kind: 'unshown', error };
    }
    if (pending.length > 0 && !state.isLate && !ending.aborted)
      yield { kind: 'initial', objects: isWhole ? byRevision(pending) : pending, isWhole };
  } finally {
    clearTimeout(tooLong);
  }
  if (state.isLate) throw new ServiceError('Expired', 'too slow: reading the existing objects took too long');
  if (!ending.aborted) yield { kind: 'initial-end', revision, isAsked: options.sendInitialEvents === true };
  return revision;
}

function byRevision(objects: readonly Buffer[]): readonly Buffer[] {
  const numbered = objects.map((json) => ({
    json,
    revision: Number(parseObject(json).metadata.resourceVersion),
  }));
  return numbered.sort((a, b) => a.revision - b.revision).map(({ json }) => json);
}

async function* liveParts(
  { context, ref, condition, options, scope, filter: first }: WatchPlan,
  subscription: Subscription,
  after: number,
): AsyncGenerator<WatchPart, undefined> {
  // The model may have been removed while the existing objects were delivered.
  context.models.view(ref);
  let reported = after;
  let filter = first;
  const tick = (): void => subscription.wake();
  const ticks = options.bookmarks === true ? setInterval(tick, context.bookmarkMs).unref() : undefined;
  try {
    for (;;) {
      const taken = await subscription.next();
      if (taken === 'ended') return;
      // The plugin may have been stopped.
      const current = context.models.view(ref);
      if (taken === 'woken') {
        const { position } = subscription;
        if (options.bookmarks !== true || position <= reported) continue;
        reported = position;
        yield { kind: 'bookmark', revision: position };
        continue;
      }
      const view = current.at(taken.table);
      if (taken.table !== filter.table) filter = filterWithin(view.ready(), condition, scope);
      const present = filter;
      const events = await withConversions(() => present.events(taken));
      const last = events.at(-1);
      if (last === undefined) continue;
      reported = last.revision;
      for (const part of await shownEvents(view, events)) {
        // A client that watches again gets the change when the program answers.
        if (part instanceof RemoteConversionError) throw part;
        yield part instanceof ConversionError
          ? { kind: 'unshown', error: part }
          : { kind: 'changes', events: await seenEvents(view, scope, part) };
      }
      // The next part was requested, so this one has been taken. The age of changes during catch-up is not lag.
      if (subscription.hasCaughtUp)
        context.measures.watchLagSeconds.observe(Math.max(0, Date.now() - taken.madeAtMs) / 1_000);
    }
  } finally {
    clearInterval(ticks);
  }
}

function filterWithin(model: ModelView, condition: Condition, scope: ObjectScope | undefined): ChangeFilter {
  const bound = bind(condition, model.resource);
  return new ChangeFilter(model.table, scope === undefined ? bound : bindWithin(bound, scope, model.table));
}

/** Events with the fields that the sender may see. */
async function seenEvents(
  model: ModelView,
  scope: ObjectScope | undefined,
  events: readonly ObjectEvent[],
): Promise<readonly ObjectEvent[]> {
  if (scope === undefined || !hidesFields(scope)) return events;
  const scoped = new ScopedModel(model, scope);
  const seen = events.map((event) => (): ObjectEvent => {
    const object = parseObject(event.bytes);
    const fields = scoped.fieldsOf(object) ?? fieldSetOf([]);
    return fields === 'all' ? event : { ...event, bytes: Buffer.from(JSON.stringify(fields.pick(object))) };
  });
  return withHeldConversions(model.table.isRemote ? seen : [], () => seen.map((one) => one()));
}

/** The annotation of the bookmark after the existing objects, as in Kubernetes. */
const INITIAL_END = { 'k8s.io/initial-events-end': 'true' } as const;

/** Creates the object of a bookmark. */
export function getBookmark(resource: Resource, revision: number, endsInitial: boolean): BookmarkObject {
  return {
    apiVersion: getApiVersion(resource),
    kind: resource.kind,
    metadata: {
      resourceVersion: String(revision),
      ...(endsInitial ? { annotations: INITIAL_END } : {}),
    },
  };
}

/**
 * A watch as objects, one event after another.
 * @param onError receives the errors of objects that cannot be converted to the requested version
 */
export async function* watchEvents(
  { resource, parts }: RawWatch,
  onError?: WatchOptions['onError'],
): AsyncGenerator<WatchEvent> {
  for await (const part of parts) {
    if (part.kind === 'unshown') onError?.(part.error);
    else if (part.kind === 'initial') {
      for (const bytes of part.objects) yield { type: 'ADDED', object: parseObject(bytes) };
    } else if (part.kind === 'changes') {
      for (const { type, bytes } of part.events) yield { type, object: parseObject(bytes) };
    } else if (part.kind === 'bookmark' || part.isAsked) {
      const object = getBookmark(resource, part.revision, part.kind === 'initial-end');
      yield { type: 'BOOKMARK', object };
    }
  }
}
