import { PROPAGATION_POLICIES } from '../model/owner-references.js';
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
    description: 'One write: of `object`, or of the object named by apiVersion, kind and name.',
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
      propagationPolicy: {
        ...text,
        enum: [...PROPAGATION_POLICIES],
        description: 'Handling of the objects that this one owns, for delete.',
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
            object: {
              ...anyObject,
              description: 'The object as stored, or in its last state. Absent with return=none.',
            },
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
      metadata: {
        type: 'object',
        description: 'With changedAfter: resourceVersion is the revision of the last change of the store.',
        required: ['complete'],
        properties: {
          resourceVersion: text,
          complete: {
            type: 'boolean',
            description: 'False while plugins start for the first time; models may be missing then.',
          },
          starting: {
            type: 'array',
            description: 'The plugins that are starting or waiting to start.',
            items: text,
          },
        },
      },
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
      lastChange: {
        ...text,
        description: 'With changedAfter: the revision of the last change of an object of the model.',
      },
    },
  },
  ReferrerList: {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'items'],
    properties: {
      apiVersion: { ...text, enum: ['api.platform.run/v1alpha1'] },
      kind: { ...text, enum: ['ReferrerList'] },
      metadata: { type: 'object' },
      items: { type: 'array', items: schemaRef('FieldReferrers') },
    },
  },
  FieldReferrers: {
    type: 'object',
    description:
      'Objects that refer to an object by one field. A field selector with that field lists all of them.',
    required: ['group', 'version', 'kind', 'plural', 'field', 'onDelete', 'total', 'names'],
    properties: {
      group: text,
      version: text,
      kind: text,
      plural: text,
      field: { ...text, description: 'The field, which is an index as well.' },
      onDelete: { ...text, enum: ['restrict', 'cascade', 'clear'] },
      total: { type: 'integer', description: 'Number of referring objects.' },
      names: {
        type: 'array',
        items: text,
        description: 'The first of them, oldest first; none where the sender may not list the model.',
      },
    },
  },
  DependentList: {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'items'],
    properties: {
      apiVersion: { ...text, enum: ['api.platform.run/v1alpha1'] },
      kind: { ...text, enum: ['DependentList'] },
      metadata: { type: 'object' },
      items: { type: 'array', items: schemaRef('ModelDependents') },
    },
  },
  ModelDependents: {
    type: 'object',
    description:
      'Objects of a model that an object owns. The field selector `metadata.ownerReferences.uid=<uid>` lists all of them.',
    required: ['group', 'version', 'kind', 'plural', 'total', 'shared', 'deleting', 'names'],
    properties: {
      group: text,
      version: text,
      kind: text,
      plural: text,
      total: { type: 'integer', description: 'Number of owned objects.' },
      shared: { type: 'integer', description: 'Number of them that also have another owner.' },
      deleting: { type: 'integer', description: 'Number of them that are being deleted.' },
      names: {
        type: 'array',
        items: text,
        description: 'The first of them, oldest first; none where the sender may not list the model.',
      },
    },
  },
  StoredVersionList: {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'resource', 'storageVersion', 'items'],
    properties: {
      apiVersion: { ...text, enum: ['api.platform.run/v1alpha1'] },
      kind: { ...text, enum: ['StoredVersionList'] },
      metadata: { type: 'object' },
      resource: { ...text, description: 'The model, as `<plural>.<group>`.' },
      storageVersion: { ...text, description: 'The version in which objects are written.' },
      items: {
        type: 'array',
        description: 'Only versions with stored objects.',
        items: {
          type: 'object',
          required: ['version', 'objects'],
          properties: { version: text, objects: { type: 'integer' } },
        },
      },
    },
  },
  ModelPlanRequest: {
    type: 'object',
    properties: {
      plugins: {
        type: 'array',
        items: text,
        description: 'Only these plugins, treated as enabled. Default: all enabled plugins.',
      },
    },
    additionalProperties: false,
  },
  ModelPlan: {
    type: 'object',
    required: ['apiVersion', 'kind', 'result', 'models', 'failures'],
    properties: {
      apiVersion: { ...text, enum: ['v1'] },
      kind: { ...text, enum: ['ModelPlan'] },
      result: {
        ...text,
        enum: ['unchanged', 'fits', 'refused'],
        description:
          'Nothing to do; changes, and all objects are valid; a plugin would not start, or objects would be invalid.',
      },
      models: { type: 'array', items: schemaRef('PlannedModel') },
      failures: {
        type: 'array',
        description: 'Plugins that would not start, whatever the store contains.',
        items: {
          type: 'object',
          required: ['plugin', 'message'],
          properties: { plugin: text, message: text },
        },
      },
    },
  },
  PlannedModel: {
    type: 'object',
    required: ['group', 'kind', 'plural', 'version', 'plugin', 'objects', 'changes', 'warnings', 'problems'],
    properties: {
      group: text,
      kind: text,
      plural: text,
      version: { ...text, description: 'The storage version.' },
      plugin: text,
      objects: { type: 'integer' },
      changes: {
        type: 'array',
        items: {
          type: 'object',
          required: ['kind', 'path', 'text', 'isTighter'],
          properties: {
            kind: text,
            path: { ...text, description: 'The field, index, version or migration; may be empty.' },
            text,
            isTighter: {
              type: 'boolean',
              description: 'True when objects that were valid can become invalid.',
            },
          },
        },
      },
      warnings: { type: 'array', items: text },
      problems: {
        type: 'array',
        items: {
          type: 'object',
          required: ['kind', 'path', 'count', 'text', 'examples'],
          properties: {
            kind: text,
            path: text,
            count: { type: 'integer' },
            text,
            examples: {
              type: 'array',
              items: {
                type: 'object',
                required: ['name', 'problem'],
                properties: { name: text, problem: text },
              },
            },
          },
        },
      },
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
        description: 'The leader: the process on the store that runs the controllers.',
        required: ['holder', 'token', 'isSelf'],
        properties: {
          holder: { ...text, description: 'Name of the process; empty without a leader.' },
          token: { type: 'integer', description: 'Increases with each change of the holder.' },
          isSelf: { type: 'boolean', description: 'True when the answering process is the leader.' },
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
      buildDate: {
        ...text,
        format: 'date-time',
        description: 'Build time: when the files of the program were written.',
      },
      goVersion: { ...text, description: 'The runtime in place of a Go version.' },
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
  description: 'When present, lists every check with the reason of its failure.',
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

/**
 * @param object the object that the parameters name
 * @param each the things for which the answer has an item each
 */
function relatedParameters(object: string, each: string): readonly object[] {
  return [
    {
      name: 'resource',
      in: 'query',
      required: true,
      description: 'The model of the object, as `<plural>.<group>`.',
      schema: text,
    },
    { name: 'name', in: 'query', required: true, description: `The name of ${object}.`, schema: text },
    {
      name: 'limit',
      in: 'query',
      description: `Maximum number of objects named per ${each}.`,
      schema: { type: 'integer', minimum: 0, maximum: 1_000, default: 10 },
    },
  ];
}

/** The paths of the platform without models: batches, lists of models and controllers, metrics, health. */
export const PLATFORM_PATHS: ReadonlyMap<string, PathItem> = new Map<string, PathItem>([
  [
    '/apis/api.platform.run/v1alpha1/batches',
    {
      post: {
        operationId: 'RunBatch',
        tags: [TAG],
        summary: 'Write several objects in one commit, or none of them',
        description:
          'At most 10,000 items and 64 MiB of objects, counted once per item. Each item sees the changes of the items before it.',
        parameters: [...parameterRefs('dryRun', 'fieldValidation'), RETURN],
        requestBody: { required: true, content: objectContent(schemaRef('BatchRequest')) },
        responses: {
          200: { description: 'The result of each item.', content: objectContent(schemaRef('BatchResult')) },
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
        summary: 'Back up the whole store, as one file for xsvc restore',
        responses: {
          200: {
            description: 'The backup; it contains the SHA-256 of its content.',
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
              'A line for each inconsistency, `{kind, name, message}`; the last line is `{objects, models}`, the number compared.',
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
        summary: 'The served models',
        parameters: [
          {
            name: 'changedAfter',
            in: 'query',
            description:
              'A revision: only models that the user may list and whose objects changed after it, each with `lastChange`.',
            schema: text,
          },
        ],
        responses: {
          200: { description: 'The models.', content: objectContent(schemaRef('ServedModelList')) },
          ...errorRefs('BadRequest', ...EVERYWHERE),
        },
      },
    },
  ],
  [
    '/apis/api.platform.run/v1alpha1/modelplans',
    {
      post: {
        operationId: 'PlanModels',
        tags: [TAG],
        summary: 'Plan a start with the plugins on disk: its changes to the store, without making them',
        requestBody: { content: objectContent(schemaRef('ModelPlanRequest')) },
        responses: {
          200: { description: 'The plan.', content: objectContent(schemaRef('ModelPlan')) },
          ...errorRefs(
            'BadRequest',
            'NotFound',
            'RequestEntityTooLarge',
            'UnsupportedMediaType',
            ...EVERYWHERE,
          ),
        },
      },
    },
  ],
  [
    '/apis/api.platform.run/v1alpha1/storedversions',
    {
      get: {
        operationId: 'ListStoredVersions',
        tags: [TAG],
        summary: 'Number of objects of a model in each stored version',
        parameters: [
          {
            name: 'resource',
            in: 'query',
            required: true,
            description: 'The model, as `<plural>.<group>`.',
            schema: text,
          },
        ],
        responses: {
          200: { description: 'The versions.', content: objectContent(schemaRef('StoredVersionList')) },
          ...errorRefs('BadRequest', 'NotFound', ...EVERYWHERE),
        },
      },
    },
  ],
  [
    '/apis/api.platform.run/v1alpha1/referrers',
    {
      get: {
        operationId: 'ListReferrers',
        tags: [TAG],
        summary: 'The objects that refer to an object, by field',
        parameters: relatedParameters('the object, which need not exist', 'field'),
        responses: {
          200: { description: 'The fields.', content: objectContent(schemaRef('ReferrerList')) },
          ...errorRefs('BadRequest', 'NotFound', ...EVERYWHERE),
        },
      },
    },
  ],
  [
    '/apis/api.platform.run/v1alpha1/dependents',
    {
      get: {
        operationId: 'ListOwnedObjects',
        tags: [TAG],
        summary: 'The objects that an object owns, by model',
        parameters: relatedParameters('the object', 'model'),
        responses: {
          200: {
            description: 'The models of its owned objects.',
            content: objectContent(schemaRef('DependentList')),
          },
          ...errorRefs('BadRequest', 'NotFound', ...EVERYWHERE),
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
        summary: 'State of the controllers, or their reports about one object',
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
        summary: 'Metrics of the service, for Prometheus',
        responses: {
          200: { description: 'The metrics.', content: { 'text/plain': { schema: text } } },
          ...errorRefs('InternalError'),
        },
      },
    },
  ],
  ['/livez', health('GetLiveness', 'Liveness of the service')],
  ['/readyz', health('GetReadiness', 'Readiness of the service')],
  ['/healthz', health('GetHealth', 'Health of the service')],
]);

/** The ids of the platform's operations; no other operation gets them. */
export const PLATFORM_IDS = [
  'RunBatch',
  'MakeBackup',
  'CheckStore',
  'ListServedModels',
  'ListReferrers',
  'ListOwnedObjects',
  'ListControllers',
  'GetServiceVersion',
  'GetMetrics',
  'GetLiveness',
  'GetReadiness',
  'GetHealth',
] as const;
