import type { Request, Response } from 'express';
import { badRequest, formatExcerpt, ServiceError } from '../../../errors.js';
import { isRecord } from '../../../lib/json/json.js';
import type { JsonObject } from '../../../model/object.js';
import { isJsonObject } from '../../../model/schema/schema-walk.js';
import { objectContent, EVERYWHERE } from '../../../openapi/common.js';
import { schemaRef } from '../../../openapi/json-fragment.js';
import { objectAnswer, type PlatformOperation } from '../../../openapi/platform.js';
import { kindSchema, objectSchema, text, texts } from '../../../openapi/schema-parts.js';
import { hasBody, parseBody } from '../../body/body.js';
import { sendValue } from '../../answer/respond.js';
import { API_VERSION, type PlatformEndpoint } from '../endpoint.js';
import { longWork } from '../long-work.js';
import { withMentions } from './plan-mentions.js';
import type { Platform } from '../platform.js';

const count = { type: 'integer' } as const;

const SCHEMAS: PlatformOperation['schemas'] = {
  ModelPlanRequest: objectSchema(
    {
      'plugins?': {
        ...texts,
        description: 'Only these plugins, treated as enabled. Default: all enabled plugins.',
      },
      'definition?': {
        type: 'object',
        description: 'Instead of a start: the effect of this CustomResourceDefinition on stored objects.',
      },
    },
    { additionalProperties: false },
  ),
  ModelPlan: kindSchema('v1', 'ModelPlan', {
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
      items: objectSchema({ plugin: text, message: text }),
    },
  }),
  PlannedModel: objectSchema({
    group: text,
    kind: text,
    plural: text,
    version: { ...text, description: 'The storage version.' },
    plugin: text,
    objects: count,
    changes: {
      type: 'array',
      items: objectSchema({
        kind: text,
        path: { ...text, description: 'The field, index, version or migration; may be empty.' },
        text,
        isTighter: {
          type: 'boolean',
          description: 'True when objects that were valid can become invalid.',
        },
      }),
    },
    warnings: texts,
    mentions: {
      type: 'array',
      description:
        'Roles, webhooks and views that mention removed fields or indexes; `warnings` has them, too.',
      items: objectSchema({ kind: text, name: text, field: text }),
    },
    problems: {
      type: 'array',
      items: objectSchema({
        kind: text,
        path: text,
        count,
        text,
        examples: { type: 'array', items: objectSchema({ name: text, problem: text }) },
      }),
    },
  }),
};

/** Roles treat it as a resource to create, because it runs code of plugins and reports objects of all models. */
export const MODEL_PLANS: PlatformEndpoint = {
  method: 'POST',
  path: `/apis/${API_VERSION}/modelplans`,
  operation: {
    operationId: 'PlanModels',
    summary:
      'Plan a start with the plugins on disk, or a definition: its changes to the store, without making them',
    requestBody: { content: objectContent(schemaRef('ModelPlanRequest')) },
    answer: objectAnswer('The plan.', 'ModelPlan'),
    errors: [
      'BadRequest',
      'NotFound',
      'Invalid',
      'RequestEntityTooLarge',
      'UnsupportedMediaType',
      ...EVERYWHERE,
    ],
    schemas: SCHEMAS,
  },
  handler: (platform) => async (req, res) => {
    const { makePlan, planDefinition, bodies, converter } = platform;
    const format = bodies.formatOf(req);
    const body = hasBody(req) ? await parseBody(await bodies.read(req), format, converter) : {};
    const { plugins, definition } = readRequest(body);
    const make =
      definition === undefined ? makePlan?.bind(null, plugins) : planDefinition?.bind(null, definition);
    if (make === undefined) throw notHere(res);
    sendValue(res, 200, await withMentions(await longWork(req, res, make), listerFor(req, platform)));
  },
};

/** Lists the objects of models that the sender of a request sees. */
function listerFor(req: Request, { service, models, guard }: Platform): Parameters<typeof withMentions>[1] {
  return (ref) => {
    const resource = models.find(ref.group, ref.version, ref.plural);
    if (resource === undefined || guard?.mayListSome(req, ref) === false) return [];
    const filter = guard && models.view(ref).scheme?.ownership?.filterFor(guard.getIdentity(req).user);
    const scope = guard?.scope(req, resource, { verb: 'list', isNamed: false });
    return service.listAll(ref, filter === undefined ? {} : { filter }, { scope });
  };
}

interface PlanRequest {
  readonly plugins: readonly string[];
  readonly definition: JsonObject | undefined;
}

function readRequest(body: unknown): PlanRequest {
  if (!isRecord(body)) throw badRequest('the body must be an object such as {"plugins": ["desk"]}');
  const { plugins = [], definition, ...others } = body;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw badRequest(
      `the body has an unknown member "${formatExcerpt(other)}"; the known members are plugins and definition`,
    );
  if (!Array.isArray(plugins) || !plugins.every((name) => typeof name === 'string'))
    throw badRequest('plugins must be an array of names');
  if (definition !== undefined && !isJsonObject(definition))
    throw badRequest('definition must be a CustomResourceDefinition');
  if (definition !== undefined && plugins.length > 0)
    throw badRequest('plugins and definition cannot be planned together');
  return { plugins, definition };
}

function notHere(res: Response): ServiceError {
  res.setHeader('Allow', '');
  return new ServiceError(
    'MethodNotAllowed',
    'plans are not available on a shared store; copy it with `xsvc backup FILE --server URL` and ' +
      '`xsvc restore FILE --data-dir DIR`, and run `xsvc model plan --data-dir DIR` with the plugins',
  );
}
