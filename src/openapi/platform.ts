import { errorRefs, EVERYWHERE, objectContent, parameterRefs } from './common.js';
import type { PathItem } from './model-operations.js';
import { schemaRef } from './json-fragment.js';

const text = { type: 'string' } as const;
const anyObject = { type: 'object', additionalProperties: true } as const;

/** Schemas of {@link PLATFORM_PATHS}. */
export const PLATFORM_SCHEMAS: Readonly<Record<string, object>> = {
  BatchRequest: {
    type: 'object',
    required: ['items'],
    properties: {
      items: { type: 'array', maxItems: 10_000, items: schemaRef('BatchItem') },
    },
  },
  BatchItem: {
    type: 'object',
    description: 'One write: of `object`, or of the object that apiVersion, kind and name tell.',
    required: ['verb'],
    properties: {
      verb: { ...text, enum: ['create', 'update', 'patch', 'delete'] },
      object: { ...anyObject, description: 'The object, for create and update.' },
      apiVersion: text,
      kind: text,
      name: text,
      patch: { description: 'The change, for patch.' },
      contentType: {
        ...text,
        enum: ['application/merge-patch+json', 'application/json-patch+json'],
        default: 'application/merge-patch+json',
      },
    },
  },
  BatchResult: {
    type: 'object',
    required: ['kind', 'metadata', 'items'],
    properties: {
      kind: { ...text, enum: ['BatchResult'] },
      metadata: { type: 'object', required: ['resourceVersion'], properties: { resourceVersion: text } },
      items: {
        type: 'array',
        items: {
          type: 'object',
          required: ['code'],
          properties: {
            code: { type: 'integer' },
            object: { ...anyObject, description: 'As it is stored, or was left. Not with return=none.' },
            warnings: { type: 'array', items: text },
          },
        },
      },
    },
  },
  ServedModelList: {
    type: 'object',
    required: ['apiVersion', 'kind', 'items'],
    properties: {
      apiVersion: { ...text, enum: ['api.platform.run/v1alpha1'] },
      kind: { ...text, enum: ['ModelList'] },
      items: { type: 'array', items: schemaRef('ServedModel') },
    },
  },
  ServedModel: {
    type: 'object',
    description: 'A model as data: its names, its schema, its indexes and the columns of its table.',
    required: ['group', 'version', 'kind', 'plural', 'singular', 'schema', 'indexes'],
    properties: {
      group: text,
      version: text,
      kind: text,
      plural: text,
      singular: text,
      shortNames: { type: 'array', items: text },
      categories: { type: 'array', items: text },
      columns: { type: 'array', items: anyObject },
      schema: anyObject,
      indexes: { type: 'array', items: anyObject },
    },
  },
  ControllerList: {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'leader', 'items'],
    properties: {
      apiVersion: { ...text, enum: ['controller.platform.run/v1alpha1'] },
      kind: { ...text, enum: ['ControllerList'] },
      metadata: { type: 'object' },
      leader: {
        type: 'object',
        description: 'Of the processes on the store, the one that runs the controllers.',
        required: ['holder', 'token', 'isSelf'],
        properties: {
          holder: { ...text, description: 'Name of the process; empty while none leads.' },
          token: { type: 'integer', description: 'Rises with each change of the holder.' },
          isSelf: { type: 'boolean', description: 'Whether the process that was asked leads.' },
        },
      },
      items: { type: 'array', items: anyObject },
    },
  },
  ServiceVersion: {
    type: 'object',
    required: [
      ...['major', 'minor', 'gitVersion', 'gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler'],
      ...['platform', 'xsvcVersion', 'nodeVersion'],
    ],
    properties: {
      major: text,
      minor: text,
      gitVersion: {
        ...text,
        description: 'The Kubernetes version that the API resembles, with that of xsvc.',
      },
      gitCommit: text,
      gitTreeState: text,
      buildDate: { ...text, format: 'date-time', description: 'When the files of the program were written.' },
      goVersion: { ...text, description: 'That there is no Go, and what there is instead.' },
      compiler: text,
      platform: { ...text, description: 'Operating system and architecture, as Node.js names them.' },
      xsvcVersion: text,
      nodeVersion: text,
    },
  },
};

const TAG = 'Platform';

const VERBOSE = {
  name: 'verbose',
  in: 'query',
  description: 'When it is there, every check is listed, with why it fails.',
  allowEmptyValue: true,
  schema: { type: 'boolean' },
} as const;

function health(operationId: string, summary: string): PathItem {
  const content = { 'text/plain': { schema: text, example: 'ok' } };
  return {
    get: {
      operationId,
      tags: [TAG],
      summary,
      parameters: [VERBOSE],
      responses: { 200: { description: 'It is.', content }, ...errorRefs('ServiceUnavailable') },
    },
  };
}

