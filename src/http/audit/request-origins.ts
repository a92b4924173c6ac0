import type { IncomingMessage } from 'node:http';
import type { WriteOptions } from '../../service/verbs.js';
import type { WriteOrigin } from '../../service/write-origin.js';
import type { AccessGuard } from '../guards/access-guard.js';
import { clientAddress } from '../guards/network.js';

const ORIGIN = Symbol('the origin of its writes');

/** A request that may have written something. */
interface Writing {
  [ORIGIN]?: WriteOrigin | undefined;
}

/** The origins of the writes of requests. All writes of a request have the same one. */
export class RequestOrigins {
  constructor(private readonly guard: AccessGuard | undefined) {}

  /** @param via the first call for a request decides it */
  of(req: IncomingMessage, via: WriteOrigin['via'] = 'http'): WriteOrigin {
    return ((req as Writing)[ORIGIN] ??= {
      via,
      source: clientAddress(req),
      groups: this.guard?.getIdentity(req).groups,
      isRecorded: false,
    });
  }

  /** Undefined for a request that has written nothing. */
  find(req: IncomingMessage): WriteOrigin | undefined {
    return (req as Writing)[ORIGIN];
  }
}

/** Adds the origin of a request to the options of its write. @param origins undefined when nothing needs them */
export function withOrigin<Options extends WriteOptions>(
  origins: RequestOrigins | undefined,
  req: IncomingMessage,
  options: Options,
  via?: WriteOrigin['via'],
): Options {
  return origins === undefined ? options : { ...options, origin: origins.of(req, via) };
}
