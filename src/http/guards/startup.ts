import type { Request, RequestHandler } from 'express';
import { ServiceError } from '../../errors.js';
import { splitUrl } from '../routes/route.js';
import { wantsEvents } from '../routes/watch-format.js';

/** The time in which plugins start for the first time, so that not all is served yet. */
export class Startup {
  #isOver = false;
  /** What is being done now, for people; undefined when nothing is known of it. */
  phase: string | undefined;
  /** Tells the names of the plugins that have yet to start. */
  left: () => readonly string[] = () => [];
  #waiting: (() => void)[] = [];

  get isOver(): boolean {
    return this.#isOver;
  }

  /** All is served from now on. */
  end(): void {
    this.#isOver = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  /** Calls back when it is over, which it must not be yet. */
  whenOver(go: () => void): void {
    this.#waiting.push(go);
  }
}

/**
 * Holds requests for events until all is served. A browser's `EventSource` connects again when a stream breaks off, but
 * never after an error. It comes before anybody is asked for rights: what a request asks for depends on the models.
 */
export function deferUntilStarted(startup: Startup, step: RequestHandler): RequestHandler {
  return (req, res, next) => {
    if (startup.isOver || !isForEvents(req)) void step(req, res, next);
    else
      startup.whenOver(() => {
        if (!res.destroyed) void step(req, res, next);
      });
  };
}

function isForEvents({ method, url, headers }: Request): boolean {
  return method === 'GET' && /^\/apis?\//.test(splitUrl(url).path) && wantsEvents(headers.accept);
}

/** While plugins start, what is not served may be in a moment: clients must not take it for gone. */
export function stillStarting({ message, details }: ServiceError): ServiceError {
  return new ServiceError('ServiceUnavailable', `${message} yet: plugins are starting`, {
    ...details,
    retryAfterSeconds: 1,
  });
}
