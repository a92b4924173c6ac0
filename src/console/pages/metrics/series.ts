import { formatBytes, formatNumber, formatSeconds } from '../../lib/format.js';
import type { Texts } from '../../texts.js';
import type { Reading } from './reading.js';

/** Undefined when it was not measured; a gap in the line. */
type Measured = number | undefined;

/** A line of a plot. */
export interface Line {
  readonly name: string;
  /** @param before the previous reading */
  readonly value: (now: Reading, before: Reading) => Measured;
}

export interface Plot {
  readonly title: string;
  readonly format: (value: number) => string;
  /** Allowed distances of the axis' numbers; the defaults of uPlot are 1, 2 and 5 with zeros. */
  readonly steps?: number[];
  readonly lines: readonly Line[];
}

/** Powers of two: round numbers of KiB and MiB. */
const POWERS = Array.from({ length: 50 }, (_, power) => 2 ** power);

/** The plots in order. */
export function getPlots(metrics: Texts['metrics']): readonly Plot[] {
  return [
    {
      title: metrics.requests,
      format: formatNumber,
      lines: [{ name: metrics.perSecond, value: (now, before) => rate(now, before, (one) => one.requests) }],
    },
    {
      title: metrics.latency,
      format: formatSeconds,
      lines: [
        { name: metrics.mean, value: meanSeconds },
        { name: metrics.p95, value: (now, before) => quantile(now, before, 0.95) },
      ],
    },
    {
      title: metrics.changes,
      format: formatNumber,
      lines: [{ name: metrics.perSecond, value: (now, before) => rate(now, before, (one) => one.revision) }],
    },
    {
      title: metrics.watches,
      format: formatNumber,
      lines: [{ name: metrics.open, value: ({ watchers }) => watchers }],
    },
    {
      title: metrics.memory,
      format: formatBytes,
      steps: POWERS,
      lines: [
        { name: metrics.resident, value: ({ memoryBytes }) => memoryBytes },
        { name: metrics.heap, value: ({ heapBytes }) => heapBytes },
      ],
    },
    {
      title: metrics.store,
      format: formatBytes,
      steps: POWERS,
      lines: [
        { name: metrics.file, value: ({ storeBytes }) => storeBytes },
        { name: metrics.log, value: ({ logBytes }) => logBytes },
      ],
    },
  ];
}

/** Undefined when the counter decreased: the service was restarted. */
function rate(now: Reading, before: Reading, of: (one: Reading) => Measured): Measured {
  const [last, first] = [of(now), of(before)];
  const seconds = (now.timeMs - before.timeMs) / 1_000;
  if (last === undefined || first === undefined || last < first || seconds <= 0) return undefined;
  return (last - first) / seconds;
}

function meanSeconds(now: Reading, before: Reading): Measured {
  const answers = now.answers - before.answers;
  return answers > 0 ? (now.answerSeconds - before.answerSeconds) / answers : undefined;
}

/** Upper end of the bucket that contains the quantile of all answers. */
function quantile(now: Reading, before: Reading, share: number): Measured {
  const answers = now.answers - before.answers;
  if (answers <= 0) return undefined;
  const counted = [...now.buckets].sort(([a], [b]) => a - b);
  const found = counted.find(
    ([seconds, count]) => count - (before.buckets.get(seconds) ?? 0) >= share * answers,
  );
  return found !== undefined && Number.isFinite(found[0]) ? found[0] : undefined;
}

/** The limit of the distance between joined readings: nothing was read in a larger gap. */
const GAP_MS = 10_000;

/** The values of a line, one for each reading except the first. */
export function getValues({ value }: Line, readings: readonly Reading[]): readonly Measured[] {
  return readings.slice(1).map((now, i) => {
    const before = readings[i];
    const isNear = before !== undefined && now.timeMs - before.timeMs < GAP_MS;
    return isNear ? value(now, before) : undefined;
  });
}
