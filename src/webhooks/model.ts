import { PLATFORM } from '../model/declare/scheme.js';
import type { SchemeRegistry } from '../model/declare/registry.js';
import type { JsonObject } from '../model/object.js';
import { withGerman, type FieldTexts } from '../model/schema/german.js';
import { modelHint } from '../model/schema/hints.js';
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

/** Titles and descriptions of the fields in German. */
const GERMAN: FieldTexts = {
  'spec.url': ['URL', 'Empfänger der Änderungen: eine URL mit http oder https.'],
  'spec.models': ['Modelle', 'Modelle, deren Änderungen gesendet werden.'],
  'spec.models[].group': ['Gruppe', 'Gruppe des Modells; leer für die alte.'],
  'spec.models[].kind': ['Art', 'Art des Modells.'],
  'spec.events': ['Ereignisse', 'Änderungen, die gesendet werden. Vorgabe: alle.'],
  'spec.labelSelector': ['Labels', 'Nur Objekte, deren Labels passen.'],
  'spec.fieldSelector': ['Felder', 'Nur Objekte, deren indizierte Felder passen.'],
  'spec.filter': ['Filter', 'Nur Objekte, auf die der Filter passt.'],
  'spec.headers': ['Kopfzeilen', 'Kopfzeilen jeder Anfrage. Gelesen werden nur ihre Namen.'],
  'spec.secret': [
    'Geheimnis',
    'Schlüssel der Signaturen: whsec_ und ein Schlüssel in Base64. Wird nie gezeigt.',
  ],
  'spec.credentials': ['Zugangsdaten', 'Geheimnis und Werte der Kopfzeilen, vom Dienst verschlüsselt.'],
  'spec.payload': ['Inhalt', 'Das ganze Objekt oder nur sein Name.'],
  'spec.timeout': ['Zeitlimit', 'Längste Dauer einer Anfrage, höchstens 5m.'],
  'spec.maxAttempts': ['Versuche', 'Versuche, nach denen eine Änderung aufgegeben wird.'],
  'spec.enabled': ['Aktiv', 'Aus: nichts wird gesendet. Danach geht es an derselben Stelle weiter.'],
  'status.position': ['Position', 'Alle Änderungen bis zu dieser Revision sind zugestellt oder aufgegeben.'],
  'status.pending': ['Ausstehend', 'Gelesene, nicht zugestellte Änderungen.'],
  'status.delivered': ['Zugestellt', 'Zugestellte Änderungen.'],
  'status.failed': ['Aufgegeben', 'Aufgegebene Änderungen.'],
  'status.lastError': ['Letzter Fehler'],
  'status.lastErrorTime': ['Zeit des letzten Fehlers'],
  'status.lastTime': ['Letzter Versuch', 'Zeit des letzten Versuchs.'],
};

const SPEC: JsonObject = {
  type: 'object',
  required: ['url', 'models'],
  properties: {
    url: { ...text, maxLength: 2048, description: 'Receiver of the changes: an http or https URL.' },
    models: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      description: 'Models whose changes are sent.',
      items: {
        type: 'object',
        required: ['group', 'kind'],
        properties: {
          group: { ...text, description: 'Group of the model; empty for the legacy one.' },
          kind: { ...text, minLength: 1, description: 'Kind of the model.' },
        },
      },
    },
    events: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { ...text, enum: [...CHANGE_TYPES] },
      description:
        'Changes that are sent. Default: all. An object that begins to match is ADDED, one that stops is DELETED.',
    },
    labelSelector: { ...text, description: 'Only objects whose labels match.' },
    fieldSelector: { ...text, description: 'Only objects whose indexed fields match.' },
    filter: { ...text, description: 'Only objects that the filter matches.' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      maxProperties: 50,
      description: 'Headers of each request. Reads show their names only; absent in an update: they stay.',
    },
    secret: {
      ...text,
      description:
        'Key of the signatures: whsec_ and a key in base64, best of 24 to 64 bytes. Never shown; absent in an update: it stays, empty: it is removed.',
    },
    credentials: {
      ...text,
      readOnly: true,
      description: 'The secret and the values of the headers, encrypted by the service.',
    },
    payload: {
      ...text,
      enum: ['object', 'reference'],
      default: 'object',
      description: 'The whole object, or only its name.',
    },
    timeout: { ...text, default: '10s', description: 'Longest time of a request, at most 5m.' },
    maxAttempts: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 20,
      description: 'Attempts after which a change is given up and kept as a dead letter.',
    },
    enabled: {
      type: 'boolean',
      default: true,
      description: 'False: nothing is sent. Enabled again, it goes on where it was.',
    },
  },
};

const SCHEMA = withGerman(GERMAN, {
  type: 'object',
  ...modelHint('webhook', 'Webhooks', 'Webhook'),
  required: ['spec'],
  properties: {
    spec: SPEC,
    status: {
      type: 'object',
      properties: {
        position: { ...count, description: 'Every change up to this revision was delivered or given up.' },
        pending: { ...count, description: 'Changes that were read and are not delivered.' },
        delivered: { ...count, description: 'Delivered changes.' },
        failed: { ...count, description: 'Changes that were given up.' },
        lastError: { ...text, description: 'The last error.' },
        lastErrorTime: { ...time, description: 'Time of the last error.' },
        lastTime: { ...time, description: 'Time of the last attempt.' },
      },
    },
  },
});

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
