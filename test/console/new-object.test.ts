import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/console/lib/json.js';
import { exampleOf, newObject } from '../../src/console/form/new-object.js';

const text = { type: 'string' };

type Model = Parameters<typeof newObject>[0];

function modelOf(spec: JsonObject, more: JsonObject = {}): Model {
  return {
    apiVersion: 'shop.example.com/v1',
    kind: 'Product',
    schema: { type: 'object', required: ['spec'], properties: { spec }, ...more },
  };
}

const made = (model: Model, example: JsonObject = {}): string => newObject(model, example);
const HEAD = { apiVersion: 'shop.example.com/v1', kind: 'Product', metadata: { name: '' } };

describe('the text of a new object', () => {
  it('has defaults as its only values, and an empty name', () => {
    const properties = {
      title: { ...text, example: 'Chair' },
      state: { ...text, enum: ['draft', 'sold'], default: 'draft' },
      kind: { ...text, enum: ['a', 'b'] },
      category: { ...text, 'x-xsvc-reference': { group: '', kind: 'Category' } },
      flags: { type: 'array', items: text, default: ['new'] },
    };
    const model = modelOf({ type: 'object', required: ['title', 'kind', 'category'], properties });
    expect(parse(made(model))).toEqual({ ...HEAD, spec: { state: 'draft', flags: ['new'] } });
  });

  it('has defaults of members that have to be there, and of no others', () => {
    const place = {
      type: 'object',
      required: ['city'],
      properties: { city: text, land: { ...text, default: 'DE' } },
    };
    const properties = { home: place, work: place };
    expect(parse(made(modelOf({ type: 'object', required: ['home'], properties })))).toEqual({
      ...HEAD,
      spec: { home: { land: 'DE' } },
    });
  });

  it('ends though a schema has to contain itself', () => {
    const node = { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/Node' } } };
    expect(parse(made(modelOf({ $ref: '#/$defs/Node' }, { $defs: { Node: node } })))).toMatchObject({
      ...HEAD,
      spec: { next: { next: {} } },
    });
  });

  it('has an example as a comment alone, which can be made text by taking the signs away', () => {
    const model = modelOf({ type: 'object', required: ['title'], properties: { title: text } });
    const written = made(model, { spec: { title: 'Chair', tags: ['a'] } });
    expect(parse(written)).toEqual({ ...HEAD, spec: {} });
    const [, comment = ''] = written.split('# For example:\n');
    expect(parse(comment.replaceAll(/^# ?/gm, ''))).toEqual({ spec: { title: 'Chair', tags: ['a'] } });
  });

  it('has no example where that says nothing more', () => {
    const model = modelOf({ type: 'object', properties: { state: { ...text, default: 'draft' } } });
    expect(made(model, { spec: { state: 'draft' } })).not.toContain('#');
  });
});

describe('the example of a new object', () => {
  it('comes from the schema of the model: required members, and those with an example', () => {
    const spec = { $ref: '#/$defs/Spec' };
    const properties = {
      title: { ...text, example: 'Chair' },
      state: { ...text, enum: ['draft', 'sold'] },
      made: { ...text, format: 'date' },
      count: { type: 'integer', minimum: 5 },
      tags: { type: 'array', items: text, example: ['a'] },
      parts: { type: 'array', items: { type: 'object', required: ['code'], properties: { code: text } } },
      note: text,
    };
    const required = ['state', 'made', 'count', 'parts'];
    const { schema } = modelOf(spec, { $defs: { Spec: { type: 'object', required, properties } } });
    expect(exampleOf(schema)).toEqual({
      spec: {
        title: 'Chair',
        state: 'draft',
        made: '<date>',
        count: 5,
        tags: ['a'],
        parts: [{ code: '<text>' }],
      },
    });
  });

  it('ends though a schema has to contain itself', () => {
    const node = { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/Node' } } };
    const { schema } = modelOf({ $ref: '#/$defs/Node' }, { $defs: { Node: node } });
    expect(exampleOf(schema)).toMatchObject({ spec: { next: { next: {} } } });
  });
});
