import { Allowance } from '../../../lib/work/allowance.js';
import { actionOfUndone } from '../../../access/rules.js';
import { badRequest } from '../../../errors.js';
import { isRecord } from '../../../lib/json/json.js';
import { namePartsOf } from '../../../model/full-name.js';
import { getApiVersion } from '../../../model/resource.js';
import { objectContent, EVERYWHERE } from '../../../openapi/common.js';
import { schemaRef } from '../../../openapi/json-fragment.js';
import { objectAnswer, type PlatformOperation } from '../../../openapi/platform.js';
import { objectSchema, text } from '../../../openapi/schema-parts.js';
import type { UndoneItem, UndoOptions, UndoResult, WriteOptions } from '../../../service/verbs.js';
import { addWarnings, sendValue } from '../../answer/respond.js';
import { parseBody } from '../../body/body.js';
import { writeOptions } from '../../routes/parameters.js';
import { API_VERSION, readQuery, type PlatformEndpoint, type PlatformHandler } from '../endpoint.js';
import type { Platform } from '../platform.js';

const SCHEMAS: PlatformOperation['schemas'] = {
  UndoRequest: objectSchema({
    revision: { ...text, description: 'The `resourceVersion` of any change of the commit.' },
    'force?': {
      type: 'boolean',
      default: false,
      description: 'Overwrites later changes of the same objects.',
    },
  }),
  UndoResult: objectSchema({
    kind: { ...text, enum: ['UndoResult'] },
    metadata: objectSchema({ resourceVersion: text }),
    items: {
      type: 'array',
      items: objectSchema({
        verb: { ...text, enum: ['create', 'update', 'delete'] },
        apiVersion: text,
        kind: text,
        plural: text,
        'namespace?': text,
        name: text,
        'isOverwritten?': { type: 'boolean', description: 'True when later changes were overwritten.' },
      }),
    },
  }),
};

/** Each object is authorized separately. */
export const UNDOS: PlatformEndpoint = {
  method: 'POST',
  path: `/apis/${API_VERSION}/undos`,
  right: 'user',
  operation: {
    operationId: 'UndoCommit',
    summary: 'Take back all that a commit did, in one commit',
    description:
      'Created objects are deleted; deleted ones come again with their uids, also those that were deleted because of them later. Needs the right to each of these writes. Status and finalizers stay as they are, unless the commit changed them. A later change of the same objects is a conflict, which names them.',
    parameters: ['dryRun', 'fieldValidation'],
    requestBody: { required: true, content: objectContent(schemaRef('UndoRequest')) },
    answer: objectAnswer('The objects that were changed.', 'UndoResult'),
    errors: [
      ...(['BadRequest', 'NotFound', 'Expired', 'Conflict'] as const),
      ...(['RequestEntityTooLarge', 'UnsupportedMediaType', 'Invalid'] as const),
      ...EVERYWHERE,
    ],
    schemas: SCHEMAS,
  },
  warn: addWarnings,
  handler: undoHandler,
};

function undoHandler({ service, run, guard, origins, bodies, converter }: Platform): PlatformHandler {
  return async (req, res) => {
    const format = bodies.formatOf(req);
    const options = writeOptions(readQuery(req), undefined, origins?.of(req));
    const { revision, force } = readRequest(await parseBody(await bodies.read(req), format, converter));
    const check = (item: UndoneItem): void =>
      guard?.authorize(
        req,
        actionOfUndone(item, (model) => guard.mayList(req, model)),
      );
    const commit = (all: WriteOptions): Promise<UndoResult> =>
      service.undoCommit(revision, { ...all, force, check });
    const done = await run(req, res, (work) => {
      const write = { ...options, allowance: new Allowance({ work }) };
      return guard === undefined ? commit(write) : guard.write(req, write, commit);
    });
    sendValue(res, 200, {
      kind: 'UndoResult',
      metadata: { resourceVersion: done.resourceVersion },
      items: done.items.map(formatItem),
    });
  };
}

/** @throws ServiceError `BadRequest` */
function readRequest(body: unknown): { readonly revision: string } & Required<Pick<UndoOptions, 'force'>> {
  const { revision, force = false } = isRecord(body) ? body : {};
  if (typeof revision !== 'string')
    throw badRequest('revision: must be a text, the resourceVersion of a change');
  if (typeof force !== 'boolean') throw badRequest('force: must be true or false');
  return { revision, force };
}

function formatItem({ verb, resource, name, isOverwritten }: UndoneItem): object {
  const { kind, plural } = resource;
  return {
    verb,
    apiVersion: getApiVersion(resource),
    kind,
    plural,
    ...namePartsOf(name),
    ...(isOverwritten && { isOverwritten }),
  };
}
