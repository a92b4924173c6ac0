import { SECONDS } from '../../lib/histogram.js';
import type { Platform } from '../platform/platform.js';

/** The limit of models whose answers are counted separately, so that samples stay small. */
export const MODELS_MAX = 100;

/** Numbers of the service at a moment. Those of requests and answers grow from the start of the service on. */
export interface MetricsSample {
  /** RFC 3339. */
  readonly time: string;
  readonly requests: number;
  /** Answers without those of watches, which last as long as they are open. */
  readonly answers: number;
  /** Duration of all these answers together. */
  readonly answerSeconds: number;
  /** For each bound of {@link SECONDS}, the number of answers that did not take longer. */
  readonly answersWithin: readonly number[];
  /** Revision of the last change of the store. */
  readonly revision: number;
  readonly watchers: number;
  readonly memoryBytes: number;
  readonly heapBytes: number;
  readonly logBytes: number;
  /** Absent when the size of the store is not known. */
  readonly storeBytes?: number;
  /** Of the answers, those about the models that were asked for first, by `plural.group`. */
  readonly answersByModel: Readonly<Record<string, number>>;
}

export type SampleSource = Pick<Platform, 'service' | 'requests' | 'durations' | 'storeSize'>;

/** @param timeMs the time of the sample, in milliseconds since 1970 */
export async function takeSample(source: SampleSource, timeMs: number): Promise<MetricsSample> {
  const { service, requests, durations, storeSize } = source;
  const head = await service.store.within((view) => view.logHead(), 'local');
  const { rss, heapUsed } = process.memoryUsage();
  const size = storeSize?.();
  return {
    time: new Date(timeMs).toISOString(),
    requests: sumOf(requests.values()),
    ...countAnswers(durations),
    revision: head.revision,
    watchers: service.hub.subscribers,
    memoryBytes: rss,
    heapBytes: heapUsed,
    logBytes: head.bytes,
    ...(size && { storeBytes: size.pages * size.pageBytes }),
  };
}

function countAnswers(
  durations: Platform['durations'],
): Pick<MetricsSample, 'answers' | 'answerSeconds' | 'answersWithin' | 'answersByModel'> {
  const byModel = new Map<string, number>();
  let [answers, answerSeconds] = [0, 0];
  let answersWithin: readonly number[] = SECONDS.map(() => 0);
  for (const [{ verb, route }, histogram] of durations.series()) {
    if (verb === 'watch') continue;
    const { atMost, count, sum } = histogram.read();
    answers += count;
    answerSeconds += sum;
    answersWithin = addEach(answersWithin, atMost);
    const model = route === undefined ? undefined : durations.modelOf(route);
    if (model === undefined || (byModel.size >= MODELS_MAX && !byModel.has(model))) continue;
    byModel.set(model, (byModel.get(model) ?? 0) + count);
  }
  return { answers, answerSeconds, answersWithin, answersByModel: Object.fromEntries(byModel) };
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

function addEach(numbers: readonly number[], others: readonly number[]): readonly number[] {
  return numbers.map((number, i) => number + (others[i] ?? 0));
}

/** Combines samples of several processes, in the order of their times. */
export function addSamples(lists: readonly (readonly MetricsSample[])[]): readonly MetricsSample[] {
  const byTime = new Map<string, MetricsSample>();
  for (const sample of lists.flat()) {
    const known = byTime.get(sample.time);
    byTime.set(sample.time, known === undefined ? sample : addSample(known, sample));
  }
  return [...byTime.values()].sort((a, b) => (a.time < b.time ? -1 : 1));
}

/** The numbers of the store are the same in all processes. */
function addSample(one: MetricsSample, other: MetricsSample): MetricsSample {
  return {
    ...one,
    requests: one.requests + other.requests,
    answers: one.answers + other.answers,
    answerSeconds: one.answerSeconds + other.answerSeconds,
    answersWithin: addEach(one.answersWithin, other.answersWithin),
    answersByModel: addByName(one.answersByModel, other.answersByModel),
    watchers: one.watchers + other.watchers,
    memoryBytes: one.memoryBytes + other.memoryBytes,
    heapBytes: one.heapBytes + other.heapBytes,
    revision: Math.max(one.revision, other.revision),
    logBytes: Math.max(one.logBytes, other.logBytes),
  };
}

function addByName(
  one: MetricsSample['answersByModel'],
  other: MetricsSample['answersByModel'],
): MetricsSample['answersByModel'] {
  const more = Object.entries(other).map(([name, count]) => [name, (one[name] ?? 0) + count] as const);
  return { ...one, ...Object.fromEntries(more) };
}
