import { setTimeout as sleep } from 'node:timers/promises';
import { getMessage, hasCode, ServiceError } from '../errors.js';
import type { Resource } from '../model/resource.js';
import type { Verbs, WatchEvent, WatchOptions } from '../service/verbs.js';
import type { CliIo } from './io.js';
import { eventPrinter, type EventFlags } from './output/events.js';

/** Pauses between attempts to watch again, in milliseconds: the first, and the longest. */
const PAUSE_MIN_MS = 250;
const PAUSE_MAX_MS = 10_000;
/** The time that a model may be missing after an interrupted watch: a service that starts again serves it later. */
const MISSING_MS_MAX = 30_000;
const TIMER_MS = 1_000_000_000;

/** The objects whose changes are printed. */
export interface Followed {
  readonly resource: Resource;
  readonly options: Pick<WatchOptions, 'name' | 'namespace' | 'labelSelector' | 'fieldSelector' | 'filter'>;
}

/**
 * Prints objects and their changes, until the program is stopped. An interruption is reported on stderr, and the output then
 * continues at the same place; when the store no longer has that place, all objects are printed again.
 * @throws ServiceError when the first attempt is refused, or when waiting cannot help
 */
export async function follow(
  verbs: Verbs,
  { resource, options }: Followed,
  flags: EventFlags,
  io: CliIo,
): Promise<void> {
  const signal = AbortSignal.any([io.stopSignal(), io.stdout.closeSignal]);
  const printer = await eventPrinter(io, resource, flags);
  const place = new Place(flags.watchOnly === true ? await getRevision(verbs, resource, options) : undefined);
  // Waiting for commits of another process does not keep the process alive.
  const alive = setInterval(() => undefined, TIMER_MS);
  const say = (text: string): void => io.stderr.line(text);
  const patience = new Patience();
  const isOver = (): boolean => signal.aborted;
  try {
    while (!isOver()) {
      try {
        for await (const event of verbs.watch(resource, { ...options, ...place.begin(), signal })) {
          patience.renew();
          if (place.isNew(event)) await printer.print(event);
          if (isOver()) return;
        }
        if (!isOver()) say('the watch has ended; watching again');
      } catch (error) {
        if (isOver()) return;
        if (!patience.bears(error)) throw error;
        if (hasCode(error, 'Expired')) {
          place.forget();
          say(`${error.message}: all objects are listed again`);
        } else {
          say(`the watch was interrupted: ${getMessage(error)}; watching again`);
        }
      }
      await patience.pause(signal);
    }
  } finally {
    clearInterval(alive);
  }
}

async function getRevision(
  verbs: Verbs,
  resource: Resource,
  { namespace }: Followed['options'],
): Promise<string> {
  const one = { size: 1, ...(namespace !== undefined && { namespace }) };
  return (await verbs.list(resource, one)).metadata.resourceVersion;
}

/** The limits of repeated attempts. */
class Patience {
  #hasWatched = false;
  #pauseMs = PAUSE_MIN_MS;
  #missingSince: number | undefined;

  /** Notes that the watch works. */
  renew(): void {
    this.#hasWatched = true;
    this.#pauseMs = PAUSE_MIN_MS;
    this.#missingSince = undefined;
  }

  /** True when waiting may resolve an error. */
  bears(error: unknown): boolean {
    if (!(error instanceof ServiceError)) return false;
    if (error.code === 'Expired') return true;
    if (!this.#hasWatched) return false;
    if (error.code === 'ServiceUnavailable' || error.code === 'TooManyRequests') return true;
    if (error.code !== 'NotFound') return false;
    this.#missingSince ??= performance.now();
    return performance.now() - this.#missingSince < MISSING_MS_MAX;
  }

  async pause(signal: AbortSignal): Promise<void> {
    await sleep(this.#pauseMs, undefined, { signal }).catch(() => undefined);
    this.#pauseMs = Math.min(this.#pauseMs * 2, PAUSE_MAX_MS);
  }
}

const NOTHING_KNOWN = { revision: undefined, count: 0 } as const;

/** The place of a watch, from which another one can continue. */
class Place {
  /** Everything up to this revision was received; undefined before all existing objects were. */
  #complete: string | undefined;
  /** The revision of the last events, which may have more, and the number of received ones. */
  #revision: string | undefined;
  #seen = 0;
  /** The last revision with received events before an interruption, and their number: they are sent again. */
  #known: { readonly revision: string | undefined; readonly count: number } = NOTHING_KNOWN;

  constructor(revision?: string) {
    this.#complete = revision;
  }

  /** The options of the next watch. */
  begin(): WatchOptions {
    // A watch that was interrupted before it got further does not change what was known.
    const isFurther =
      this.#revision !== undefined &&
      (this.#revision !== this.#known.revision || this.#seen > this.#known.count);
    if (isFurther) this.#known = { revision: this.#revision, count: this.#seen };
    this.#revision = undefined;
    this.#seen = 0;
    return this.#complete === undefined || this.#complete === '0'
      ? { sendInitialEvents: this.#complete === undefined, bookmarks: true }
      : { resourceVersion: this.#complete, bookmarks: true };
  }

  forget(): void {
    this.#complete = undefined;
    this.#known = NOTHING_KNOWN;
    this.#revision = undefined;
    this.#seen = 0;
  }

  /** True when the event was not received before. */
  isNew(event: WatchEvent): boolean {
    const revision = event.object.metadata.resourceVersion;
    if (event.type === 'BOOKMARK') {
      this.#complete = revision;
      this.#revision = undefined;
      this.#seen = 0;
      return true;
    }
    if (this.#complete === undefined) return true;
    if (revision !== this.#revision) {
      if (this.#revision !== undefined) this.#complete = this.#revision;
      this.#revision = revision;
      this.#seen = 0;
    }
    this.#seen += 1;
    return revision !== this.#known.revision || this.#seen > this.#known.count;
  }
}
