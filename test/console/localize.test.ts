import { describe, expect, it } from 'vitest';
import { localizeModel, localizeModels, localizeSchema } from '../../src/console/api/localize.js';
import type { JsonObject } from '../../src/console/lib/json.js';
import { getKindInText, getKindTitle, getModelTitle } from '../../src/console/lib/naming.js';

const inGerman = (title: string, description?: string): JsonObject => ({
  'x-xsvc-console': {
    titles: { de: title },
    ...(description !== undefined && { descriptions: { de: description } }),
  },
});
const text = { type: 'string' };

const SCHEMA: JsonObject = {
  type: 'object',
  description: 'What is sold.',
  'x-xsvc-console': { icon: 'box', titles: { de: 'Produkte' }, descriptions: { de: 'Was verkauft wird.' } },
  $defs: { Size: { type: 'object', properties: { unit: { ...text, ...inGerman('Einheit') } } } },
  properties: {
    spec: {
      type: 'object',
      properties: {
        price: { type: 'number', title: 'Price', ...inGerman('Preis', 'In Euro.') },
        size: { $ref: '#/$defs/Size' },
        tags: { type: 'array', items: text, ...inGerman('Schlagwörter') },
        lines: {
          type: 'array',
          ...inGerman('Zeilen'),
          items: { type: 'object', properties: { count: text } },
        },
        note: text,
      },
    },
  },
};

interface Column {
  readonly name: string;
  readonly jsonPath: string;
  readonly title?: string;
}

const column = (name: string, jsonPath: string): Column => ({ name, jsonPath });
const MODEL = {
  ...{ kind: 'Product', plural: 'products', schema: SCHEMA },
  columns: [
    column('Price', '.spec.price'),
    column('Tags', '.spec.tags[*]'),
    column('Counts', '.spec.lines[*].count'),
    column('Note', '.spec.note'),
  ],
};

describe('the texts of a model in a language', () => {
  it('names one object, also where the list has no name in the language', () => {
    const schema = { type: 'object', 'x-xsvc-console': { kinds: { de: 'Produkt' } } };
    const model = { ...MODEL, schema };
    expect(localizeModel(model, 'de')).toMatchObject({ kindTitle: 'Produkt', schema });
    expect(getKindTitle(model, localizeModel(model, 'de'))).toBe('Produkt');
    expect(getKindInText(model, localizeModel(model, 'en'))).toBe('product');
    expect(localizeModel(model, 'en')).toBe(model);
  });

  it('replace its title and description, and those of its fields', () => {
    const { schema } = localizeModel(MODEL, 'de');
    expect(schema).toMatchObject({
      title: 'Produkte',
      description: 'Was verkauft wird.',
      $defs: { Size: { properties: { unit: { title: 'Einheit' } } } },
      properties: { spec: { properties: { price: { title: 'Preis', description: 'In Euro.' } } } },
    });
    expect(getModelTitle({ ...MODEL, schema })).toBe('Produkte');
    expect(getModelTitle(MODEL)).toBe('Products');
  });

  it('are the names of its columns, of a column in an object without a title that of the object', () => {
    const { columns } = localizeModel(MODEL, 'de');
    expect(columns.map(({ title }) => title)).toEqual(['Preis', 'Schlagwörter', 'Zeilen', undefined]);
  });

  it('leave a model as it is that has none in the language', () => {
    expect(localizeModel(MODEL, 'pt-BR')).toBe(MODEL);
    expect(localizeSchema({ type: 'array', items: [text, text] }, 'de')).toEqual({
      type: 'array',
      items: [text, text],
    });
  });

  it('are made once for an answer of the service', () => {
    const models = [MODEL];
    expect(localizeModels(models, 'de')).toBe(localizeModels(models, 'de'));
    expect(localizeModels(models, 'en')[0]).toBe(MODEL);
  });
});
