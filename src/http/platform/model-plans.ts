import type { Express, Response } from 'express';
import { badRequest, formatExcerpt, ServiceError } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { hasBody, parseBody } from '../body/body.js';
import type { BodyOptions } from '../endpoint/body.js';
import { longWork } from './long-work.js';
import { bodyFormat } from '../answer/media.js';
import { refuseMethod } from '../guards/methods.js';
import { sendValue } from '../answer/respond.js';

/**
 * The path for planning a start. For roles this is `create` of `modelplans` in `api.platform.run`, because it runs
 * the code of plugins, and reports objects of all models.
 */
export const MODEL_PLANS_PATH = '/apis/api.platform.run/v1alpha1/modelplans';

/**
 * Plans the changes of a start with the plugins on disk to the store, without writing.
 * @param plugins the plugins to plan for, as if they were enabled; empty for all enabled ones
 * @param signal aborted when the client has disconnected
 * @returns the plan in the form of the answer
 * @throws ServiceError `NotFound` for a missing plugin, `TooManyRequests`, `ServiceUnavailable`
 */
export type MakePlan = (plugins: readonly string[], signal: AbortSignal) => Promise<object>;

/**
 * `POST`, with `{plugins: [..]}` for some of them, answers with a plan.
 * @param make undefined on a shared store
 */
export function addModelPlans(
  app: Express,
  make: MakePlan | undefined,
  { bodies, converter }: BodyOptions,
): void {
  app
    .route(MODEL_PLANS_PATH)
    .post(async (req, res) => {
      if (make === undefined) throw notHere(res);
      const format = bodyFormat(req.headers['content-type']);
      const body = hasBody(req) ? await parseBody(await bodies.read(req), format, converter) : {};
      const plugins = pluginsIn(body);
      sendValue(req, res, 200, await longWork(req, res, (signal) => make(plugins, signal)));
    })
    .all((req, res) => {
      throw refuseMethod(res, req.method, ['POST']);
    });
}

function pluginsIn(body: unknown): readonly string[] {
  if (!isRecord(body)) throw badRequest('the body must be an object such as {"plugins": ["desk"]}');
  const { plugins = [], ...others } = body;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw badRequest(
      `the body has an unknown member "${formatExcerpt(other)}"; the only known member is plugins`,
    );
  if (!Array.isArray(plugins) || !plugins.every((name) => typeof name === 'string'))
    throw badRequest('plugins must be an array of names');
  return plugins;
}

function notHere(res: Response): ServiceError {
  res.setHeader('Allow', '');
  return new ServiceError(
    'MethodNotAllowed',
    'plans are not available on a shared store; copy it with `xsvc backup FILE --server URL` and ' +
      '`xsvc restore FILE --data-dir DIR`, and run `xsvc model plan --data-dir DIR` with the plugins',
  );
}