const RETURN = {
  name: 'return',
  in: 'query',
  description: 'With `none`, the answer has no objects.',
  schema: { ...text, enum: ['none'] },
};

/** What the platform serves besides models: batches, lists of models and controllers, figures, health. */
export const PLATFORM_PATHS: ReadonlyMap<string, PathItem> = new Map<string, PathItem>([
  [
    '/apis/api.platform.run/v1alpha1/batches',
    {
      post: {
        operationId: 'RunBatch',
        tags: [TAG],
        summary: 'Write several objects at one moment, or none of them',
        description:
          'At most 10,000 items, and 64 MiB of objects, counted once an item. What an item changes, those after it see.',
        parameters: [...parameterRefs('dryRun', 'fieldValidation'), RETURN],
        requestBody: { required: true, content: objectContent(schemaRef('BatchRequest')) },
        responses: {
          200: { description: 'What became of each item.', content: objectContent(schemaRef('BatchResult')) },
          ...errorRefs('BadRequest', 'NotFound', 'Timeout', 'Conflict', 'PreconditionFailed'),
          ...errorRefs('RequestEntityTooLarge', 'UnsupportedMediaType', 'Invalid', ...EVERYWHERE),
        },
      },
    },
  ],
  [
    '/apis/api.platform.run/v1alpha1/backups',
    {
      post: {
        operationId: 'MakeBackup',
        tags: [TAG],
        summary: 'A backup of the whole store, as one file that xsvc restore takes',
        responses: {
          200: {
            description: 'The backup; it carries the SHA-256 of its content.',
            content: { 'application/octet-stream': { schema: { ...text, format: 'binary' } } },
          },
          ...errorRefs(...EVERYWHERE),
        },
      },
    },
  ],
  [
    '/apis/api.platform.run/v1alpha1/checks',
    {
      post: {
        operationId: 'CheckStore',
        tags: [TAG],
        summary: 'Compare objects, indexes and log of the store',
        responses: {
          200: {
            description:
              'A line for each disagreement, `{kind, name, message}`; the last line is `{objects, models}`, how many were compared.',
            content: { 'application/x-ndjson': { schema: text } },
          },
          ...errorRefs(...EVERYWHERE),
        },
      },
    },
  ],
  [
    '/apis/api.platform.run/v1alpha1/models',
    {
      get: {
        operationId: 'ListServedModels',
        tags: [TAG],
        summary: 'The models that are served now',
        responses: {
          200: { description: 'The models.', content: objectContent(schemaRef('ServedModelList')) },
          ...errorRefs(...EVERYWHERE),
        },
      },
    },
  ],
  [
    '/apis/controller.platform.run/v1alpha1/controllers',
    {
      get: {
        operationId: 'ListControllers',
        tags: [TAG],
        summary: 'How the controllers are doing, or what they say of one object',
        parameters: [
          {
            name: 'resource',
            in: 'query',
            description: 'With name: the object, as `<plural>.<group>`.',
            schema: text,
          },
          { name: 'name', in: 'query', description: 'With resource: the name of the object.', schema: text },
        ],
        responses: {
          200: { description: 'The controllers.', content: objectContent(schemaRef('ControllerList')) },
          ...errorRefs('BadRequest', ...EVERYWHERE),
        },
      },
    },
  ],
  [
    '/version',
    {
      get: {
        operationId: 'GetServiceVersion',
        tags: [TAG],
        summary: 'The version of the service',
        responses: {
          200: { description: 'The version.', content: objectContent(schemaRef('ServiceVersion')) },
          ...errorRefs('InternalError'),
        },
      },
    },
  ],
  [
    '/metrics',
    {
      get: {
        operationId: 'GetMetrics',
        tags: [TAG],
        summary: 'Figures about the service, for Prometheus',
        responses: {
          200: { description: 'The figures.', content: { 'text/plain': { schema: text } } },
          ...errorRefs('InternalError'),
        },
      },
    },
  ],
  ['/livez', health('GetLiveness', 'Whether the service runs')],
  ['/readyz', health('GetReadiness', 'Whether the service is ready for requests')],
  ['/healthz', health('GetHealth', 'Whether the service is healthy')],
]);

/** The ids of the platform's operations, which no other operation gets. */
export const PLATFORM_IDS = [
  'RunBatch',
  'MakeBackup',
  'ListServedModels',
  'ListControllers',
  'GetServiceVersion',
  'GetMetrics',
  'GetLiveness',
  'GetReadiness',
  'GetHealth',
] as const;
