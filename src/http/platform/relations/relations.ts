import type { Request } from 'express';
import { badRequest } from '../../../errors.js';
import { resolveResource } from '../../../model/resolve-resource.js';
import { EVERYWHERE } from '../../../openapi/common.js';
import { schemaRef } from '../../../openapi/json-fragment.js';
import { objectAnswer, queryParameter, type PlatformOperation } from '../../../openapi/platform.js';
import { kindSchema, objectSchema, text, modelMembers, texts } from '../../../openapi/schema-parts.js';
import type { Service } from '../../../service/service.js';
import type { ResourceRef } from '../../../service/verbs.js';
import { single } from '../../routes/parameters.js';
import { addWarnings, sendValue } from '../../answer/respond.js';
import { API_VERSION, readQuery, type PlatformEndpoint } from '../endpoint.js';
import { checkSeen, seenDependents, seenReferrers, type RelationReader } from './seen-relations.js';

const LIMIT = 10;
const LIMIT_MAX = 1_000;

const names = {
  ...texts,
  description:
    'The first of them, oldest first, with a namespace as `<namespace>/<name>`; none where the sender may not list the model.',
} as const;

/** The number of objects that refer to an object, by each field that may, with the names of the first ones. */
export const REFERRERS = relationEndpoint({
  path: `/apis/${API_VERSION}/referrers`,
  kind: 'ReferrerList',
  operationId: 'ListReferrers',
  summary: 'The objects that refer to an object, by field',
  object: 'the object, which need not exist',
  each: 'field',
  answer: 'The fields.',
  item: 'FieldReferrers',
  itemSchema: objectSchema(
    {
      ...modelMembers,
      field: { ...text, description: 'The field, which is an index as well.' },
      onDelete: { ...text, enum: ['restrict', 'cascade', 'clear'] },
      total: { type: 'integer', description: 'Number of referring objects.' },
      names,
    },
    {
      description:
        'Objects that refer to an object by one field. A field selector with that field lists all of them.',
    },
  ),
  find: async (reader) => {
    const { service, model, name, limit, work } = reader;
    const { items } = await service.referrers(model, name, { limit }, work);
    return Promise.all(items.map((one) => seenReferrers(reader, one)));
  },
});

/** The number of objects that an object owns, of each model, with the names of the first ones. */
export const DEPENDENTS = relationEndpoint({
  path: `/apis/${API_VERSION}/dependents`,
  kind: 'DependentList',
  operationId: 'ListOwnedObjects',
  summary: 'The objects that an object owns, by model',
  object: 'the object',
  each: 'model',
  answer: 'The models of its owned objects.',
  item: 'ModelDependents',
  itemSchema: objectSchema(
    {
      ...modelMembers,
      total: { type: 'integer', description: 'Number of owned objects.' },
      shared: { type: 'integer', description: 'Number of them that also have another owner.' },
      deleting: { type: 'integer', description: 'Number of them that are being deleted.' },
      names,
    },
    {
      description:
        'Objects of a model that an object owns. The field selector `metadata.ownerReferences.uid=<uid>` lists all of them.',
    },
  ),
  find: async (reader) => {
    await checkSeen(reader);
    const { service, model, name, limit, work } = reader;
    const { items } = await service.dependents(model, name, { limit }, work);
    return Promise.all(items.map((one) => seenDependents(reader, one)));
  },
});

type Question = Pick<RelationReader, 'model' | 'name' | 'limit'>;

interface Relation extends Pick<PlatformOperation, 'operationId' | 'summary'> {
  readonly path: string;
  readonly kind: string;
  /** The object that the parameters name. */
  readonly object: string;
  /** The things for which the answer has an item each. */
  readonly each: string;
  readonly answer: string;
  /** The name of the schema of an item. */
  readonly item: string;
  readonly itemSchema: object;
  /** Undefined for a part that the sender does not see. */
  readonly find: (reader: RelationReader) => Promise<readonly (ResourceRef | undefined)[]>;
}

function relationEndpoint(relation: Relation): PlatformEndpoint {
  const { path, kind, operationId, summary, object, each, answer, item, itemSchema, find } = relation;
  return {
    method: 'GET',
    path,
    operation: {
      operationId,
      summary,
      parameters: [
        queryParameter('resource', 'The model of the object, as `<plural>.<group>`.', { required: true }),
        queryParameter('name', `The name of ${object}; in a namespace, \`<namespace>/<name>\`.`, {
          required: true,
        }),
        queryParameter('limit', `Maximum number of objects named per ${each}.`, {
          schema: { type: 'integer', minimum: 0, maximum: LIMIT_MAX, default: LIMIT },
        }),
      ],
      answer: objectAnswer(answer, kind),
      errors: ['BadRequest', 'NotFound', ...EVERYWHERE],
      schemas: {
        [kind]: kindSchema(API_VERSION, kind, {
          metadata: { type: 'object' },
          items: { type: 'array', items: schemaRef(item) },
        }),
        [item]: itemSchema,
      },
    },
    warn: addWarnings,
    handler:
      ({ service, run, guard }) =>
      async (req, res) => {
        const question = parseQuestion(req, service);
        const found = await run(req, res, (work) => find({ service, guard, req, work, ...question }));
        const items = found.filter((one) => one !== undefined);
        sendValue(res, 200, { apiVersion: API_VERSION, kind, metadata: {}, items });
      },
  };
}

function parseQuestion(req: Request, service: Service): Question {
  const query = readQuery(req);
  const [resource, name, limit = ''] = ['resource', 'name', 'limit'].map((field) => single(query, field));
  if (resource === undefined || name === undefined)
    throw badRequest('name the object: ?resource=persons.demo.example.com&name=ann');
  const model = resolveResource(service.models.list(), resource);
  return { model, name, limit: limit === '' ? LIMIT : getLimit(limit) };
}

function getLimit(value: string): number {
  const limit = /^\d{1,4}$/.test(value) ? Number(value) : NaN;
  if (limit >= 0 && limit <= LIMIT_MAX) return limit;
  throw badRequest(`limit must be an integer from 0 to ${LIMIT_MAX}`);
}
