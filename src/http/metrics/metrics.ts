import type { Registry } from 'prom-client';
import type { ControllerMeasures } from '../../controller/running-controller.js';
import type { Histogram } from '../../lib/histogram.js';
import { text } from '../../openapi/platform.js';
import type { Service } from '../../service/service.js';
import type { SharedLogState, SpaceUse } from '../../store/engine.js';
import type { LogHead } from '../../store/log/log.js';
import type { ReadView } from '../../store/read-view.js';
import type { ControllerReports } from '../platform/controllers.js';
import { formatHistograms, type HistogramFamily, type Labels } from './exposition.js';
import type { Admission } from '../admission/admission.js';
import type { PlatformHandler, PlatformEndpoint } from '../platform/endpoint.js';
import type { Peers } from '../platform/peers.js';
import type { RequestMetrics } from './request-metrics.js';
import { sumExpositions } from './sum-expositions.js';

/** The file of the store. Free pages are reused before the file grows. */
export interface StoreSize {
  readonly pageBytes: number;
  readonly pages: number;
  readonly freePages: number;
}

export interface MetricsNeeds {
  readonly admission: Admission;
  readonly service: Service;
  readonly controllers?: Pick<ControllerReports, 'measures' | 'leader'> | undefined;
  /** Requests since the start, by method. */
  readonly requests: ReadonlyMap<string, number>;
  /** Durations of the requests. */
  readonly durations: Pick<RequestMetrics, 'series'>;
  /** Undefined when it is not known. */
  readonly storeSize?: (() => StoreSize) | undefined;
  /** Processes whose metrics are added to those of this process. */
  readonly peers?: Peers | undefined;
}

/**
 * Prometheus' text format. Histograms are updated during the measured work, at almost no cost; everything else is read
 * on request.
 */
export const METRICS: PlatformEndpoint<MetricsNeeds> = {
  method: 'GET',
  path: '/metrics',
  operation: {
    operationId: 'GetMetrics',
    summary: 'Metrics of the service, for Prometheus',
    answer: { description: 'The metrics.', content: { 'text/plain': { schema: text } } },
    errors: ['InternalError'],
  },
  handler: metricsHandler,
};

function metricsHandler(needs: MetricsNeeds): PlatformHandler {
  let registry: Promise<Registry> | undefined;
  const own = async (): Promise<string> => {
    registry ??= createRegistry(needs);
    const histograms = getHistograms(needs).map(formatHistograms);
    return [await (await registry).metrics(), ...histograms].join('');
  };
  const { peers } = needs;
  peers?.onAsked(TOPIC, own);
  return async (_req, res) => {
    const answers = await Promise.all([own(), peers?.ask(TOPIC) ?? []]);
    res.type(CONTENT_TYPE).send(peers === undefined ? answers[0] : sumExpositions(answers.flat()));
  };
}

