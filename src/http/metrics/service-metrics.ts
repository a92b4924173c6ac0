import { isStorageVersion } from '../../model/resource.js';
import type { Service } from '../../service/service.js';
import type { LogHead } from '../../store/log/log.js';
import type { ReadView } from '../../store/read-view.js';
import type { Labels } from './exposition.js';
import type { Platform } from '../platform/platform.js';

/** A value, or values by labels; undefined while there is none. */
export type MetricReading = number | undefined | readonly (readonly [labels: Labels, value: number])[];

/** A metric whose values are read on request. */
export interface ServiceMetric {
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[] | undefined;
  readonly read: () => MetricReading | Promise<MetricReading>;
}

/** All metrics of the service but histograms, in the order of the answer. */
export function serviceMetrics(platform: Platform): readonly ServiceMetric[] {
  return [
    ...requestMetrics(platform),
    ...storeMetrics(platform),
    ...sharedLogMetrics(platform),
    ...cacheMetrics(platform),
    ...controllerMetrics(platform),
    ...webhookMetrics(platform),
  ];
}

function gauge(
  name: string,
  help: string,
  read: ServiceMetric['read'],
  labels?: readonly string[],
): ServiceMetric {
  return { type: 'gauge', name, help, read, labels };
}

function counter(
  name: string,
  help: string,
  read: ServiceMetric['read'],
  labels?: readonly string[],
): ServiceMetric {
  return { type: 'counter', name, help, read, labels };
}

/** Requests, and the use of their limits. */
function requestMetrics({ requests, service, admission }: Platform): readonly ServiceMetric[] {
  const { places, bodies, watches } = admission;
  return [
    counter(
      'xsvc_http_requests_total',
      'Requests, by method',
      () => [...requests].map(([method, count]) => [{ method }, count]),
      ['method'],
    ),
    gauge('xsvc_watchers', 'Watches and controllers that follow changes', () => service.hub.subscribers),
    gauge('xsvc_expensive_running', 'Running expensive requests', () => places.running),
    gauge('xsvc_expensive_waiting', 'Waiting expensive requests', () => places.waiting),
    counter(
      'xsvc_read_entries_total',
      'Index entries, names and records read by lists and other requests',
      () => admission.entries,
    ),
    gauge('xsvc_arriving_body_bytes', 'Memory of incoming request bodies', () => bodies.used),
    counter(
      'xsvc_refused_total',
      'Requests rejected because of load, by limit: expensive, bodies or watches',
      () =>
        Object.entries({ expensive: places, bodies, watches }).map(([reason, { refused }]) => [
          { reason },
          refused,
        ]),
      ['reason'],
    ),
  ];
}

/** Reads the state of this process: it is sufficient, and available when a shared store is not. */
function storeMetrics({ service, storeSize }: Platform): readonly ServiceMetric[] {
  const log = (name: string, help: string, value: (head: LogHead) => number): ServiceMetric =>
    gauge(name, help, () => service.store.within(async (view) => value(await view.logHead()), 'local'));
  const metrics = [
    gauge(
      'xsvc_objects',
      'Stored objects, by model',
      () => service.store.within((view) => countObjects(service, view), 'local'),
      ['group', 'version', 'kind'],
    ),
    log('xsvc_store_revision', 'Revision of the last change', ({ revision }) => revision),
    log('xsvc_log_entries', 'Changes in the log', ({ entries }) => entries),
    log('xsvc_log_bytes', 'Size of the changes in the log', ({ bytes }) => bytes),
  ];
  if (storeSize === undefined) return metrics;
  return [
    ...metrics,
    gauge('xsvc_store_bytes', 'Size of the store file', () => {
      const { pages, pageBytes } = storeSize();
      return pages * pageBytes;
    }),
    gauge('xsvc_store_free_bytes', 'Free space in the store file, which is reused', () => {
      const { freePages, pageBytes } = storeSize();
      return freePages * pageBytes;
    }),
    gauge('xsvc_store_free_pages', 'Free pages in the store file', () => storeSize().freePages),
  ];
}

async function countObjects({ store, models }: Service, view: ReadView): Promise<MetricReading> {
  const counts: (readonly [Labels, number])[] = [];
  for (const resource of models.list()) {
    // The versions of a model have the same objects.
    if (!isStorageVersion(resource)) continue;
    const { group, version, kind } = resource;
    const table = store.findTable({ group, kind });
    if (table !== undefined) counts.push([{ group, version, kind }, (await view.count(table)).objects]);
  }
  return counts;
}

