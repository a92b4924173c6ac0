import type { Request } from 'express';
import { ServiceError } from '../../errors.js';
import { splitUrl } from '../routes/route.js';
import type { RequestStep } from './steps.js';
import { wantsEvents } from '../routes/watch-format.js';

/** The first start of the plugins, during which not everything is served yet. */
export class Startup {
  #isOver = false;
  /** The present activity, for people; undefined when it is not known. */
  phase: string | undefined;
  /** Returns the names of the plugins that have not started yet. */
  left: () => readonly string[] = () => [];
  #waiting: (() => void)[] = [];

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends the startup: everything is served from now on. */
  end(): void {
    this.#isOver = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  /** Calls back at the end of the startup, which must not have ended yet. */
  whenOver(go: () => void): void {
    this.#waiting.push(go);
  }
}

/**
 * Defers requests for events until everything is served. A browser's `EventSource` reconnects after a broken stream,
 * but never after an error. This runs before authorization, because the action of a request depends on the models.
 */
export function deferUntilStarted(startup: Startup): RequestStep {
  return (rest) => (req, res, next) => {
    if (startup.isOver || !isForEvents(req)) rest(req, res, next);
    else
      startup.whenOver(() => {
        if (!res.destroyed) rest(req, res, next);
      });
  };
}

function isForEvents({ method, url, headers }: Request): boolean {
  return method === 'GET' && /^\/apis?\//.test(splitUrl(url).path) && wantsEvents(headers.accept);
}

/** While plugins start, a missing model may be served soon: clients must not treat it as removed. */
export function stillStarting({ message, details }: ServiceError): ServiceError {
  return new ServiceError('ServiceUnavailable', `${message} yet: plugins are starting`, {
    ...details,
    retryAfterSeconds: 1,
  });
}