const TOPIC = 'metrics';
/** Prometheus' text format. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

function getHistograms({ service, controllers, durations }: MetricsNeeds): readonly HistogramFamily[] {
  const { commitSeconds, commitChanges, watchLagSeconds } = service.measures;
  return [
    {
      name: 'xsvc_http_request_duration_seconds',
      help: 'Duration of requests from head to end of response, by route, verb and code; of watches, the time they were open',
      series: durations.series(),
    },
    {
      name: 'xsvc_commit_duration_seconds',
      help: 'Duration of commits until they are durable',
      series: [[{}, commitSeconds]],
    },
    { name: 'xsvc_commit_changes', help: 'Changes per commit', series: [[{}, commitChanges]] },
    {
      name: 'xsvc_watch_lag_seconds',
      help: 'Delay from a change until a watcher has read it',
      series: [[{}, watchLagSeconds]],
    },
    {
      name: 'xsvc_reconcile_duration_seconds',
      help: 'Duration of reconciles, by controller and outcome: success, error or conflict',
      series: (controllers?.measures() ?? []).flatMap(reconcileSeries),
    },
  ];
}

function reconcileSeries({ name, durations }: ControllerMeasures): (readonly [Labels, Histogram])[] {
  const results = ['success', 'error', 'conflict'] as const;
  return results.map((result) => [{ controller: name, result }, durations[result]]);
}

async function createRegistry(sources: MetricsNeeds): Promise<Registry> {
  const prom = await import('prom-client');
  const registry = new prom.Registry();
  prom.collectDefaultMetrics({ register: registry });
  // These have the names of counters but are gauges; the metrics without the suffix have the same values.
  for (const name of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${name}_total`);
  addRequests(prom, registry, sources);
  addAdmission(prom, registry, sources);
  addStore(prom, registry, sources);
  addSharedLog(prom, registry, sources);
  addSharedSpace(prom, registry, sources);
  addCaches(prom, registry, sources);
  addControllerGauges(prom, registry, sources);
  addLeader(prom, registry, sources);
  return registry;
}

type Prom = typeof import('prom-client');

function addRequests(
  { Counter, Gauge }: Prom,
  registry: Registry,
  { requests, service }: MetricsNeeds,
): void {
  const registers = [registry];
  new Counter({
    name: 'xsvc_http_requests_total',
    help: 'Requests, by method',
    labelNames: ['method'],
    registers,
    collect() {
      this.reset();
      for (const [method, count] of requests) this.inc({ method }, count);
    },
  });
  new Gauge({
    name: 'xsvc_watchers',
    help: 'Watches and controllers that follow changes',
    registers,
    collect() {
      this.set(service.hub.subscribers);
    },
  });
}

/** Use of the request limits, and refusals. */
function addAdmission({ Counter, Gauge }: Prom, registry: Registry, { admission }: MetricsNeeds): void {
  const registers = [registry];
  const { places, bodies, watches } = admission;
  const gauge = (name: string, help: string, value: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  };
  gauge('xsvc_expensive_running', 'Running expensive requests', () => places.running);
  gauge('xsvc_expensive_waiting', 'Waiting expensive requests', () => places.waiting);
  new Counter({
    name: 'xsvc_read_entries_total',
    help: 'Index entries, names and records read by lists and other requests',
    registers,
    collect() {
      this.reset();
      this.inc(admission.entries);
    },
  });
  gauge('xsvc_arriving_body_bytes', 'Memory of incoming request bodies', () => bodies.used);
  new Counter({
    name: 'xsvc_refused_total',
    help: 'Requests rejected because of load, by limit: expensive, bodies or watches',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, { refused }] of Object.entries({ expensive: places, bodies, watches }))
        this.inc({ reason }, refused);
    },
  });
}

function addStore({ Gauge }: Prom, registry: Registry, { service, storeSize }: MetricsNeeds): void {
  const registers = [registry];
  const { store, models } = service;
  const reading = async <T>(read: (view: ReadView) => Promise<T>): Promise<T> => {
    // The local state is sufficient, and available when a shared store is not.
    const view = store.read('local');
    try {
      return await read(view);
    } finally {
      view.close();
    }
  };
  const logGauge = (name: string, help: string, value: (head: LogHead) => number): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(value(await reading((view) => view.logHead())));
      },
    });
  };
  new Gauge({
    name: 'xsvc_objects',
    help: 'Stored objects, by model',
    labelNames: ['group', 'version', 'kind'],
    registers,
    async collect() {
      this.reset();
      await reading(async (view) => {
        for (const { group, version, kind, storageVersion } of models.list()) {
          // The versions of a model have the same objects.
          if (version !== storageVersion) continue;
          const table = store.findTable({ group, kind });
          if (table !== undefined) this.set({ group, version, kind }, (await view.count(table)).objects);
        }
      });
    },
  });
  logGauge('xsvc_store_revision', 'Revision of the last change', ({ revision }) => revision);
  logGauge('xsvc_log_entries', 'Changes in the log', ({ entries }) => entries);
  logGauge('xsvc_log_bytes', 'Size of the changes in the log', ({ bytes }) => bytes);
  if (storeSize === undefined) return;
  const sizeGauge = (name: string, help: string, value: (size: StoreSize) => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value(storeSize()));
      },
    });
  };
  sizeGauge('xsvc_store_bytes', 'Size of the store file', ({ pages, pageBytes }) => pages * pageBytes);
  sizeGauge(
    'xsvc_store_free_bytes',
    'Free space in the store file, which is reused',
    ({ freePages, pageBytes }) => freePages * pageBytes,
  );
  sizeGauge('xsvc_store_free_pages', 'Free pages in the store file', ({ freePages }) => freePages);
}

