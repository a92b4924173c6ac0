import type { Express, Request, Response } from 'express';
import { badRequest } from '../../errors.js';
import type { Resource } from '../../model/resource.js';
import { resolveResource } from '../../model/resolve-resource.js';
import type { Service } from '../../service/service.js';
import type { RelatedOptions, ResourceRef } from '../../service/verbs.js';
import type { Work } from '../../lib/work/work.js';
import type { AccessGuard } from '../guards/access-guard.js';
import type { RunWork } from '../admission/admission.js';
import { addGet } from './get-route.js';
import { unknownParameters } from '../routes/known-parameters.js';
import { parseQuery, single } from '../routes/parameters.js';
import { addWarnings, sendValue } from '../answer/respond.js';
import { splitUrl } from '../routes/route.js';

const API_VERSION = 'api.platform.run/v1alpha1';
/** The path of an object's referrers. For roles this is `list` of `referrers` in `api.platform.run`. */
export const REFERRERS_PATH = `/apis/${API_VERSION}/referrers`;
/** The path of an object's dependents. For roles this is `list` of `dependents` in `api.platform.run`. */
export const DEPENDENTS_PATH = `/apis/${API_VERSION}/dependents`;

const LIMIT_MAX = 1_000;

/** The answer's part about objects of one model. */
interface Related extends ResourceRef {
  readonly names: readonly string[];
}

type Answer = (
  model: Resource,
  name: string,
  options: RelatedOptions,
  work: Work,
) => Promise<{ readonly items: readonly Related[] }>;

/**
 * `GET` with `resource=<plural>.<group>&name=<name>`: the number of objects that refer to the object, by each field
 * that may, and the number of objects that it owns, of each model. Also the names of the first ones, at most `limit`.
 * @param guard objects of models that the sender may not list are only counted; absent without authentication
 */
export function addRelations(
  app: Express,
  service: Service,
  run: RunWork,
  guard: AccessGuard | undefined,
): void {
  const add = (path: string, kind: string, answer: Answer): void =>
    addGet(app, path, async (req, res) => {
      const { model, name, options } = parseQuestion(req, res, service);
      const { items } = await run(req, res, (work) => answer(model, name, options, work));
      const visible = items.map((item) => ({
        ...item,
        names: (guard?.mayList(req, item) ?? true) ? [...item.names] : [],
      }));
      sendValue(req, res, 200, { apiVersion: API_VERSION, kind, metadata: {}, items: visible });
    });
  add(REFERRERS_PATH, 'ReferrerList', (...object) => service.referrers(...object));
  add(DEPENDENTS_PATH, 'DependentList', (...object) => service.dependents(...object));
}

function parseQuestion(
  req: Request,
  res: Response,
  service: Service,
): { readonly model: Resource; readonly name: string; readonly options: RelatedOptions } {
  const query = parseQuery(splitUrl(req.originalUrl).search);
  addWarnings(res, unknownParameters(query, 'relations'));
  const [resource, name, limit = ''] = ['resource', 'name', 'limit'].map((field) => single(query, field));
  if (resource === undefined || name === undefined)
    throw badRequest('name the object: ?resource=persons.demo.example.com&name=ann');
  const model = resolveResource(service.models.list(), resource);
  return { model, name, options: limit === '' ? {} : { limit: getLimit(limit) } };
}

function getLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (limit >= 0 && limit <= LIMIT_MAX) return limit;
  throw badRequest(`limit must be an integer from 0 to ${LIMIT_MAX}`);
}
