import { formatBytes, formatNumber, formatSeconds } from '../../lib/format.js';
import { t } from '../../texts.js';
import type { Reading } from '../../api/platform/recent-metrics.js';

/** Undefined when it was not measured; a gap in the line. */
type Measured = number | undefined;

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

export function getPlots(): readonly Plot[] {
  return [
    { title: t`Requests per second`, format: formatNumber, lines: [perSecond((one) => one.requests)] },
    {
      title: t`Response latency`,
      format: formatSeconds,
      lines: [
        { name: t`mean`, value: meanSeconds },
        { name: t`95 % within`, value: (now, before) => quantile(now, before, 0.95) },
      ],
    },
    { title: t`Changes per second`, format: formatNumber, lines: [perSecond((one) => one.revision)] },
    {
      title: t`Watches`,
      format: formatNumber,
      lines: [{ name: t`open`, value: ({ watchers }) => watchers }],
    },
    {
      title: t`Memory`,
      format: formatBytes,
      steps: POWERS,
      lines: [
        { name: t`resident`, value: ({ memoryBytes }) => memoryBytes },
        { name: t`heap`, value: ({ heapBytes }) => heapBytes },
      ],
    },
    {
      title: t`Store`,
      format: formatBytes,
      steps: POWERS,
      lines: [
        { name: t`file`, value: ({ storeBytes }) => storeBytes },
        { name: t`log`, value: ({ logBytes }) => logBytes },
      ],
    },
  ];
}

/** The increase of a counter. Undefined when it decreased: the service was restarted. */
export function perSecond(of: (one: Reading) => Measured, name = t`per second`): Line {
  const value = (now: Reading, before: Reading): Measured => {
    const [last, first] = [of(now), of(before)];
    const seconds = (now.timeMs - before.timeMs) / 1_000;
    if (last === undefined || first === undefined || last < first || seconds <= 0) return undefined;
    return (last - first) / seconds;
  };
  return { name, value };
}

function meanSeconds(now: Reading, before: Reading): Measured {
  const answers = now.answers - before.answers;
  return answers > 0 ? (now.answerSeconds - before.answerSeconds) / answers : undefined;
}

/** Upper end of the bucket that contains the quantile of all answers. */
function quantile(now: Reading, before: Reading, share: number): Measured {
  const answers = now.answers - before.answers;
  if (answers <= 0) return undefined;
  const found = now.answersWithin.findIndex(
    (count, i) => count - (before.answersWithin[i] ?? 0) >= share * answers,
  );
  return now.latencyBounds[found];
}

/** The limit of the distance between joined readings. The service keeps one in 15 seconds. */
const GAP_MS = 40_000;

/** The values of a line, one for each reading except the first. */
export function getValues({ value }: Line, readings: readonly Reading[]): readonly Measured[] {
  return readings.slice(1).map((now, i) => {
    const before = readings[i];
    const isNear = before !== undefined && now.timeMs - before.timeMs < GAP_MS;
    return isNear ? value(now, before) : undefined;
  });
}

/** The models with answers in the time of the readings, as `plural.group`, those with the most answers first. */
export function rankModels(readings: readonly Reading[]): readonly string[] {
  const [first, last] = [readings[0]?.answersByModel ?? {}, readings.at(-1)?.answersByModel ?? {}];
  return Object.entries(last)
    .map(([name, count]) => ({ name, answers: count - (first[name] ?? 0) }))
    .filter(({ answers }) => answers > 0)
    .sort((a, b) => b.answers - a.answers || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}
