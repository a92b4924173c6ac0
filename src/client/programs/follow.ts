import { isRecord } from '../../lib/json/json.js';
import { getFailure, parseOrUndefined } from '../status.js';
import { ApiError, hasReason, isNotServed, isTransient } from './api-error.js';
import { readLines } from './lines.js';

/** The service sends an empty line every 10 s, so a longer silence is that of a broken connection. */
const SILENCE_MS = 30_000;
const DELAY_MS = 250;
const DELAY_MAX_MS = 10_000;
/** Requests for a model that was served before and is not, as while its plugin is loaded again. */
const NOT_SERVED_MAX = 8;

/** The annotation of the bookmark after the existing objects. */
const INITIAL_END = 'k8s.io/initial-events-end';
/** The field of the cause when one object cannot be converted; the stream continues. */
const CONVERSION_FIELD = 'apiVersion';

/** An event of a stream. `RELIST`: changes were missed, and all that follows is after them. */
export type StreamEvent =
  | { readonly type: 'RELIST' }
  | {
      readonly type: string;
      readonly object: Readonly<Record<string, unknown>>;
      readonly resourceVersion: string;
    };

export interface StreamSource {
  /** Opens the stream of the changes after a revision; without one it has another beginning. */
  readonly open: (after: string | undefined) => Promise<Response>;
  /** The revision to start from. */
  readonly from: string | undefined;
  /** True when a stream without a revision begins with the existing objects and a bookmark after them. */
  readonly hasInitial: boolean;
  /** False: the first request fails as all others do, and is repeated. */
  readonly isFirst: boolean;
  /** Called with the failure of a request that is repeated, and with undefined when a stream is open. */
  readonly onFailure?: (error: ApiError | undefined) => void;
  /** Called with the error of one object that cannot be converted. */
  readonly onError?: ((error: ApiError) => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * The events of a watch. An interrupted stream is opened again after its last event, so that no event is lost or repeated. When
 * the log does not go back so far, `RELIST` comes before the events of the next stream. Ends when the signal is aborted.
 * @throws ApiError the first request failed, or the service refuses a later one
 */
export async function* follow(source: StreamSource): AsyncGenerator<StreamEvent, undefined> {
  const { signal, onFailure } = source;
  let position = source.from;
  let { isFirst } = source;
  let isMissed = false;
  let failures = 0;
  const isEnded = (): boolean => signal.aborted;
  while (!isEnded()) {
    let failure: unknown;
    try {
      const { body, headers } = await source.open(position);
      if (!/\bjson\b/.test(headers.get('Content-Type') ?? '')) {
        await body?.cancel();
        throw malformed();
      }
      if (isMissed || (position === undefined && !isFirst)) yield { type: 'RELIST' };
      isMissed = isFirst = false;
      onFailure?.(undefined);
      let isInitial = position === undefined && source.hasInitial;
      for await (const line of readLines(body, { signal, silenceMs: SILENCE_MS })) {
        failures = 0;
        const event = readEvent(line, source);
        if (event === undefined) continue;
        // The existing objects come in any order: after an interruption they come again.
        if (event.isInitialEnd) isInitial = false;
        if (!isInitial) position = event.resourceVersion;
        yield event;
      }
    } catch (error) {
      if (isEnded()) return;
      failure = error;
      if (hasReason(error, 'Expired')) {
        [position, isMissed] = [undefined, true];
      } else {
        const isAwaited = isNotServed(error) && failures < NOT_SERVED_MAX;
        if (isFirst || !(isTransient(error) || isAwaited)) throw error;
        onFailure?.(error);
      }
    }
    await pause(delayMs(failures++, failure), signal);
  }
}

function readEvent(
  line: string,
  { onError }: StreamSource,
): (Exclude<StreamEvent, { type: 'RELIST' }> & { readonly isInitialEnd: boolean }) | undefined {
  if (line === '') return undefined;
  const parsed = parseOrUndefined(line);
  const { type, object } = isRecord(parsed) ? parsed : {};
  if (typeof type !== 'string' || !isRecord(object)) throw malformed();
  if (type === 'ERROR') {
    const code = typeof object.code === 'number' ? object.code : 500;
    const error = new ApiError(code, getFailure('the watch', code, object));
    if (error.details.causes?.[0]?.field !== CONVERSION_FIELD) throw error;
    onError?.(error);
    return undefined;
  }
  const { resourceVersion, annotations } = isRecord(object.metadata) ? object.metadata : {};
  if (typeof resourceVersion !== 'string') throw malformed();
  const isInitialEnd = type === 'BOOKMARK' && isRecord(annotations) && annotations[INITIAL_END] === 'true';
  return { type, object, resourceVersion, isInitialEnd };
}

function malformed(): ApiError {
  return new ApiError(0, {
    code: 'ServiceUnavailable',
    message: 'the stream is not that of an xsvc service',
  });
}

/** The time before the next request: longer after each failure, and different for each client. */
export function delayMs(failures: number, error?: unknown): number {
  const seconds = error instanceof ApiError ? (error.details.retryAfterSeconds ?? 0) : 0;
  const backoff = Math.min(DELAY_MAX_MS, DELAY_MS * 2 ** failures) * (0.5 + Math.random() / 2);
  return Math.max(seconds * 1_000, backoff);
}

/** Resolves after a time, or as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : ms);
    signal.addEventListener('abort', end);
  });
}
