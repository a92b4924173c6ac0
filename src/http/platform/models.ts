import { badRequest, formatExcerpt } from '../../errors.js';
import { EVERYWHERE } from '../../openapi/common.js';
import { schemaRef } from '../../openapi/json-fragment.js';
import { objectAnswer, queryParameter, type PlatformOperation } from '../../openapi/platform.js';
import {
  anyObject,
  kindSchema,
  objectSchema,
  text,
  texts,
  modelMembers,
} from '../../openapi/schema-parts.js';
import { single } from '../routes/parameters.js';
import { addWarnings, sendLarge, sendValue } from '../answer/respond.js';
import type { Startup } from '../guards/startup.js';
import { API_VERSION, readQuery, type PlatformHandler, type PlatformEndpoint } from './endpoint.js';
import type { Platform } from './platform.js';

const anyArray = { type: 'array', items: anyObject } as const;

const SCHEMAS: PlatformOperation['schemas'] = {
  ServedModelList: kindSchema(API_VERSION, 'ModelList', {
    'metadata?': objectSchema(
      {
        'resourceVersion?': text,
        complete: {
          type: 'boolean',
          description: 'False while plugins start for the first time; models may be missing then.',
        },
        'starting?': { ...texts, description: 'The plugins that are starting or waiting to start.' },
      },
      { description: 'With changedAfter: resourceVersion is the revision of the last change of the store.' },
    ),
    items: { type: 'array', items: schemaRef('ServedModel') },
  }),
  ServedModel: objectSchema(
    {
      ...modelMembers,
      singular: text,
      'shortNames?': texts,
      'categories?': texts,
      'columns?': anyArray,
      schema: anyObject,
      indexes: anyArray,
      'lastChange?': {
        ...text,
        description: 'With changedAfter: the revision of the last change of an object of the model.',
      },
    },
    { description: 'A model as data: its names, its schema, its indexes and the columns of its table.' },
  ),
};

/** The served models as data, which the command line needs from a remote service. */
export const MODELS: PlatformEndpoint = {
  method: 'GET',
  path: `/apis/${API_VERSION}/models`,
  operation: {
    operationId: 'ListServedModels',
    summary: 'The served models',
    parameters: [
      queryParameter(
        'changedAfter',
        'A revision: only models that the user may list and whose objects changed after it, each with `lastChange`.',
      ),
    ],
    answer: objectAnswer('The models.', 'ServedModelList'),
    errors: ['BadRequest', ...EVERYWHERE],
    schemas: SCHEMAS,
  },
  warn: addWarnings,
  handler: modelsHandler,
};

/** Metadata of the list itself. */
interface ListHead {
  /** False while plugins start for the first time: models may be missing. */
  readonly complete: boolean;
  /** The plugins that are starting, or wait to start. */
  readonly starting?: readonly string[];
}

function modelsHandler({ service, models, startup, guard }: Platform): PlatformHandler {
  return async (req, res) => {
    const after = single(readQuery(req), 'changedAfter');
    const list = { apiVersion: API_VERSION, kind: 'ModelList' };
    if (after === undefined) {
      await sendLarge(req, res, { ...list, metadata: getHead(startup), items: models.list() });
      return;
    }
    const changed = await service.changedModels(getRevision(after));
    const items = changed.models
      .filter(({ resource }) => guard?.mayListSome(req, resource) ?? true)
      .map(({ resource, revision }) => ({ ...resource, lastChange: String(revision) }));
    const metadata = { resourceVersion: String(changed.revision), ...getHead(startup) };
    sendValue(res, 200, { ...list, metadata, items });
  };
}

function getHead(startup: Startup | undefined): ListHead {
  return startup?.isOver === false ? { complete: false, starting: startup.left() } : { complete: true };
}

function getRevision(value: string): number {
  const revision = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(revision)) return revision;
  throw badRequest(
    `changedAfter: "${formatExcerpt(value)}" is not a revision; use metadata.resourceVersion of a list`,
  );
}
