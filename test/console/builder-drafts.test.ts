import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/console/lib/json.js';
import { withType } from '../../src/console/pages/builder/draft/change-fields.js';
import { problemsOf } from '../../src/console/pages/builder/draft/causes.js';
import { checkDraft } from '../../src/console/pages/builder/draft/checks.js';
import {
  NEW_MODEL,
  newField,
  type FieldDraft,
  type FieldType,
  type ModelDraft,
} from '../../src/console/pages/builder/draft/model-draft.js';
import { namesOf, toFieldName, toKind, toPlural } from '../../src/console/pages/builder/draft/names.js';
import { readDefinition } from '../../src/console/pages/builder/draft/read-definition.js';
import { keptWords } from '../../src/console/pages/builder/draft/field-schema.js';
import { writeDefinition } from '../../src/console/pages/builder/draft/write-definition.js';
import { DRAFT_NAMES, randomDraft } from '../helpers/model-drafts.js';
import { Random } from '../helpers/seed.js';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const ROUNDS = 300;

const write = (draft: ModelDraft): JsonObject => writeDefinition(draft, namesOf(draft, undefined));
/** As the service stores it: as JSON. */
const stored = (definition: JsonObject): JsonObject => JSON.parse(JSON.stringify(definition)) as JsonObject;

function field(label: string, more: Partial<FieldDraft> = {}, type: FieldType = 'text'): FieldDraft {
  return { ...newField(type, label), label, ...more };
}

const model = (fields: readonly FieldDraft[], title = 'Blog post'): ModelDraft => ({
  ...NEW_MODEL,
  title,
  fields,
});

describe('the definition of a draft', () => {
  it(`is read as the same draft again, for random models (SEED=${SEED})`, () => {
    for (let i = 0; i < ROUNDS; i++) {
      const draft = randomDraft(new Random(SEED + i));
      const definition = stored(write(draft));
      expect({ ...readDefinition(definition), stored: undefined }, `SEED=${SEED + i}`).toEqual(draft);
    }
  });

  it(`is the same again after it was read, the order of fields included (SEED=${SEED})`, () => {
    for (let i = 0; i < ROUNDS; i++) {
      const definition = stored(write(randomDraft(new Random(SEED + i))));
      const again = stored(write(readDefinition(definition)));
      expect(again, `SEED=${SEED + i}`).toEqual(definition);
      expect(fieldOrder(again), `SEED=${SEED + i}`).toEqual(fieldOrder(definition));
    }
  });

  it('keeps everything that the builder does not draw', () => {
    expect(stored(write(readDefinition(FOREIGN)))).toEqual(FOREIGN);
    const { fields } = readDefinition(FOREIGN);
    expect(fields.map(({ name, type, ...one }) => [name, type, keptWords({ ...one, name, type })])).toEqual([
      ['database', 'text', ['x-kubernetes-validations']],
      ['size', 'other', ['x-kubernetes-int-or-string']],
      ['target', 'other', ['object']],
      ['labels', 'other', ['object']],
      ['any', 'json', ['type']],
      ['count', 'integer', ['format', 'default']],
      ['a.b', 'text', ['x-xsvc-console']],
      ['names', 'texts', ['x-kubernetes-list-type', 'items']],
      ['parts', 'groups', ['items']],
      ['owner', 'longText', ['x-xsvc-console']],
    ]);
  });

  it('keeps it also when other fields change', () => {
    const draft = readDefinition(FOREIGN);
    const changed = draft.fields
      .filter(({ name }) => name !== 'database')
      .map((one) => (one.name === 'parts' ? { ...one, label: 'All parts' } : one));
    const written = stored(write({ ...draft, fields: changed }));
    const expected = structuredClone(FOREIGN) as unknown as Foreign;
    const [, version] = expected.spec.versions;
    delete version.schema.openAPIV3Schema.properties.spec.properties.database;
    version.schema.openAPIV3Schema.properties.spec.properties.parts = {
      ...version.schema.openAPIV3Schema.properties.spec.properties.parts,
      title: 'All parts',
    };
    version.schema.openAPIV3Schema.properties.spec.required = ['unknown'];
    // Its column, its index and its selector go with a field.
    version.additionalPrinterColumns = version.additionalPrinterColumns.slice(1);
    delete version.selectableFields;
    expected.metadata.annotations['xsvc.platform.run/indexes'] = '[{"field":".spec.count","type":"integer"}]';
    expect(written).toEqual(expected);
  });

  it('keeps titles in other languages when the title and the type of a field change', () => {
    const draft = readDefinition(FOREIGN);
    const fields = draft.fields.map((one) =>
      one.name === 'owner' ? { ...withType(one, 'text'), label: 'Owner of it' } : one,
    );
    const written = stored(write({ ...draft, title: 'Copy', icon: 'box', fields })) as unknown as Foreign;
    const root = written.spec.versions[1].schema.openAPIV3Schema;
    expect(root).toMatchObject({
      title: 'Copy',
      'x-xsvc-console': {
        icon: 'box',
        titles: { de: 'Sicherungen' },
        descriptions: { de: 'Eine Sicherung.' },
      },
    });
    expect(root.properties.spec.properties['owner']).toEqual({
      type: 'string',
      title: 'Owner of it',
      'x-xsvc-console': { titles: { de: 'Besitzer' }, descriptions: { de: 'Wem sie gehört.' } },
    });
  });

  it('leaves a model alone that has no spec', () => {
    const definition = stored({
      ...write(model([field('A')])),
      spec: {
        group: 'a.example.com',
        scope: 'Namespaced',
        names: { kind: 'Bare', plural: 'bares', singular: 'bare' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { data: { type: 'string' } } } },
          },
        ],
      },
      metadata: { name: 'bares.a.example.com' },
    });
    expect(stored(write(readDefinition(definition)))).toEqual(definition);
  });
});

