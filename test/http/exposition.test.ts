import { expect, it } from 'vitest';
import { formatMetrics, toMetric, type Metric } from '../../src/http/metrics/exposition.js';
import { Histogram } from '../../src/lib/histogram.js';

function durations(...seconds: readonly number[]): Metric {
  const histogram = new Histogram([0.5, 1]);
  for (const one of seconds) histogram.observe(one);
  return toMetric({ name: 'd', help: 'Durations', series: [[{ verb: 'a "b"' }, histogram]] });
}

const metric = (name: string, type: string, values: readonly object[]): Metric => ({
  name,
  help: 'Help',
  type,
  values,
});
const value = (number: number, labels: object = {}): object => ({ value: number, labels });

const FIRST: readonly Metric[] = [
  metric('xsvc_http_requests_total', 'counter', [value(3, { method: 'GET' })]),
  metric('xsvc_objects', 'gauge', [value(7, { kind: 'a b' })]),
  metric('process_start_time_seconds', 'gauge', [value(1700)]),
  durations(0.25, 2),
];

const SECOND: readonly Metric[] = [
  metric('xsvc_http_requests_total', 'counter', [value(4, { method: 'GET' }), value(1, { method: 'POST' })]),
  metric('xsvc_objects', 'gauge', [value(7, { kind: 'a b' })]),
  metric('process_start_time_seconds', 'gauge', [value(1800)]),
  durations(0.75),
  metric('only', 'gauge', [value(Infinity)]),
];

const lines = (text: string): string[] => text.split('\n').filter((line) => /^[^#]/.test(line));

it('adds up the counters of processes, and has values of the store once', async () => {
  expect(lines(await formatMetrics([FIRST, SECOND]))).toEqual([
    'xsvc_http_requests_total{method="GET"} 7',
    'xsvc_http_requests_total{method="POST"} 1',
    'xsvc_objects{kind="a b"} 7',
    'process_start_time_seconds 1700',
    'd_bucket{verb="a \\"b\\"",le="0.5"} 1',
    'd_bucket{verb="a \\"b\\"",le="1"} 2',
    'd_bucket{verb="a \\"b\\"",le="+Inf"} 3',
    'd_sum{verb="a \\"b\\""} 3',
    'd_count{verb="a \\"b\\""} 3',
    'only +Inf',
  ]);
});

it('has help and type of each metric, also without values', async () => {
  const none = toMetric({ name: 'none', help: 'None', series: [] });
  expect(await formatMetrics([[none]])).toBe('# HELP none None\n# TYPE none histogram\n');
});
