import type { Express, Request, Response } from 'express';
import { refuseMethod } from './methods.js';

/** Answers GET (and HEAD) of a path; anything else is 405. */
export function addGet(
  app: Express,
  path: string,
  handler: (req: Request, res: Response) => void | Promise<void>,
): void {
  app
    .route(path)
    .get(handler)
    .all((req, res) => {
      throw refuseMethod(res, req.method, ['GET', 'HEAD']);
    });
}