function fieldOrder(definition: JsonObject): string {
  return JSON.stringify(
    readDefinition(definition).fields.map(({ name, fields }) => [name, fields.map((one) => one.name)]),
  );
}

interface Foreign {
  metadata: { annotations: Record<string, string> };
  spec: {
    versions: [
      object,
      {
        additionalPrinterColumns: object[];
        selectableFields?: object[];
        schema: {
          openAPIV3Schema: {
            properties: { spec: { required: string[]; properties: Record<string, object> } };
          };
        };
      },
    ];
  };
}

/** A definition that somebody has written by hand. */
const FOREIGN: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'backups.ops.example.com',
    resourceVersion: '7',
    annotations: {
      'example.com/by': 'hand',
      'xsvc.platform.run/indexes':
        '[{"field":".spec.count","type":"integer"},{"field":".spec.database","type":"string","unique":true}]',
      'xsvc.platform.run/search': '.metadata.name,.spec.names',
    },
  },
  spec: {
    group: 'ops.example.com',
    scope: 'Namespaced',
    conversion: { strategy: 'None' },
    names: {
      kind: 'Backup',
      plural: 'backups',
      singular: 'backup',
      listKind: 'BackupList',
      shortNames: ['bk'],
    },
    versions: [
      { name: 'v1alpha1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        selectableFields: [{ jsonPath: '.spec.database' }],
        additionalPrinterColumns: [
          { name: 'DB', type: 'string', jsonPath: '.spec.database', priority: 1 },
          { name: 'Last', type: 'date', jsonPath: '.status.last' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A backup.',
            'x-xsvc-console': {
              title: 'metadata.name',
              titles: { de: 'Sicherungen' },
              descriptions: { de: 'Eine Sicherung.' },
            },
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-validations': [{ rule: 'true' }],
                required: ['unknown', 'database'],
                properties: {
                  database: { type: 'string', 'x-kubernetes-validations': [{ rule: 'true' }] },
                  size: {
                    'x-kubernetes-int-or-string': true,
                    anyOf: [{ type: 'integer' }, { type: 'string' }],
                  },
                  target: {
                    type: 'object',
                    oneOf: [{ required: ['a'] }],
                    properties: { a: { type: 'string' } },
                  },
                  labels: { type: 'object', additionalProperties: { type: 'string' } },
                  any: {
                    type: 'object',
                    'x-kubernetes-preserve-unknown-fields': true,
                    'x-xsvc-console': { widget: 'code' },
                  },
                  count: { type: 'integer', format: 'int32', default: null },
                  'a.b': { type: 'string', 'x-xsvc-console': { hidden: true } },
                  names: {
                    type: 'array',
                    'x-kubernetes-list-type': 'set',
                    items: { type: 'string', maxLength: 9 },
                  },
                  parts: {
                    type: 'array',
                    items: { type: 'object', required: ['c', 'b'], properties: { b: { type: 'string' } } },
                  },
                  owner: {
                    type: 'string',
                    'x-xsvc-console': {
                      widget: 'multiline',
                      titles: { de: 'Besitzer' },
                      descriptions: { de: 'Wem sie gehört.' },
                    },
                  },
                },
              },
              status: { type: 'object', properties: { last: { type: 'string', format: 'date-time' } } },
            },
          },
        },
      },
    ],
  },
  status: { storedVersions: ['v1'] },
};

describe('names', () => {
  it('of kinds, plurals and fields follow from what people type', () => {
    const kinds = ['Blog post', 'größe', 'URL', 'Straße 7', '2nd try', '名前', '🦊', ''].map(toKind);
    expect(kinds).toEqual(['BlogPost', 'Grosse', 'URL', 'Strasse7', '', '', '', '']);
    const fields = ['Due date', 'URL', 'is OK?', '2nd try', 'Größe', 'e-mail', '名前', '__proto__'].map(
      toFieldName,
    );
    expect(fields).toEqual(['dueDate', 'url', 'isOK', 'n2ndTry', 'grosse', 'eMail', '', 'proto']);
    expect(['category', 'box', 'day', 'post', ''].map(toPlural)).toEqual([
      'categories',
      'boxes',
      'days',
      'posts',
      '',
    ]);
  });

  it('of a model are derived until they are typed', () => {
    expect(namesOf(model([]), undefined)).toEqual({
      ...{
        kind: 'BlogPost',
        singular: 'blogpost',
        plural: 'blogposts',
        group: 'blog.example.com',
        version: 'v1',
      },
    });
    const typed = { ...model([]), names: { kind: 'Post', group: 'x.org' } };
    expect(namesOf(typed, 'others.example.com')).toEqual({
      ...{ kind: 'Post', singular: 'post', plural: 'posts', group: 'x.org', version: 'v1' },
    });
    expect(namesOf(model([]), 'others.example.com').group).toBe('others.example.com');
  });
});

