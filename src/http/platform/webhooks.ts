import type { Request } from 'express';
import { badRequest } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { objectContent, EVERYWHERE } from '../../openapi/common.js';
import { schemaRef } from '../../openapi/json-fragment.js';
import { objectAnswer, queryParameter } from '../../openapi/platform.js';
import { kindSchema, objectSchema, text } from '../../openapi/schema-parts.js';
import { deadLetterList, readReplay, replay } from '../../webhooks/requests.js';
import { WEBHOOKS } from '../../webhooks/webhook.js';
import { addWarnings, sendValue } from '../answer/respond.js';
import { parseBody } from '../body/body.js';
import { single } from '../routes/parameters.js';
import { readQuery, type PlatformEndpoint } from './endpoint.js';

const API = `${WEBHOOKS.group}/${WEBHOOKS.version}`;
const PATH = `/apis/${API}/${WEBHOOKS.plural}/:name`;
const time = { ...text, format: 'date-time' } as const;

/** The changes that a webhook has given up. */
export const DEAD_LETTERS: PlatformEndpoint = {
  method: 'GET',
  path: `${PATH}/deadletters`,
  operation: {
    operationId: 'ListWebhookDeadLetters',
    summary: 'The changes that a webhook has given up, oldest first',
    parameters: ['name', queryParameter('continue', 'The token of the page before.')],
    answer: objectAnswer('The changes.', 'DeadLetterList'),
    errors: ['BadRequest', 'NotFound', ...EVERYWHERE],
    schemas: {
      DeadLetterList: kindSchema(API, 'DeadLetterList', {
        metadata: objectSchema({ continue: text }),
        items: { type: 'array', items: schemaRef('DeadLetter') },
      }),
      DeadLetter: objectSchema({
        id: { ...text, description: 'The `webhook-id` of its requests.' },
        type: { ...text, enum: ['ADDED', 'MODIFIED', 'DELETED'] },
        resourceVersion: { ...text, description: 'Revision of the change.' },
        time: { ...time, description: 'Time of the change.' },
        group: text,
        kind: text,
        name: { ...text, description: 'The object; in a namespace, `<namespace>/<name>`.' },
        attempts: { type: 'integer' },
        lastError: text,
        lastTime: { ...time, description: 'Time of the last attempt.' },
      }),
    },
  },
  warn: addWarnings,
  handler:
    ({ service }) =>
    async (req, res) => {
      sendValue(res, 200, await deadLetterList(service, nameIn(req), single(readQuery(req), 'continue')));
    },
};

/** Makes a webhook send changes again. */
export const REPLAYS: PlatformEndpoint = {
  method: 'POST',
  path: `${PATH}/replay`,
  operation: {
    operationId: 'ReplayWebhook',
    summary: 'Send changes to a webhook again',
    description: 'Either all changes after a revision that the log still has, or the dead letters.',
    parameters: ['name'],
    requestBody: { required: true, content: objectContent(schemaRef('WebhookReplay')) },
    answer: objectAnswer('The accepted request.', 'WebhookReplay'),
    errors: ['BadRequest', 'NotFound', 'RequestEntityTooLarge', 'UnsupportedMediaType', ...EVERYWHERE],
    schemas: {
      WebhookReplay: {
        type: 'object',
        properties: {
          fromRevision: { type: 'integer', minimum: 0, description: 'Send all changes after it again.' },
          deadletters: { type: 'boolean', description: 'True: send the dead letters again.' },
          count: { type: 'integer', readOnly: true, description: 'Number of dead letters.' },
        },
      },
    },
  },
  warn: addWarnings,
  handler:
    ({ service, bodies, converter }) =>
    async (req, res) => {
      const format = bodies.formatOf(req);
      const body = await parseBody(await bodies.read(req), format, converter);
      if (!isRecord(body)) throw badRequest('the body must be an object: {"fromRevision": 42}');
      sendValue(res, 200, await replay(service, nameIn(req), readReplay(body)));
    },
};

function nameIn({ params }: Request): string {
  const { name } = params;
  return typeof name === 'string' ? name : '';
}
