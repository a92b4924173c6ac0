import { describe, expect, it } from 'vitest';
import { findBranch } from '../../src/console/form/fields/shape-values.js';
import { limitTexts } from '../../src/console/form/shape/keywords.js';
import { getFields } from '../../src/console/form/shape/object-fields.js';
import type { Field, Shape } from '../../src/console/form/shape/shape.js';
import type { JsonObject } from '../../src/console/lib/json.js';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const group = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

function getFieldsSpec(spec: JsonObject, more: JsonObject = {}): readonly Field[] {
  const { content } = getFields({ ...group({ spec }), ...more }, undefined);
  const found = content.find(({ name }) => name === 'spec');
  return found === undefined ? [] : membersOf(found.shape);
}

/** Also of the items of an array. */
function membersOf(shape: Shape): readonly Field[] {
  if (shape.shape === 'list' || shape.shape === 'map') return membersOf(shape.item);
  return shape.shape === 'group' ? shape.fields : [];
}

/** A field by the names that lead to it. */
function fieldAt(fields: readonly Field[], path: string): Field | undefined {
  const [name, ...rest] = path.split('.');
  const found = fields.find((one) => one.name === name);
  if (found === undefined || rest.length === 0) return found;
  return fieldAt(membersOf(found.shape), rest.join('.'));
}

const shapeAt = (fields: readonly Field[], path: string) => fieldAt(fields, path)?.shape.shape;

