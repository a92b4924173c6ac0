import type { Samples } from '../../api/platform/metrics.js';

/** The counters and gauges of the service at a moment. */
export interface Reading {
  readonly timeMs: number;
  readonly requests: number | undefined;
  /** Answers without those of watches, which last as long as they are open. */
  readonly answers: number;
  readonly answerSeconds: number;
  /** The number of answers by their upper limit in seconds. */
  readonly buckets: ReadonlyMap<number, number>;
  readonly revision: number | undefined;
  readonly watchers: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly heapBytes: number | undefined;
  readonly storeBytes: number | undefined;
  readonly logBytes: number | undefined;
}

/** The metrics of a reading. */
export const READ =
  /^(xsvc_(http_request|watchers|store_|log_)|process_resident_memory_bytes|nodejs_heap_size_used_bytes)/;

const DURATION = 'xsvc_http_request_duration_seconds';

export function getReading(samples: Samples, timeMs: number): Reading {
  const buckets = new Map<number, number>();
  const total = (name: string): number => {
    let sum = 0;
    for (const { labels, value } of samples.all(name)) if (labels.verb !== 'watch') sum += value;
    return sum;
  };
  for (const { labels, value } of samples.all(`${DURATION}_bucket`)) {
    const { le = '', verb } = labels;
    const seconds = le === '+Inf' ? Infinity : Number(le);
    if (verb !== 'watch') buckets.set(seconds, (buckets.get(seconds) ?? 0) + value);
  }
  return {
    timeMs,
    requests: samples.all('xsvc_http_requests_total').reduce((sum, { value }) => sum + value, 0),
    answers: total(`${DURATION}_count`),
    answerSeconds: total(`${DURATION}_sum`),
    buckets,
    revision: samples.value('xsvc_store_revision'),
    watchers: samples.value('xsvc_watchers'),
    memoryBytes: samples.value('process_resident_memory_bytes'),
    heapBytes: samples.value('nodejs_heap_size_used_bytes'),
    storeBytes: samples.value('xsvc_store_bytes'),
    logBytes: samples.value('xsvc_log_bytes'),
  };
}