/** Metrics of a shared store; a store in a directory has none. */
function sharedLogMetrics({ service: { store } }: Platform): readonly ServiceMetric[] {
  const state = store.engine.sharedLog();
  if (state === undefined) return [];
  const metrics: readonly ServiceMetric[] = [
    gauge('xsvc_shared_log_reachable', '1 when the shared store answers, else 0', () =>
      store.engine.sharedLog()?.isReachable === true ? 1 : 0,
    ),
    gauge(
      'xsvc_shared_log_position',
      'Sequence number of the last record of the shared log applied by this process',
      () => store.engine.sharedLog()?.seq ?? 0,
    ),
    counter(
      'xsvc_shared_log_appends_total',
      'Groups of commits, by outcome: appended, moved (had to run again), unknown',
      () => {
        const { appended = 0, moved = 0, unknown = 0 } = store.engine.sharedLog() ?? {};
        return Object.entries({ appended, moved, unknown }).map(([outcome, count]) => [{ outcome }, count]);
      },
      ['outcome'],
    ),
    counter(
      'xsvc_shared_log_looks_total',
      'Polls of the log for new records',
      () => store.engine.sharedLog()?.looks,
    ),
    counter(
      'xsvc_shared_log_look_seconds_total',
      'Duration of these polls',
      () => (store.engine.sharedLog()?.lookMs ?? 0) / 1000,
    ),
  ];
  if (state.space === undefined) return metrics;
  return [
    ...metrics,
    gauge(
      'xsvc_shared_log_used_bytes',
      'Space used on the servers of the shared store',
      () => store.engine.sharedLog()?.space?.usedBytes,
    ),
    gauge(
      'xsvc_shared_log_quota_bytes',
      'Space quota of the servers of the shared store; when it is reached they reject writes',
      () => store.engine.sharedLog()?.space?.quotaBytes,
    ),
  ];
}

function cacheMetrics({ service: { cacheBudget } }: Platform): readonly ServiceMetric[] {
  return [
    gauge(
      'xsvc_cache_bytes',
      'Approximate memory of caches, by content',
      () => [...cacheBudget.bytesByName()].map(([cache, bytes]) => [{ cache }, bytes]),
      ['cache'],
    ),
    gauge(
      'xsvc_cache_budget_bytes',
      'Memory limit of all caches together, see --cache-bytes',
      () => cacheBudget.bytesMax,
    ),
  ];
}

function controllerMetrics({ controllers }: Platform): readonly ServiceMetric[] {
  const metrics: readonly ServiceMetric[] = [
    gauge(
      'xsvc_controller_queue_depth',
      'Names waiting for a free worker, by controller',
      () => (controllers?.measures() ?? []).map(({ name, queueDepth }) => [{ controller: name }, queueDepth]),
      ['controller'],
    ),
    counter(
      'xsvc_reconcile_errors_total',
      'Reconciles that ended with an error, conflicts not counted, by controller',
      () =>
        (controllers?.measures() ?? []).map(({ name, durations }) => [
          { controller: name },
          durations.error.read().count,
        ]),
      ['controller'],
    ),
  ];
  if (controllers === undefined) return metrics;
  return [
    ...metrics,
    gauge(
      'xsvc_leader',
      '1 while this process is the leader of its store, which runs controllers and maintenance',
      () => (controllers.leader().isSelf ? 1 : 0),
    ),
    gauge(
      'xsvc_leader_token',
      'Number of the leadership term; increases with each change of the leader',
      () => controllers.leader().token,
    ),
  ];
}

function webhookMetrics({ webhooks }: Platform): readonly ServiceMetric[] {
  if (webhooks === undefined) return [];
  return [
    counter(
      'xsvc_webhook_attempts_total',
      'Requests to webhooks, by result: delivered, retried or failed (given up)',
      () =>
        webhooks
          .measures()
          .flatMap(({ name, attempts }) =>
            [...attempts].map(([result, count]) => [{ webhook: name, result }, count] as const),
          ),
      ['webhook', 'result'],
    ),
    gauge(
      'xsvc_webhook_pending',
      'Changes that were read and are not delivered, by webhook',
      () =>
        webhooks
          .measures()
          .flatMap(({ name, pending }) =>
            pending === undefined ? [] : [[{ webhook: name }, pending] as const],
          ),
      ['webhook'],
    ),
  ];
}
