import { badRequest, formatExcerpt, notFound } from '../../errors.js';
import { qualifiedPlural } from '../../model/resource.js';
import { EVERYWHERE } from '../../openapi/common.js';
import { objectAnswer, queryParameter } from '../../openapi/platform.js';
import { kindSchema, objectSchema, text } from '../../openapi/schema-parts.js';
import { single } from '../routes/parameters.js';
import { addWarnings, sendValue } from '../answer/respond.js';
import { API_VERSION, readQuery, type PlatformHandler, type PlatformEndpoint } from './endpoint.js';
import type { Platform } from './platform.js';

/** Needs the right to `list` the model. While objects are in several versions, a few bytes of each are read. */
export const STORED_VERSIONS: PlatformEndpoint = {
  method: 'GET',
  path: `/apis/${API_VERSION}/storedversions`,
  right: 'user',
  operation: {
    operationId: 'ListStoredVersions',
    summary: 'Number of objects of a model in each stored version',
    parameters: [queryParameter('resource', 'The model, as `<plural>.<group>`.', { required: true })],
    answer: objectAnswer('The versions.', 'StoredVersionList'),
    errors: ['BadRequest', 'NotFound', ...EVERYWHERE],
    schemas: {
      StoredVersionList: kindSchema(API_VERSION, 'StoredVersionList', {
        metadata: { type: 'object' },
        resource: { ...text, description: 'The model, as `<plural>.<group>`.' },
        storageVersion: { ...text, description: 'The version in which objects are written.' },
        items: {
          type: 'array',
          description: 'Only versions with stored objects.',
          items: objectSchema({ version: text, objects: { type: 'integer' } }),
        },
      }),
    },
  },
  warn: addWarnings,
  handler: storedVersionsHandler,
};

function storedVersionsHandler({ service: { models }, run, guard }: Platform): PlatformHandler {
  return async (req, res) => {
    const named = single(readQuery(req), 'resource') ?? '';
    if (named === '') throw badRequest('name the model: ?resource=persons.demo.example.com');
    // Authorized by the given name, so that the answer does not reveal models that the sender may not list.
    const [, plural = '', group = ''] = /^([^.]*)\.?(.*)$/s.exec(named) ?? [];
    guard?.authorize(req, { verb: 'list', group, resource: plural });
    const model = models.list().find((one) => one.plural === plural && one.group === group);
    if (model === undefined)
      throw notFound(`no model "${formatExcerpt(named)}" is served; write it as <plural>.<group>`);
    const counted = await run(req, res, (work) => models.lifecycle.countVersions(model, work));
    const items = [...counted].map(([version, objects]) => ({ version, objects }));
    sendValue(res, 200, {
      apiVersion: API_VERSION,
      kind: 'StoredVersionList',
      metadata: {},
      resource: qualifiedPlural(model),
      storageVersion: model.storageVersion,
      items,
    });
  };
}
