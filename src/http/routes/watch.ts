import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest, formatExcerpt, getMessage, ServiceError, unavailable } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import type { Work } from '../../lib/work/work.js';
import type { Resource } from '../../model/resource.js';
import { conversionCauses } from '../../service/write/conversion-causes.js';
import { pickOptions } from '../../query/list-options.js';
import { LIST_PARAMETERS, SELECTORS } from '../../query/list-parameters.js';
import type { ObjectScope } from '../../service/scope/object-scope.js';
import type { Service } from '../../service/service.js';
import type { WatchOptions } from '../../service/verbs.js';
import { getBookmark, type RawWatch, type WatchPart } from '../../service/read/watch.js';
import { drained } from '../answer/drain.js';
import { flag, isTrue, oneOf, single, type Query } from './parameters.js';
import { cacheHeaders } from '../answer/respond.js';
import { getStatus } from '../answer/status.js';
import { metadataFor } from './metadata-shape.js';
import { tableFor } from './table.js';
import { watchFormatFor, type WatchFormat } from './watch-format.js';
import { WatchRight, type WatchRightOptions } from './watch-right.js';

/** Longest silence of a watch: some clients treat a silent connection as broken after 30 s. In milliseconds. */
const IDLE_MS = 10_000;
/** Bytes that are written to a connection before its backpressure is checked. */
const WRITE_BYTES = 64 * 1024;

/** Most conditions of a watch: each change is compared with all of them. */
const CONDITIONS_MAX = 200;

export interface WatchCall extends WatchRightOptions {
  readonly service: Service;
  readonly logger: Logger;
  readonly resource: Resource;
  /** Undefined for a cluster-scoped model, and for all namespaces. */
  readonly namespace: string | undefined;
  /** The full name of the only object that is watched. */
  readonly name: string | undefined;
  readonly query: Query;
  readonly watches: WatchStreams | undefined;
  /**
   * Counts a watch with these selectors and filters; throws when its sender has too many.
   * @returns removes it from the count
   */
  readonly enter: (text: string) => () => void;
  /** The part of the model that the sender may see; undefined for the whole. */
  readonly scope: ObjectScope | undefined;
  /** Limits the reading of the existing objects. */
  readonly work: Work;
  /** A client that reads nothing for this time, while data waits for it, is cut off, in milliseconds. */
  readonly stallMs: number;
  /** Default {@link IDLE_MS}. */
  readonly idleMs: number | undefined;
}

/** The open watches of a server. */
export class WatchStreams {
  readonly #running = new Set<AbortController>();
  #isClosed = false;

  get size(): number {
    return this.#running.size;
  }

  /** Ends all of them in order, and refuses new ones. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#running) controller.abort();
  }

  /**
   * Adds a watch that {@link WatchStreams.close} ends.
   * @returns removes it
   * @throws ServiceError `ServiceUnavailable` after `close`
   */
  add(controller: AbortController): () => void {
    if (this.#isClosed) throw unavailable('the service is stopping', { retryAfterSeconds: 1 });
    this.#running.add(controller);
    return () => void this.#running.delete(controller);
  }
}

/**
 * Answers with a stream of events until the client leaves, its time is over, or the service stops. Before the stream
 * begins, an error is an ordinary answer; afterwards it is an `ERROR` event, the last one. An object that cannot be
 * converted also gives an `ERROR` event, and the watch continues.
 */
export async function sendWatch(req: IncomingMessage, res: ServerResponse, call: WatchCall): Promise<void> {
  if (req.method === 'HEAD') throw badRequest('HEAD is not supported for watches; use GET');
  const exit = call.enter(formatText(call.query));
  try {
    await sendEntered(req, res, call);
  } finally {
    exit();
  }
}

async function sendEntered(req: IncomingMessage, res: ServerResponse, call: WatchCall): Promise<void> {
  const table = tableFor(req, call.query, call.resource, call.service);
  const format = watchFormatFor(req, { table, metadata: metadataFor(req, call.resource) });
  const controller = new AbortController();
  const leave = call.watches?.add(controller);
  const abort = (): void => controller.abort();
  res.once('close', abort);
  try {
    const lastEventId = format.isResumable ? req.headers['last-event-id'] : undefined;
    const options = readWatchQuery(call.query, typeof lastEventId === 'string' ? lastEventId : '');
    const { name, namespace, service, resource } = call;
    const all = {
      ...options,
      ...(name === undefined ? {} : { name }),
      ...(namespace !== undefined && { namespace }),
      conditionsMax: CONDITIONS_MAX,
      work: call.work,
      signal: controller.signal,
    };
    const watch = await service.watchRaw(resource, all, call.scope);
    res.writeHead(200, {
      ...cacheHeaders(res),
      'Content-Type': format.contentType,
      // Otherwise some proxies buffer events until a buffer is full.
      'X-Accel-Buffering': 'no',
    });
    res.flushHeaders();
    await stream(res, call, { watch, controller }, format);
  } finally {
    res.off('close', abort);
    leave?.();
  }
}

/** Selectors and filters of a watch, as one text. */
function formatText(query: Query): string {
  return SELECTORS.flatMap(({ name }) => query[name] ?? []).join('');
}

/** Parameters that watches refuse. Some clients send `limit` with every request; it is ignored. */
const REFUSED = [
  ...LIST_PARAMETERS.filter(({ name, use }) => use !== 'select' && name !== 'limit').map(({ name }) => name),
  'explain',
];

/** @throws ServiceError `BadRequest` */
function readWatchQuery(query: Query, lastEventId: string): WatchOptions {
  for (const name of REFUSED) {
    const value = single(query, name);
    if (value === undefined || value === '' || (name === 'explain' && !isTrue(query, name))) continue;
    throw badRequest(`${name} cannot be combined with watch: events come in the order of changes`);
  }
  oneOf(query, 'resourceVersionMatch', ['NotOlderThan']);
  const seconds = readSeconds(single(query, 'timeoutSeconds'));
  // A client that resumes already has the objects.
  const initial = lastEventId === '' ? flag(query, 'sendInitialEvents') : undefined;
  const resourceVersion = lastEventId === '' ? single(query, 'resourceVersion') : lastEventId;
  return {
    bookmarks: isTrue(query, 'allowWatchBookmarks'),
    ...pickOptions(query, SELECTORS),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(initial === undefined ? {} : { sendInitialEvents: initial }),
    ...(seconds === 0 ? {} : { timeoutMs: seconds * 1000 }),
  };
}

/** 0 when it is absent. */
function readSeconds(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  const seconds = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(seconds)) return seconds;
  throw badRequest(`timeoutSeconds: "${formatExcerpt(text)}" is not an integer from 0`);
}

