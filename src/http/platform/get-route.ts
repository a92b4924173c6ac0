import type { Express, Request, Response } from 'express';
import { unknownParameters, type ParameterUse } from '../routes/known-parameters.js';
import { refuseMethod } from '../guards/methods.js';
import { parseQuery } from '../routes/parameters.js';
import { alwaysWarn } from '../answer/respond.js';
import { splitUrl } from '../routes/route.js';

/**
 * Answers GET (and HEAD) of a path; any other method is 405.
 * @param use the known parameters; others get a warning. Default: the handler checks them itself
 */
export function addGet(
  app: Express,
  path: string,
  handler: (req: Request, res: Response) => void | Promise<void>,
  use?: ParameterUse,
): void {
  app
    .route(path)
    .get((req, res) => {
      if (use !== undefined)
        alwaysWarn(res, unknownParameters(parseQuery(splitUrl(req.originalUrl).search), use));
      return handler(req, res);
    })
    .all((req, res) => {
      throw refuseMethod(res, req.method, ['GET', 'HEAD']);
    });
}
