import type { Express, Request } from 'express';
import type { Action } from '../../access/rules.js';
import { badRequest, formatExcerpt, notFound } from '../../errors.js';
import { qualifiedPlural } from '../../model/resource.js';
import type { Service } from '../../service/service.js';
import type { RunWork } from '../admission/admission.js';
import { addGet } from './get-route.js';
import { unknownParameters } from '../routes/known-parameters.js';
import { parseQuery, single } from '../routes/parameters.js';
import { addWarnings, sendValue } from '../answer/respond.js';
import { splitUrl } from '../routes/route.js';

/** The path of the stored versions of a model's objects. For roles this is `list` of that model. */
export const STORED_VERSIONS_PATH = '/apis/api.platform.run/v1alpha1/storedversions';

/**
 * `GET` with `resource=<plural>.<group>`: the exact number of objects stored in each version. While objects are in
 * several versions, a few bytes of every object are read.
 * @param check throws when the sender of a request is not authorized for an action
 */
export function addStoredVersions(
  app: Express,
  { models }: Service,
  run: RunWork,
  check: (req: Request, action: Action) => void,
): void {
  addGet(app, STORED_VERSIONS_PATH, async (req, res) => {
    const query = parseQuery(splitUrl(req.originalUrl).search);
    addWarnings(res, unknownParameters(query, 'storedversions'));
    const named = single(query, 'resource') ?? '';
    if (named === '') throw badRequest('name the model: ?resource=persons.demo.example.com');
    // Authorized by the given name, so that the answer does not reveal models that the sender may not list.
    const [, plural = '', group = ''] = /^([^.]*)\.?(.*)$/s.exec(named) ?? [];
    check(req, { verb: 'list', group, resource: plural });
    const model = models.list().find((one) => one.plural === plural && one.group === group);
    if (model === undefined)
      throw notFound(`no model "${formatExcerpt(named)}" is served; write it as <plural>.<group>`);
    const counted = await run(req, res, (work) => models.lifecycle.countVersions(model, work));
    const items = [...counted].map(([version, objects]) => ({ version, objects }));
    sendValue(req, res, 200, {
      apiVersion: 'api.platform.run/v1alpha1',
      kind: 'StoredVersionList',
      metadata: {},
      resource: qualifiedPlural(model),
      storageVersion: model.storageVersion,
      items,
    });
  });
}