async function stream(
  res: ServerResponse,
  call: WatchCall,
  { watch, controller }: { readonly watch: RawWatch; readonly controller: AbortController },
  format: WatchFormat,
): Promise<void> {
  const { idleMs = IDLE_MS, stallMs, logger } = call;
  const idle = setInterval(() => {
    if (!res.writableNeedDrain) res.write(format.idle);
  }, idleMs).unref();
  const client = new Client(res, stallMs);
  const right = new WatchRight(call, {
    end: () => controller.abort(),
    cutOff: () => res.destroy(),
  });
  try {
    for await (const part of watch.parts) {
      if (!(await client.send(getLines(part, watch.resource, format)))) return;
      idle.refresh();
    }
    if (right.lost !== undefined) throw asKnown(right.lost, logger);
    res.end();
  } catch (error) {
    // Does not wait for a client that does not even read its error.
    await client.send([format.error(getStatus(asKnown(error, logger)))]);
    res.end();
  } finally {
    clearInterval(idle);
    right.close();
  }
}

function getLines(part: WatchPart, resource: Resource, format: WatchFormat): readonly Buffer[] {
  switch (part.kind) {
    case 'initial':
      return format.initial(part.objects, part.isWhole);
    case 'changes':
      return format.changes(part.events);
    case 'initial-end': {
      const bookmark = part.isAsked ? [format.bookmark(getBookmark(resource, part.revision, true))] : [];
      return [...format.position(part.revision), ...bookmark];
    }
    case 'unshown':
      return [format.error(getStatus(part.error.with({ causes: conversionCauses(part.error) })))];
    case 'bookmark':
      return [format.bookmark(getBookmark(resource, part.revision, false))];
  }
}

function asKnown(error: unknown, logger: Logger): ServiceError {
  if (error instanceof ServiceError) return error;
  logger.error(`a watch failed: ${getMessage(error)}`, {
    stack: error instanceof Error ? error.stack : undefined,
  });
  return new ServiceError('InternalError', 'internal error; see the service log');
}

/** The client of a stream: reads lines at its own pace, and is cut off when it reads nothing. */
class Client {
  constructor(
    private readonly res: ServerResponse,
    private readonly stallMs: number,
  ) {}

  /** Resolves with true when more may be sent, with false when the response is closed. */
  async send(lines: readonly Buffer[]): Promise<boolean> {
    const { res } = this;
    let at = 0;
    while (at < lines.length && !res.destroyed) {
      // Lines of one commit are sent together, within the limit for waiting data of the connection.
      res.cork();
      for (let bytes = 0; at < lines.length && bytes < WRITE_BYTES; at++) {
        const line = lines[at];
        if (line === undefined) continue;
        bytes += line.length;
        res.write(line);
      }
      res.uncork();
      if (res.writableNeedDrain) await drained(res, this.stallMs);
    }
    return !res.destroyed;
  }
}
