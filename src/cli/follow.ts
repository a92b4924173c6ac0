import { setTimeout as sleep } from 'node:timers/promises';
import { getMessage, ServiceError } from '../errors.js';
import type { Resource } from '../model/resource.js';
import type { Verbs, WatchEvent, WatchOptions } from '../service/verbs.js';
import type { CliIo } from './io.js';
import { eventPrinter, type EventFlags } from './output/events.js';
import { escapeControls } from './output/escape.js';

/** Pauses between attempts to watch again, in milliseconds: the first, and the longest. */
const PAUSE_MIN_MS = 250;
const PAUSE_MAX_MS = 10_000;
/** How long a model may be missing after the watch was cut off: a service that starts again brings it back. */
const MISSING_MS_MAX = 30_000;
const TIMER_MS = 1_000_000_000;

/**
 * Prints objects and what becomes of them, until the program is told to stop. What cuts it off is said on stderr,
 * and then it goes on where it was; when the store no longer knows that place, with all objects again.
 * @throws ServiceError what the first attempt is refused with, or what cannot get better by waiting
 */
export async function follow(
  verbs: Verbs,
  resource: Resource,
  options: Pick<WatchOptions, 'name' | 'labelSelector' | 'fieldSelector' | 'filter'>,
  flags: EventFlags,
  io: CliIo,
): Promise<void> {
  const signal = io.stopSignal();
  const printer = await eventPrinter(io, resource, flags);
  const place = new Place(flags.watchOnly === true ? await getRevision(verbs, resource) : undefined);
  // Waiting for another process's commits keeps no process alive.
  const alive = setInterval(() => undefined, TIMER_MS);
  const say = (text: string): void => io.stderr.write(`${escapeControls(text)}\n`);
  const patience = new Patience();
  const isOver = (): boolean => signal.aborted || io.stdout.isClosed;
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
        if (error instanceof ServiceError && error.code === 'Expired') {
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

async function getRevision(verbs: Verbs, resource: Resource): Promise<string> {
  return (await verbs.list(resource, { size: 1 })).metadata.resourceVersion;
}

/** How long and how often it is tried again. */
class Patience {
  private hasWatched = false;
  private pauseMs = PAUSE_MIN_MS;
  private missingSince: number | undefined;

  /** The watch works. */
  renew(): void {
    this.hasWatched = true;
    this.pauseMs = PAUSE_MIN_MS;
    this.missingSince = undefined;
  }

  /** Whether an error may pass by waiting. */
  bears(error: unknown): boolean {
    if (!(error instanceof ServiceError)) return false;
    if (error.code === 'Expired') return true;
    if (!this.hasWatched) return false;
    if (error.code === 'ServiceUnavailable' || error.code === 'TooManyRequests') return true;
    if (error.code !== 'NotFound') return false;
    this.missingSince ??= performance.now();
    return performance.now() - this.missingSince < MISSING_MS_MAX;
  }

  async pause(signal: AbortSignal): Promise<void> {
    await sleep(this.pauseMs, undefined, { signal }).catch(() => undefined);
    this.pauseMs = Math.min(this.pauseMs * 2, PAUSE_MAX_MS);
  }
}

const NOTHING_KNOWN = { revision: undefined, count: 0 } as const;

/** Where a watch is, so that another one can go on there. */
class Place {
  /** Everything up to this revision was seen; undefined before all objects there were have been. */
  private complete: string | undefined;
  /** The revision that events are of, of which there may be more, and how many were seen. */
  private revision: string | undefined;
  private seen = 0;
  /** The last revision of which events were seen before a watch was cut off, and how many: they come again. */
  private known: { readonly revision: string | undefined; readonly count: number } = NOTHING_KNOWN;

  constructor(revision?: string) {
    this.complete = revision;
  }

  /** What the next watch is asked for. */
  begin(): WatchOptions {
    // A watch that was cut off before it came further leaves what was known before.
    const isFurther =
      this.revision !== undefined && (this.revision !== this.known.revision || this.seen > this.known.count);
    if (isFurther) this.known = { revision: this.revision, count: this.seen };
    this.revision = undefined;
    this.seen = 0;
    return this.complete === undefined || this.complete === '0'
      ? { sendInitialEvents: this.complete === undefined, bookmarks: true }
      : { resourceVersion: this.complete, bookmarks: true };
  }

  forget(): void {
    this.complete = undefined;
    this.known = NOTHING_KNOWN;
    this.revision = undefined;
    this.seen = 0;
  }

  /** Whether the event was not seen before. */
  isNew(event: WatchEvent): boolean {
    const revision = event.object.metadata.resourceVersion;
    if (event.type === 'BOOKMARK') {
      this.complete = revision;
      this.revision = undefined;
      this.seen = 0;
      return true;
    }
    if (this.complete === undefined) return true;
    if (revision !== this.revision) {
      if (this.revision !== undefined) this.complete = this.revision;
      this.revision = revision;
      this.seen = 0;
    }
    this.seen += 1;
    return revision !== this.known.revision || this.seen > this.known.count;
  }
}
