import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../../lib/log/logger.js';
import type { ScopedAccess } from '../../access/limits/sender-scopes.js';
import type { Resource } from '../../model/resource.js';
import type { Models } from '../../service/models.js';
import type { Service } from '../../service/service.js';
import type { Reading } from '../../service/read/find.js';
import type { RequestOrigins } from '../audit/request-origins.js';
import type { AccessGuard } from '../guards/access-guard.js';
import type { Admit } from '../admission/admission.js';
import type { BodyReader } from '../body/body-reader.js';
import type { Converter } from '../answer/converter.js';
import type { ListCache } from '../answer/list/list-cache.js';
import type { SlowLists } from '../answer/list/slow-lists.js';
import type { Query } from './parameters.js';
import type { WatchStreams } from './watch.js';

export interface DispatchOptions {
  readonly service: Service;
  readonly models: Models;
  readonly logger: Logger;
  readonly bodies: BodyReader;
  /** A client that reads nothing of its list for this time is cut off, in milliseconds. Default 30 s. */
  readonly stallMs?: number;
  /** The watches in progress, so that they can be ended together. */
  readonly watches?: WatchStreams;
  /** Longest silence of a watch before it sends a sign of life, in milliseconds. Default 10 s. */
  readonly watchIdleMs?: number;
  /** Interval at which the right to watch is checked again, in milliseconds. Default 10 s. */
  readonly recheckMs?: number;
  /** A list that takes at least this time, in milliseconds, is logged with its explanation. Default: none is. */
  readonly slowListMs?: number | undefined;
  readonly admit: Admit;
  /** Authenticates and authorizes requests; undefined when every request is allowed. */
  readonly guard?: AccessGuard | undefined;
  /** Undefined when writes are not recorded. */
  readonly origins?: RequestOrigins | undefined;
}

/** One request for a generated route, in the form for handlers. */
export interface Call {
  readonly options: DispatchOptions;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly resource: Resource;
  /** Undefined for a cluster-scoped model, and for all namespaces. */
  readonly namespace: string | undefined;
  readonly query: Query;
  /** The query as sent, without the question mark. */
  readonly search: string;
  readonly lists: ListCache;
  readonly slowLists: SlowLists;
  readonly converter: Converter;
}

/** The parts of models that the sender may see: of the one that is read, and of those that it leads to. */
export function readingOf(
  { options: { guard }, req, resource }: Call,
  access: ScopedAccess,
): Pick<Reading, 'scope' | 'related'> {
  if (guard === undefined) return {};
  return { scope: guard.scope(req, resource, access), related: guard.scopes(req).related };
}

/** The state of the defaults that stored objects are shown with: they may change while an object stays the same. */
export function defaultsFor({ options: { service }, resource }: Call): Buffer | undefined {
  // Other models have none.
  if (resource.origin !== 'definition') return undefined;
  const defaults = service.models.shownDefaults(resource);
  return defaults === undefined ? undefined : Buffer.from(defaults);
}
