import type { Express, Request, Response } from 'express';
import { unknownParameters, type ParameterUse } from './known-parameters.js';
import { refuseMethod } from './methods.js';
import { parseQuery } from './parameters.js';
import { alwaysWarn } from './respond.js';
import { splitUrl } from './route.js';

/**
 * Answers GET (and HEAD) of a path; anything else is 405.
 * @param use what its parameters are; it is told of others. Default: the handler looks at them itself
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
