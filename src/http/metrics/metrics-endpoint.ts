import type { Counter, Gauge, Registry } from 'prom-client';
import type { ControllerMeasures } from '../../controller/running-controller.js';
import type { Histogram } from '../../lib/histogram.js';
import { text } from '../../openapi/schema-parts.js';
import { formatMetrics, toMetric, type HistogramFamily, type Labels, type Metric } from './exposition.js';
import type { PlatformHandler, PlatformEndpoint } from '../platform/endpoint.js';
import { serviceMetrics, type MetricReading, type ServiceMetric } from './service-metrics.js';
import type { Platform } from '../platform/platform.js';

/**
 * Prometheus' text format. Histograms are updated during the measured work, at almost no cost; everything else is read
 * on request.
 */
export const METRICS: PlatformEndpoint = {
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

function metricsHandler(platform: Platform): PlatformHandler {
  let registry: Promise<Registry> | undefined;
  const readOwnMetrics = async (): Promise<readonly Metric[]> => {
    registry ??= createRegistry(platform);
    return [...(await (await registry).getMetricsAsJSON()), ...getHistograms(platform).map(toMetric)];
  };
  const { peers } = platform;
  peers?.onAsked(TOPIC, async () => JSON.stringify(await readOwnMetrics()));
  return async (_req, res) => {
    const [metrics, answers] = await Promise.all([readOwnMetrics(), peers?.ask(TOPIC) ?? []]);
    const peerMetrics = answers.map((answer) => JSON.parse(answer) as readonly Metric[]);
    res.type(CONTENT_TYPE).send(await formatMetrics([metrics, ...peerMetrics]));
  };
}

const TOPIC = 'metrics';
/** Prometheus' text format. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

function getHistograms({ service, controllers, durations }: Platform): readonly HistogramFamily[] {
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

async function createRegistry(platform: Platform): Promise<Registry> {
  const prom = await import('prom-client');
  const registry = new prom.Registry();
  prom.collectDefaultMetrics({ register: registry });
  // These have the names of counters but are gauges; the metrics without the suffix have the same values.
  for (const name of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${name}_total`);
  for (const metric of serviceMetrics(platform)) register(prom, registry, metric);
  return registry;
}

function register(
  prom: typeof import('prom-client'),
  registry: Registry,
  { type, name, help, labels = [], read }: ServiceMetric,
): void {
  const given = { name, help, labelNames: labels, registers: [registry] };
  if (type === 'counter')
    new prom.Counter({
      ...given,
      async collect() {
        write(this, await read());
      },
    });
  else
    new prom.Gauge({
      ...given,
      async collect() {
        write(this, await read());
      },
    });
}

function write(metric: Counter | Gauge, reading: MetricReading): void {
  if (reading === undefined) return;
  metric.reset();
  const samples = typeof reading === 'number' ? [[{}, reading] as const] : reading;
  for (const [labels, value] of samples) metric.inc(labels, value);
}
