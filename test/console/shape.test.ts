import { describe, expect, it } from 'vitest';
import { limitTexts } from '../../src/console/form/keywords.js';
import { getFields, type Field, type Shape } from '../../src/console/form/shape.js';
import type { JsonObject } from '../../src/console/lib/json.js';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const group = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

function getFieldsSpec(spec: JsonObject, more: JsonObject = {}): readonly Field[] {
  const found = getFields({ ...group({ spec }), ...more }, undefined).find(({ name }) => name === 'spec');
  return found === undefined ? [] : membersOf(found.shape);
}

/** Also of the items of an array. */
function membersOf(shape: Shape): readonly Field[] {
  if (shape.shape === 'list') return membersOf(shape.item);
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

  it('are no arrays of arrays', () => {
    expect(shapeAt(getFieldsSpec(group({ matrix: { type: 'array', items: texts } })), 'matrix')).toBe(
      'other',
    );
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
    expect(count(getFieldsSpec(node, { $defs }))).toBeLessThan(2_000);
  });

  it('have the name of a new object, or its prefix', () => {
    const metadata = group({ name: text, generateName: text, labels: text });
    const named = (naming: 'chosen' | 'generated' | undefined) =>
      membersOf(getFields(group({ metadata }), naming)[0]?.shape ?? { shape: 'other' }).map(
        ({ name }) => name,
      );
    expect(named('chosen')).toEqual(['name', 'labels']);
    expect(named('generated')).toEqual(['generateName', 'labels']);
    expect(named(undefined)).toEqual(['labels']);
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
