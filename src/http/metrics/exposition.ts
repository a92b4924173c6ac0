import type { Histogram } from '../../lib/histogram.js';

export type Labels = Readonly<Record<string, string>>;

/** A metric with its values, in the form of prom-client's JSON. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly object[];
}

/** Histograms of one name, with distinct labels. */
export interface HistogramFamily {
  readonly name: string;
  readonly help: string;
  readonly series: Iterable<readonly [Labels, Histogram]>;
}

export function toMetric({ name, help, series }: HistogramFamily): Metric {
  const values = [...series].flatMap(([labels, histogram]) => {
    const { atMost, count, sum } = histogram.read();
    const bucket = (le: number | string, value: number): object => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le },
      value,
    });
    return [
      ...histogram.bounds.map((bound, i) => bucket(bound, atMost[i] ?? count)),
      bucket('+Inf', count),
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  });
  return { name, help, type: 'histogram', values };
}

/** Prometheus' text format of the metrics of several processes together. */
export async function formatMetrics(processes: readonly (readonly Metric[])[]): Promise<string> {
  const { AggregatorRegistry } = await import('prom-client');
  const metricLists = processes.map((metrics) =>
    metrics.map((metric) => ({ ...metric, aggregator: getAggregator(metric.name) })),
  );
  return AggregatorRegistry.aggregate(metricLists).metrics();
}

/**
 * Metrics that are equal in all processes, because they belong to the store or the machine; and metrics whose sum has
 * no meaning.
 */
const OF_ALL =
  /^(xsvc_(objects|store_|log_|shared_log_(reachable|position|used|quota)|leader_token)|nodejs_(version_info|eventloop_lag)|process_max_fds$)/;

function getAggregator(name: string): 'min' | 'max' | 'sum' {
  if (name === 'process_start_time_seconds') return 'min';
  return OF_ALL.test(name) ? 'max' : 'sum';
}
