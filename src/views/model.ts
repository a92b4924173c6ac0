import { PLATFORM, type Ownership } from '../model/declare/scheme.js';
import type { DataIndex } from '../model/declare/data-model.js';
import type { SchemeRegistry } from '../model/declare/registry.js';
import { isRecord } from '../lib/json/json.js';
import type { JsonObject, ObjectDraft } from '../model/object.js';
import { withGerman, type FieldTexts } from '../model/schema/german.js';
import { modelHint } from '../model/schema/hints.js';
import { withBaseProperties } from '../model/schema/base-schema.js';
import { compileModel, type ObjectCheck } from '../model/validate/validator.js';
import type { Models } from '../service/models.js';
import type { ResourceRef } from '../service/verbs.js';

/** The model of saved views: lists of the console with their conditions, order and columns. */
export const VIEWS: ResourceRef = {
  group: 'console.platform.run',
  version: 'v1alpha1',
  kind: 'View',
  plural: 'views',
};

const text: JsonObject = { type: 'string' };

/** Titles and descriptions of the fields in German. */
const GERMAN: FieldTexts = {
  'spec.model': ['Modell', 'Das Modell, dessen Objekte gezeigt werden.'],
  'spec.model.group': ['Gruppe', 'Gruppe des Modells; leer für die alte.'],
  'spec.model.plural': ['Plural', 'Plural des Modells.'],
  'spec.title': ['Titel', 'Name der Ansicht für Menschen.'],
  'spec.parameters': ['Abfrage', 'Bedingungen und Reihenfolge der Liste. Leer: alle Objekte.'],
  'spec.columns': ['Spalten', 'Pfade der gezeigten Felder, in dieser Reihenfolge.'],
  'spec.isShared': ['Geteilt', 'Alle Benutzer sehen sie. Ohne Benutzer sind alle Ansichten geteilt.'],
  'spec.owner': ['Eigentümer', 'Benutzer, der sie angelegt hat. Nur er ändert sie.'],
};

const SCHEMA = withGerman(GERMAN, {
  type: 'object',
  ...modelHint('columns', 'Ansichten', 'Ansicht'),
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['model', 'title', 'parameters'],
      properties: {
        model: {
          type: 'object',
          required: ['group', 'plural'],
          description: 'Model whose objects are listed.',
          properties: {
            group: { ...text, maxLength: 253, description: 'Group of the model; empty for the legacy one.' },
            plural: { ...text, minLength: 1, maxLength: 253, description: 'Plural of the model.' },
          },
        },
        title: { ...text, minLength: 1, maxLength: 100, description: 'Name of the view for people.' },
        parameters: {
          ...text,
          maxLength: 8_000,
          description: 'Query of the list: its conditions and order. Empty: all objects.',
        },
        columns: {
          type: 'array',
          maxItems: 100,
          items: { ...text, maxLength: 1_000 },
          description: 'Paths of the displayed fields, in order. Absent: the usual ones.',
        },
        isShared: {
          type: 'boolean',
          default: false,
          description: 'True: all users see it. Without users, all views are shared.',
        },
        owner: {
          ...text,
          maxLength: 253,
          description: 'User who created it, set by the service. Only the owner changes it.',
        },
      },
    },
  },
});

const OWNERSHIP: Ownership = {
  ownerOf: (view) => {
    const owner = getSpec(view).owner;
    return typeof owner === 'string' ? owner : undefined;
  },
  isShared: (view) => getSpec(view).isShared === true,
  filterFor: (user) => `spec.isShared == true || !has(spec.owner) || spec.owner == ${JSON.stringify(user)}`,
};

/** Registers the model of saved views and opens it. */
export async function openViewModel(models: Pick<Models, 'open'>, registry: SchemeRegistry): Promise<void> {
  const schema = withBaseProperties(SCHEMA);
  const scheme = registry.registerData(
    {
      ...VIEWS,
      singular: 'view',
      shortNames: [],
      categories: [],
      storageVersion: VIEWS.version,
      ownership: OWNERSHIP,
      indexes: [
        index('spec.model.group', 'string', (view) => getModel(view).group),
        index('spec.model.plural', 'string', (view) => getModel(view).plural),
        index('spec.title', 'string', (view) => getSpec(view).title),
        index('spec.owner', 'string', (view) => getSpec(view).owner),
        index('spec.isShared', 'boolean', (view) => getSpec(view).isShared),
      ],
      versions: [
        {
          version: VIEWS.version,
          schema,
          columns: [
            { name: 'Title', jsonPath: '.spec.title', type: 'string' },
            { name: 'Model', jsonPath: '.spec.model.plural', type: 'string' },
            { name: 'Owner', jsonPath: '.spec.owner', type: 'string' },
            { name: 'Shared', jsonPath: '.spec.isShared', type: 'boolean' },
          ],
          isServed: true,
          check: viewCheck(schema),
        },
      ],
    },
    PLATFORM,
  );
  await models.open(scheme);
}

function index(name: string, keyType: DataIndex['keyType'], read: DataIndex['read']): DataIndex {
  return { name, keyType, multi: false, unique: false, order: 'ASC', sparse: false, source: name, read };
}

/** Checks views, and sets their owner, in place: a user cannot write a view in the name of another one. */
function viewCheck(schema: JsonObject): ObjectCheck {
  let compiled: ObjectCheck | undefined;
  return (object, stored, options) => {
    compiled ??= compileModel(schema);
    const result = compiled(object, stored, options);
    const { spec } = object;
    // Without a user, as on the command line, the owner is what the object states.
    if (!isRecord(spec) || options?.isStored === true || options?.user === undefined) return result;
    const owner = stored === undefined ? options.user : getSpec(stored).owner;
    if (owner === undefined) delete spec.owner;
    else spec.owner = owner;
    return result;
  };
}

function getSpec({ spec }: ObjectDraft): Readonly<Record<string, unknown>> {
  return isRecord(spec) ? spec : {};
}

function getModel(view: ObjectDraft): Readonly<Record<string, unknown>> {
  const { model } = getSpec(view);
  return isRecord(model) ? model : {};
}
