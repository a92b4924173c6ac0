import type { NextFunction, Request, Response } from 'express';
import type { Logger } from '../../lib/log/logger.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import { sendError } from '../answer/respond.js';
import type { Guard } from './guard.js';

export type Middleware = (req: Request, res: Response, next: NextFunction) => void;

/** A step that each request passes. It returns a function that answers a request, or passes it to the rest. */
export type RequestStep = (rest: Middleware) => Middleware;

/**
 * Combines steps in their order, once: a request costs one call for each step. Undefined steps are left out.
 * @param last gets the requests that pass all steps
 */
export function inOrder(steps: readonly (RequestStep | undefined)[], last: Middleware): Middleware {
  return steps.reduceRight((rest, step) => step?.(rest) ?? rest, last);
}

/** Does something for each request, and passes all of them. */
export function forEachRequest(work: (req: Request, res: Response) => void): RequestStep {
  return (rest) => (req, res, next) => {
    work(req, res);
    rest(req, res, next);
  };
}

export function refuseBy(guard: Guard, logger: Logger): RequestStep {
  return (rest) => (req, res, next) => {
    const refusal = guard(req);
    if (refusal === undefined) rest(req, res, next);
    else sendError(req, res, refusal, logger);
  };
}

/** Passes the requests for which `check` is true; it answers the others itself. */
export function passIf(check: (req: Request, res: Response) => MaybePromise<boolean>): RequestStep {
  return (rest) => (req, res, next) => {
    const checked = check(req, res);
    if (checked === true) rest(req, res, next);
    else if (checked !== false)
      checked
        .then((isPassed) => {
          if (isPassed) rest(req, res, next);
        })
        .catch(next);
  };
}