/** Metrics of a shared store; a store in a directory has none. */
function addSharedLog(
  { Counter, Gauge }: Prom,
  registry: Registry,
  { service: { store } }: MetricsNeeds,
): void {
  if (store.engine.sharedLog() === undefined) return;
  const registers = [registry];
  new Gauge({
    name: 'xsvc_shared_log_reachable',
    help: '1 when the shared store answers, else 0',
    registers,
    collect() {
      this.set(store.engine.sharedLog()?.isReachable === true ? 1 : 0);
    },
  });
  new Gauge({
    name: 'xsvc_shared_log_position',
    help: 'Sequence number of the last record of the shared log applied by this process',
    registers,
    collect() {
      this.set(store.engine.sharedLog()?.seq ?? 0);
    },
  });
  new Counter({
    name: 'xsvc_shared_log_appends_total',
    help: 'Groups of commits, by outcome: appended, moved (had to run again), unknown',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      const { appended = 0, moved = 0, unknown = 0 } = store.engine.sharedLog() ?? {};
      for (const [outcome, count] of Object.entries({ appended, moved, unknown }))
        this.inc({ outcome }, count);
    },
  });
  const sum = (name: string, help: string, value: (state: SharedLogState) => number): void => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        const state = store.engine.sharedLog();
        this.reset();
        if (state !== undefined) this.inc(value(state));
      },
    });
  };
  sum('xsvc_shared_log_looks_total', 'Polls of the log for new records', ({ looks }) => looks);
  sum('xsvc_shared_log_look_seconds_total', 'Duration of these polls', ({ lookMs }) => lookMs / 1000);
}

/** The space that a shared store uses, and its quota. */
function addSharedSpace({ Gauge }: Prom, registry: Registry, { service: { store } }: MetricsNeeds): void {
  if (store.engine.sharedLog()?.space === undefined) return;
  const gauge = (name: string, help: string, value: (space: SpaceUse) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const space = store.engine.sharedLog()?.space;
        if (space !== undefined) this.set(value(space));
      },
    });
  };
  gauge(
    'xsvc_shared_log_used_bytes',
    'Space used on the servers of the shared store',
    (use) => use.usedBytes,
  );
  gauge(
    'xsvc_shared_log_quota_bytes',
    'Space quota of the servers of the shared store; when it is reached they reject writes',
    (use) => use.quotaBytes,
  );
}

function addCaches({ Gauge }: Prom, registry: Registry, { service: { cacheBudget } }: MetricsNeeds): void {
  const registers = [registry];
  new Gauge({
    name: 'xsvc_cache_bytes',
    help: 'Approximate memory of caches, by content',
    labelNames: ['cache'],
    registers,
    collect() {
      for (const [cache, bytes] of cacheBudget.bytesByName()) this.set({ cache }, bytes);
    },
  });
  new Gauge({
    name: 'xsvc_cache_budget_bytes',
    help: 'Memory limit of all caches together, see --cache-bytes',
    registers,
    collect() {
      this.set(cacheBudget.bytesMax);
    },
  });
}

function addControllerGauges(
  { Counter, Gauge }: Prom,
  registry: Registry,
  { controllers }: MetricsNeeds,
): void {
  const registers = [registry];
  new Gauge({
    name: 'xsvc_controller_queue_depth',
    help: 'Names waiting for a free worker, by controller',
    labelNames: ['controller'],
    registers,
    collect() {
      this.reset();
      for (const { name, queueDepth } of controllers?.measures() ?? [])
        this.set({ controller: name }, queueDepth);
    },
  });
  new Counter({
    name: 'xsvc_reconcile_errors_total',
    help: 'Reconciles that ended with an error, conflicts not counted, by controller',
    labelNames: ['controller'],
    registers,
    collect() {
      this.reset();
      for (const { name, durations } of controllers?.measures() ?? [])
        this.inc({ controller: name }, durations.error.read().count);
    },
  });
}

function addLeader({ Gauge }: Prom, registry: Registry, { controllers }: MetricsNeeds): void {
  if (controllers === undefined) return;
  const registers = [registry];
  new Gauge({
    name: 'xsvc_leader',
    help: '1 while this process is the leader of its store, which runs controllers and maintenance',
    registers,
    collect() {
      this.set(controllers.leader().isSelf ? 1 : 0);
    },
  });
  new Gauge({
    name: 'xsvc_leader_token',
    help: 'Number of the leadership term; increases with each change of the leader',
    registers,
    collect() {
      this.set(controllers.leader().token);
    },
  });
}
