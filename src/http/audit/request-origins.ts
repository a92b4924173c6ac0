import type { IncomingMessage } from 'node:http';
import type { WriteOptions } from '../../service/verbs.js';
import type { WriteOrigin } from '../../service/write-origin.js';
import type { AccessGuard } from '../guards/access-guard.js';
import { clientAddress } from '../guards/network.js';

/** The origins of the writes of requests. All writes of a request have the same one. */
export class RequestOrigins {
  readonly #origins = new WeakMap<IncomingMessage, WriteOrigin>();

  constructor(private readonly guard: AccessGuard | undefined) {}

  /** @param via the first call for a request decides it */
  of(req: IncomingMessage, via: WriteOrigin['via'] = 'http'): WriteOrigin {
    let origin = this.#origins.get(req);
    if (origin === undefined) {
      origin = { via, source: clientAddress(req), groups: this.guard?.getIdentity(req).groups };
      this.#origins.set(req, origin);
    }
    return origin;
  }

  /** Undefined for a request that has written nothing. */
  find(req: IncomingMessage): WriteOrigin | undefined {
    return this.#origins.get(req);
  }
}

/** Adds the origin of a request to the options of its write. @param origins undefined when nothing needs them */
export function withOrigin<Options extends WriteOptions>(
  origins: RequestOrigins | undefined,
  req: IncomingMessage,
  options: Options,
): Options {
  return origins === undefined ? options : { ...options, origin: origins.of(req) };
}
