import { PLATFORM } from '../model/declare/scheme.js';
import type { SchemeRegistry } from '../model/declare/registry.js';
import type { JsonObject } from '../model/object.js';
import { inGerman, modelHint } from '../model/schema/hints.js';
import { withBaseProperties } from '../model/schema/base-schema.js';
import type { Models } from '../service/models.js';
import type { Store } from '../store/store.js';
import { CHANGE_TYPES } from '../store/log/log.js';
import { Credentials } from './credentials.js';
import { findModel, webhookCheck } from './check.js';
import { WEBHOOKS, type WebhookSpec } from './webhook.js';

const text: JsonObject = { type: 'string' };
const count: JsonObject = { type: 'integer', minimum: 0 };
const time: JsonObject = { type: 'string', format: 'date-time' };

const SPEC: JsonObject = {
  type: 'object',
  required: ['url', 'models'],
  properties: {
    url: {
      ...text,
      maxLength: 2048,
      ...inGerman('URL', 'Empfänger der Änderungen: eine URL mit http oder https.'),
      description: 'Receiver of the changes: an http or https URL.',
    },
    models: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      ...inGerman('Modelle', 'Modelle, deren Änderungen gesendet werden.'),
      description: 'Models whose changes are sent.',
      items: {
        type: 'object',
        required: ['group', 'kind'],
        properties: {
          group: {
            ...text,
            ...inGerman('Gruppe', 'Gruppe des Modells; leer für die alte.'),
            description: 'Group of the model; empty for the legacy one.',
          },
          kind: {
            ...text,
            minLength: 1,
            ...inGerman('Art', 'Art des Modells.'),
            description: 'Kind of the model.',
          },
        },
      },
    },
    events: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { ...text, enum: [...CHANGE_TYPES] },
      ...inGerman('Ereignisse', 'Änderungen, die gesendet werden. Vorgabe: alle.'),
      description:
        'Changes that are sent. Default: all. An object that begins to match is ADDED, one that stops is DELETED.',
    },
    labelSelector: {
      ...text,
      ...inGerman('Labels', 'Nur Objekte, deren Labels passen.'),
      description: 'Only objects whose labels match.',
    },
    fieldSelector: {
      ...text,
      ...inGerman('Felder', 'Nur Objekte, deren indizierte Felder passen.'),
      description: 'Only objects whose indexed fields match.',
    },
    filter: {
      ...text,
      ...inGerman('Filter', 'Nur Objekte, auf die der Filter passt.'),
      description: 'Only objects that the filter matches.',
    },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      maxProperties: 50,
      ...inGerman('Kopfzeilen', 'Kopfzeilen jeder Anfrage. Gelesen werden nur ihre Namen.'),
      description: 'Headers of each request. Reads show their names only; absent in an update: they stay.',
    },
    secret: {
      ...text,
      ...inGerman(
        'Geheimnis',
        'Schlüssel der Signaturen: whsec_ und ein Schlüssel in Base64. Wird nie gezeigt.',
      ),
      description:
        'Key of the signatures: whsec_ and a key in base64, best of 24 to 64 bytes. Never shown; absent in an update: it stays, empty: it is removed.',
    },
    credentials: {
      ...text,
      readOnly: true,
      ...inGerman('Zugangsdaten', 'Geheimnis und Werte der Kopfzeilen, vom Dienst verschlüsselt.'),
      description: 'The secret and the values of the headers, encrypted by the service.',
    },
    payload: {
      ...text,
      enum: ['object', 'reference'],
      default: 'object',
      ...inGerman('Inhalt', 'Das ganze Objekt oder nur sein Name.'),
      description: 'The whole object, or only its name.',
    },
    timeout: {
      ...text,
      default: '10s',
      ...inGerman('Zeitlimit', 'Längste Dauer einer Anfrage, höchstens 5m.'),
      description: 'Longest time of a request, at most 5m.',
    },
    maxAttempts: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 20,
      ...inGerman('Versuche', 'Versuche, nach denen eine Änderung aufgegeben wird.'),
      description: 'Attempts after which a change is given up and kept as a dead letter.',
    },
    enabled: {
      type: 'boolean',
      default: true,
      ...inGerman('Aktiv', 'Aus: nichts wird gesendet. Danach geht es an derselben Stelle weiter.'),
      description: 'False: nothing is sent. Enabled again, it goes on where it was.',
    },
  },
};

const SCHEMA: JsonObject = {
  type: 'object',
  ...modelHint('webhook', 'Webhooks', 'Webhook'),
  required: ['spec'],
  properties: {
    spec: SPEC,
    status: {
      type: 'object',
      properties: {
        position: {
          ...count,
          ...inGerman('Position', 'Alle Änderungen bis zu dieser Revision sind zugestellt oder aufgegeben.'),
          description: 'Every change up to this revision was delivered or given up.',
        },
        pending: {
          ...count,
          ...inGerman('Ausstehend', 'Gelesene, nicht zugestellte Änderungen.'),
          description: 'Changes that were read and are not delivered.',
        },
        delivered: {
          ...count,
          ...inGerman('Zugestellt', 'Zugestellte Änderungen.'),
          description: 'Delivered changes.',
        },
        failed: {
          ...count,
          ...inGerman('Aufgegeben', 'Aufgegebene Änderungen.'),
          description: 'Changes that were given up.',
        },
        lastError: { ...text, ...inGerman('Letzter Fehler'), description: 'The last error.' },
        lastErrorTime: {
          ...time,
          ...inGerman('Zeit des letzten Fehlers'),
          description: 'Time of the last error.',
        },
        lastTime: {
          ...time,
          ...inGerman('Letzter Versuch', 'Zeit des letzten Versuchs.'),
          description: 'Time of the last attempt.',
        },
      },
    },
  },
};

/** Registers the model of webhooks and opens it. */
export async function openWebhookModel(
  models: Pick<Models, 'open'>,
  registry: SchemeRegistry,
  store: Pick<Store, 'secret'>,
): Promise<void> {
  const schema = withBaseProperties(SCHEMA);
  const scheme = registry.registerData(
    {
      ...WEBHOOKS,
      singular: 'webhook',
      shortNames: [],
      categories: [],
      storageVersion: WEBHOOKS.version,
      indexes: [],
      passedOn: ({ spec }) =>
        (spec as WebhookSpec).models.map(
          (model) => findModel(registry, model) ?? { group: model.group, plural: '*' },
        ),
      versions: [
        {
          version: WEBHOOKS.version,
          schema,
          columns: [
            { name: 'URL', jsonPath: '.spec.url', type: 'string' },
            { name: 'Enabled', jsonPath: '.spec.enabled', type: 'boolean' },
            { name: 'Position', jsonPath: '.status.position', type: 'integer' },
            { name: 'Pending', jsonPath: '.status.pending', type: 'integer' },
            { name: 'Delivered', jsonPath: '.status.delivered', type: 'integer' },
            { name: 'Failed', jsonPath: '.status.failed', type: 'integer' },
            { name: 'Last-error', jsonPath: '.status.lastError', type: 'string' },
          ],
          isServed: true,
          check: webhookCheck(schema, registry, new Credentials(store.secret)),
        },
      ],
    },
    PLATFORM,
  );
  await models.open(scheme);
}
