import { arrayAt } from '../../lib/json.js';
import { getJson } from '../http.js';

/** Numbers of the service at a moment. Those of requests and answers grow from the start of the service on. */
interface Sample {
  /** RFC 3339. */
  readonly time: string;
  readonly requests: number;
  /** Answers without those of watches, which last as long as they are open. */
  readonly answers: number;
  readonly answerSeconds: number;
  /** For each bound, the number of answers that took no longer. */
  readonly answersWithin: readonly number[];
  readonly revision: number;
  readonly watchers: number;
  readonly memoryBytes: number;
  readonly heapBytes: number;
  readonly logBytes: number;
  /** Undefined when the service does not know the size of its store. */
  readonly storeBytes?: number;
  /** Of the answers, those about each of the most used models, by `plural.group`. */
  readonly answersByModel: Readonly<Record<string, number>>;
}

export interface Reading extends Sample {
  readonly timeMs: number;
  /** The bounds of `answersWithin`, in seconds. */
  readonly latencyBounds: readonly number[];
}

/**
 * The samples that the service kept, oldest first, and one of now.
 * @param since RFC 3339; undefined: those of the last hour
 */
export async function readRecentMetrics(
  since: string | undefined,
  signal: AbortSignal,
): Promise<readonly Reading[]> {
  const query = since === undefined ? '' : `?since=${encodeURIComponent(since)}`;
  const answer = await getJson(`/metrics/recent${query}`, signal);
  const latencyBounds = arrayAt(answer, 'latencyBounds') as readonly number[];
  const samples = arrayAt(answer, 'samples') as readonly Sample[];
  return samples.map((sample) => ({ ...sample, timeMs: Date.parse(sample.time), latencyBounds }));
}
