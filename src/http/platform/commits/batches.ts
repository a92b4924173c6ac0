import { actionOfItem, limitable } from '../../../access/rules.js';
import { Allowance } from '../../../lib/work/allowance.js';
import { PROPAGATION_POLICIES } from '../../../model/owner-references.js';
import { objectContent, EVERYWHERE } from '../../../openapi/common.js';
import { schemaRef } from '../../../openapi/json-fragment.js';
import { objectAnswer, queryParameter, type PlatformOperation } from '../../../openapi/platform.js';
import { objectSchema, text, texts, anyObject } from '../../../openapi/schema-parts.js';
import { BATCH_BODY_BYTES_MAX, BATCH_ITEMS_MAX } from '../../../service/batch-items.js';
import type { BatchItem, WriteOptions } from '../../../service/verbs.js';
import { STALL_MS } from '../../answer/list/list-response.js';
import { parseBody } from '../../body/body.js';
import { returnsObjects, runBatch, sendBatch, type BatchDone } from '../../routes/batch.js';
import { knownParameters, unknownAmong } from '../../routes/known-parameters.js';
import { managerOf, writeOptions } from '../../routes/parameters.js';
import { API_VERSION, readQuery, type PlatformHandler, type PlatformEndpoint } from '../endpoint.js';
import type { Platform } from '../platform.js';

const PARAMETERS: PlatformOperation['parameters'] = [
  'dryRun',
  'fieldValidation',
  queryParameter('return', 'With `none`, the answer has no objects.', {
    schema: { ...text, enum: ['none'] },
  }),
];

const SCHEMAS: PlatformOperation['schemas'] = {
  BatchRequest: objectSchema({
    items: { type: 'array', maxItems: BATCH_ITEMS_MAX, items: schemaRef('BatchItem') },
  }),
  BatchItem: objectSchema(
    {
      verb: { ...text, enum: ['create', 'update', 'patch', 'delete'] },
      'object?': { ...anyObject, description: 'The object, for create and update.' },
      'apiVersion?': text,
      'kind?': text,
      'name?': text,
      'namespace?': {
        ...text,
        description: 'Of an object of a namespaced model; a create has it in the object.',
      },
      'patch?': { description: 'The change, for patch.' },
      'contentType?': {
        ...text,
        enum: ['application/merge-patch+json', 'application/json-patch+json'],
        default: 'application/merge-patch+json',
      },
      'propagationPolicy?': {
        ...text,
        enum: [...PROPAGATION_POLICIES],
        description: 'Handling of the objects that this one owns, for delete.',
      },
      'preconditions?': {
        ...objectSchema({ 'uid?': text, 'resourceVersion?': text }),
        description: 'Of the object to delete; another one is a conflict.',
      },
    },
    {
      description: 'One write: of `object`, or of the object named by apiVersion, kind, namespace and name.',
    },
  ),
  BatchResult: objectSchema({
    kind: { ...text, enum: ['BatchResult'] },
    metadata: objectSchema({ resourceVersion: text }),
    items: {
      type: 'array',
      items: objectSchema({
        code: { type: 'integer' },
        'object?': {
          ...anyObject,
          description: 'The object as stored, or in its last state. Absent with return=none.',
        },
        'warnings?': texts,
      }),
    },
  }),
};

/** Each item of a batch is authorized separately. */
export const BATCHES: PlatformEndpoint = {
  method: 'POST',
  path: `/apis/${API_VERSION}/batches`,
  right: 'user',
  operation: {
    operationId: 'RunBatch',
    summary: 'Write several objects in one commit, or none of them',
    description:
      'At most 10,000 items and 64 MiB of objects, counted once per item. Each item sees the changes of the items before it.',
    parameters: PARAMETERS,
    requestBody: { required: true, content: objectContent(schemaRef('BatchRequest')) },
    answer: objectAnswer('The result of each item.', 'BatchResult'),
    errors: [
      ...(['BadRequest', 'NotFound', 'Timeout', 'Conflict', 'PreconditionFailed'] as const),
      ...(['RequestEntityTooLarge', 'UnsupportedMediaType', 'Invalid'] as const),
      ...EVERYWHERE,
    ],
    schemas: SCHEMAS,
  },
  handler: batchHandler,
};

function batchHandler(platform: Platform): PlatformHandler {
  const { service, models, startup, guard, origins, bodies, converter, stallMs = STALL_MS } = platform;
  const known = knownParameters(PARAMETERS);
  return async (req, res) => {
    const format = bodies.formatOf(req);
    const query = readQuery(req);
    const warnings = unknownAmong(query, known);
    const fieldManager = managerOf(query, req.headers['user-agent']);
    const hasObjects = returnsObjects(query);
    // All requests share the parser of YAML, which is slow, so YAML has no larger limit.
    const leastMax = format === 'json' ? BATCH_BODY_BYTES_MAX : 0;
    const body = await parseBody(await bodies.read(req, leastMax), format, converter);
    const check = (item: BatchItem): void => guard?.authorize(req, limitable(actionOfItem(item)));
    const commit = (all: WriteOptions): Promise<BatchDone> =>
      runBatch({ service, models, startup, check }, body, all);
    const batch = await platform.run(req, res, (work) => {
      const allowance = new Allowance({ work });
      const write = { ...writeOptions(query, undefined, origins?.of(req)), fieldManager, allowance };
      return guard === undefined ? commit(write) : guard.write(req, write, commit);
    });
    await sendBatch({ req, res, hasObjects, warnings }, batch, { converter, stallMs });
  };
}