describe('the fields of a form', () => {
  it('have the title of the schema as their label, apart from the description', () => {
    const due = { ...text, title: 'Due date', description: 'When it must be done.' };
    const fields = getFieldsSpec(group({ due, note: text }));
    expect(fieldAt(fields, 'due')).toMatchObject({
      name: 'due',
      title: 'Due date',
      description: 'When it must be done.',
    });
    expect(fieldAt(fields, 'note')?.title).toBe('');
  });

  it('are arrays in the items of arrays too', () => {
    const rule = group({ verbs: texts, paths: { type: 'array', items: group({ names: texts }) } });
    const fields = getFieldsSpec(group({ rules: { type: 'array', items: rule } }));
    expect(shapeAt(fields, 'rules.verbs')).toBe('list');
    expect(shapeAt(fields, 'rules.paths.names')).toBe('list');
  });

  it('are arrays of arrays, and maps of objects', () => {
    const places = { type: 'object', additionalProperties: group({ city: text, tags: texts }) };
    const fields = getFieldsSpec(group({ matrix: { type: 'array', items: texts }, places }));
    const matrix = fieldAt(fields, 'matrix')?.shape;
    expect(matrix?.shape === 'list' && matrix.item.shape).toBe('list');
    expect(shapeAt(fields, 'places')).toBe('map');
    expect(shapeAt(fields, 'places.tags')).toBe('list');
  });

  it('are references in lists, when the list or its item says so', () => {
    const mark = { 'x-xsvc-reference': { group: 'a.b', kind: 'Part' } };
    const fields = getFieldsSpec(
      group({ one: { ...texts, ...mark }, two: { type: 'array', items: { ...text, ...mark } } }),
    );
    for (const name of ['one', 'two']) {
      const shape = fieldAt(fields, name)?.shape;
      expect(shape?.shape === 'list' && shape.item.shape === 'scalar' && shape.item.target).toEqual({
        group: 'a.b',
        kind: 'Part',
      });
    }
  });

  it('are one input for a whole number or a text', () => {
    const fields = getFieldsSpec(
      group({
        a: { anyOf: [{ type: 'integer' }, text] },
        b: { type: ['integer', 'string', 'null'] },
        c: { 'x-kubernetes-int-or-string': true },
      }),
    );
    for (const { shape } of fields) expect(shape).toMatchObject({ shape: 'scalar', kind: 'integer-or-text' });
  });

  it('are a choice of branches, by their titles, or what they require', () => {
    const carrier = { type: 'object', required: ['carrier'], properties: { carrier: text } };
    const card = { required: ['card'] };
    const fields = getFieldsSpec(
      group({
        delivery: {
          oneOf: [
            { ...carrier, title: 'Parcel' },
            { ...group({ url: text }), required: ['url'] },
          ],
        },
        payment: { ...group({ card: text, iban: text, note: text }), oneOf: [card, { required: ['iban'] }] },
        maybe: { anyOf: [text, { type: 'null' }] },
      }),
    );
    const branches = (name: string) => {
      const shape = fieldAt(fields, name)?.shape;
      return shape?.shape === 'union' ? shape.branches : [];
    };
    expect(branches('delivery').map(({ title }) => title)).toEqual(['Parcel', 'url']);
    expect(branches('payment').map(({ shape }) => membersOf(shape).map(({ name }) => name))).toEqual([
      ['card', 'note'],
      ['iban', 'note'],
    ]);
    expect(shapeAt(fields, 'maybe')).toBe('scalar');
    expect(
      [{ iban: 'x', note: 'y' }, { card: 'x' }, undefined].map((one) => findBranch(branches('payment'), one)),
    ).toEqual([1, 0, -1]);
  });

  it('have the width and the input that the schema or the type says', () => {
    const hinted = (hints: JsonObject) => ({ ...text, 'x-xsvc-console': hints });
    const fields = getFieldsSpec(
      group({
        title: { ...text, maxLength: 120 },
        sku: text,
        price: { type: 'number' },
        note: { ...text, maxLength: 2_000 },
        wide: hinted({ width: 'full' }),
        secret: hinted({ widget: 'password' }),
        gone: hinted({ hidden: true }),
      }),
    );
    expect(fields.map(({ name, isHalf }) => [name, isHalf])).toEqual([
      ['title', false],
      ['sku', true],
      ['price', true],
      ['note', false],
      ['wide', false],
      ['secret', true],
    ]);
    const widget = (name: string) => {
      const shape = fieldAt(fields, name)?.shape;
      return shape?.shape === 'scalar' && shape.widget;
    };
    expect([widget('note'), widget('secret')]).toEqual(['multiline', 'password']);
  });

  it('are values and objects however deep they are', () => {
    const deep = group({ a: group({ b: group({ c: group({ d: group({ e: { type: 'number' } }) }) }) }) });
    const fields = getFieldsSpec(group({ addresses: { type: 'array', items: group({ geo: deep }) } }));
    expect(shapeAt(fields, 'addresses.geo.a.b.c.d.e')).toBe('scalar');
  });

  it('end where a schema contains itself, and values of it are fields still', () => {
    const node = group({
      label: text,
      next: { $ref: '#/$defs/Node' },
      all: { type: 'array', items: { $ref: '#/$defs/Node' } },
    });
    const fields = getFieldsSpec(group({ tree: { $ref: '#/$defs/Node' } }), { $defs: { Node: node } });
    expect(shapeAt(fields, 'tree.label')).toBe('scalar');
    expect(shapeAt(fields, 'tree.next')).toBe('other');
    expect(shapeAt(fields, 'tree.all')).toBe('other');
  });

  it('use a schema twice beside itself', () => {
    const place = { $ref: '#/$defs/Place' };
    const fields = getFieldsSpec(group({ home: place, work: group({ at: place }) }), {
      $defs: { Place: group({ city: text }) },
    });
    expect(shapeAt(fields, 'home.city')).toBe('scalar');
    expect(shapeAt(fields, 'work.at.city')).toBe('scalar');
  });

  it('are a bounded number though twelve schemas lead to one another', () => {
    const names = Array.from({ length: 12 }, (_, i) => `N${i}`);
    const node = group(Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])));
    const $defs = Object.fromEntries(names.map((name) => [name, node]));
    const count = (fields: readonly Field[]): number =>
      fields.reduce((sum, { shape }) => sum + 1 + count(membersOf(shape)), 0);
    expect(count(getFieldsSpec(node, { $defs }))).toBeLessThan(3_000);
  });

  it('have the name of a new object, or its prefix', () => {
    const metadata = group({ name: text, generateName: text, labels: text });
    const named = (naming: 'chosen' | 'generated' | undefined) => {
      const fields = getFields(group({ metadata }), naming);
      return [fields.name?.name, ...fields.metadata.map(({ name }) => name)];
    };
    expect(named('chosen')).toEqual(['name', 'labels']);
    expect(named('generated')).toEqual(['generateName', 'labels']);
    expect(named(undefined)).toEqual([undefined, 'labels']);
  });

  it('distinguish the name of a new object from fields called name', () => {
    const metadata = group({ name: text });
    const titleOf = (spec: JsonObject) => getFields(group({ metadata, spec }), 'chosen').name?.title;
    expect(titleOf(group({ title: text }))).toBe('');
    expect(titleOf(group({ name: text }))).toBe('Object name');
    expect(titleOf(group({ label: { ...text, title: 'Name' } }))).toBe('Object name');
  });

  it('are one line for the name of an embedded object', () => {
    const metadata = group({ name: { ...text, maxLength: 253 }, note: { ...text, maxLength: 254 } });
    const fields = getFieldsSpec(group({ template: group({ metadata }) }));
    expect(fieldAt(fields, 'template.metadata.name')?.shape).toMatchObject({ widget: undefined });
    expect(fieldAt(fields, 'template.metadata.note')?.shape).toMatchObject({ widget: 'multiline' });
  });

  it('have the limits of a list in its schema', () => {
    const [field] = getFieldsSpec(group({ a: { ...texts, minItems: 1, maxItems: 3, uniqueItems: true } }));
    expect(field?.shape.shape === 'list' && limitTexts(field.shape.schema)).toEqual([
      'at least 1 item',
      'at most 3 items',
      'unique items',
    ]);
  });

  it('distinguish a default from an example', () => {
    const fields = getFieldsSpec(group({ a: { ...text, default: 'x' }, b: { ...text, examples: ['y'] } }));
    expect(fields.map(({ preset, example }) => [preset, example])).toEqual([
      ['x', ''],
      ['', 'y'],
    ]);
  });
});