describe('a draft is not sent', () => {
  const faults = (draft: ModelDraft): readonly unknown[] =>
    checkDraft(draft, namesOf(draft, undefined)).map(({ fieldId, part }) => [fieldId, part]);

  it.each<[string, ModelDraft, readonly unknown[]]>([
    ['without a name', model([field('A')], ' '), [[undefined, 'title']]],
    ['with a name of emoji alone', model([field('A')], '🦊'), [[undefined, 'kind']]],
    ['without fields', model([]), [[undefined, 'fields']]],
    ['with a field without a name', model([field('')]), [['', 'label']]],
    ['with a field of emoji', model([field('🦊')]), [['🦊', 'name']]],
    [
      'with one name twice',
      model([field('Due date'), field('due Date', {}, 'date')]),
      [['due Date', 'label']],
    ],
    ['with __proto__', model([field('a', { name: '__proto__' })]), [['a', 'name']]],
    ['with a long name', model([field('a'.repeat(64))]), [['a'.repeat(64), 'name']]],
    ['with a choice of nothing', model([field('C', {}, 'choice')]), [['C', 'choices']]],
    ['with a reference to nothing', model([field('R', {}, 'reference')]), [['R', 'target']]],
    ['with an empty group', model([field('G', {}, 'group')]), [['G', 'fields']]],
    [
      'with a fault in a group',
      model([field('G', { fields: [field('x'), field('X')] }, 'groups')]),
      [['X', 'label']],
    ],
    [
      'with limits that are no numbers, or the wrong way round',
      model([
        field('a', { limits: { least: 'x', most: ' ', pattern: '' } }),
        field('b', { limits: { least: '3', most: '2', pattern: '' } }),
      ]),
      [
        ['a', 'least'],
        ['a', 'most'],
        ['b', 'most'],
      ],
    ],
  ])('%s', (_name, draft, expected) => {
    expect(faults(draft)).toEqual(expected);
  });

  it('but is with names of objects themselves, and of up to 63 characters', () => {
    const labels = ['metadata', 'constructor', 'toString', 'spec', 'a'.repeat(63)];
    expect(faults(model(labels.map((label) => field(label))))).toEqual([]);
  });
});

describe('a refusal of the service', () => {
  const fields = [
    field('Code', { isIndexed: true, isColumn: true }),
    field('Size', { fields: [field('Unit')] }, 'group'),
    field('Lines', { fields: [field('Price', {}, 'number')] }, 'groups'),
    field('Author', { target: { group: 'a', kind: 'B', onDelete: 'restrict' } }, 'reference'),
  ];
  const draft = model(fields);
  const sent = writeDefinition(draft, DRAFT_NAMES);
  const SPEC = 'spec.versions[0].schema.openAPIV3Schema.properties[spec]';

  it.each<[string, string, string | undefined, string]>([
    [`${SPEC}.properties[code].pattern`, 'is bad', 'Code', 'pattern'],
    [`${SPEC}.properties[code].default`, 'is bad', 'Code', 'preset'],
    [`${SPEC}.properties[size].properties[unit].minLength`, 'is bad', 'Unit', 'least'],
    [`${SPEC}.properties[lines].items.properties[price].maximum`, 'is bad', 'Price', 'most'],
    [`${SPEC}.properties[lines].items`, 'is bad', 'Lines', ''],
    [`${SPEC}.properties[gone].type`, 'is bad', undefined, ''],
    ['metadata.annotations[xsvc.platform.run/indexes]', 'item 0: is bad', 'Code', 'isIndexed'],
    [
      'metadata.annotations[xsvc.platform.run/indexes]',
      'Thing "a": spec.code: has "1", which "b" has',
      'Code',
      'isUnique',
    ],
    ['spec.versions[0].additionalPrinterColumns[0].name', 'is bad', 'Code', 'isColumn'],
    ['spec.versions[0].schema.openAPIV3Schema', 'spec.author: is no model', 'Author', ''],
    ['spec.names.plural', 'is bad', undefined, 'plural'],
    ['spec.names.listKind', 'is bad', undefined, 'kind'],
    ['spec.group', 'is bad', undefined, 'group'],
    ['metadata.name', 'is bad', undefined, 'plural'],
    ['spec.versions[0].name', 'is bad', undefined, 'version'],
    ['elsewhere', 'is bad', undefined, ''],
  ])('at %s (%s) is shown at its field', (place, message, fieldId, part) => {
    expect(problemsOf([{ field: place, message }], fields, sent)).toEqual([{ fieldId, part, message }]);
  });
});
