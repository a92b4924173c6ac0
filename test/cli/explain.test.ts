import { describe, expect, it } from 'vitest';
import { explainLines, parseSubject } from '../../src/cli/explain/explain.js';
import type { JsonObject } from '../../src/model/object.js';
import type { Resource } from '../../src/model/resource.js';

function model(schema: JsonObject, given: Partial<Resource> = {}): Resource {
  return {
    group: 'example.com',
    version: 'v1',
    storageVersion: 'v1',
    kind: 'Thing',
    plural: 'things',
    singular: 'thing',
    shortNames: ['th'],
    categories: [],
    schema,
    indexes: [],
    columns: [],
    ...given,
  };
}

/** The explanation of a field, from its line on. */
function explain(schema: JsonObject, path: string, recursive = false): string {
  const subject = parseSubject([model(schema)], path === '' ? 'things' : `things.${path}`);
  return explainLines(subject, recursive).slice(4).join('\n');
}

const TREE: JsonObject = {
  type: 'object',
  properties: { spec: { $ref: '#/$defs/Node' } },
  $defs: {
    Node: {
      type: 'object',
      description: 'A node',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        parent: { $ref: '#/$defs/Node' },
        children: { type: 'array', items: { $ref: '#/$defs/Node' } },
        byName: { type: 'object', additionalProperties: { $ref: '#/$defs/Node' } },
      },
    },
  },
};

describe('explaining a schema', () => {
  it('ends at types that are within themselves', () => {
    expect(explain(TREE, '', true)).toBe(
      [
        'FIELDS:',
        '  spec <Node>',
        '    name <string> -required-',
        '    parent <Node>',
        '    children <[]Node>',
        '    byName <map[string]Node>',
      ].join('\n'),
    );
  });

  it('goes through references, lists and maps by their fields', () => {
    for (const path of [
      'spec.name',
      'spec.parent.parent.name',
      'spec.children.name',
      'spec.children[0].name',
      'spec.children[*].parent.name',
      'spec.byName.anything.name',
    ])
      expect(explain(TREE, path)).toBe('FIELD: name <string> -required-');
  });

  it('merges the properties of composed schemas', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        spec: {
          allOf: [
            { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 1 } } },
            {
              oneOf: [
                { properties: { b: { type: 'string' } } },
                { properties: { c: { type: ['string', 'null'] } } },
              ],
            },
          ],
        },
      },
    };
    expect(explain(schema, '', true)).toBe(
      'FIELDS:\n  spec <Object>\n    a <integer> -required-\n    b <string>\n    c <string>',
    );
    expect(explain(schema, 'spec.a')).toBe('FIELD: a <integer> -required-\n\nDESCRIPTION:\n    (min 1)');
  });

  it('lists every constraint', () => {
    const schema: JsonObject = {
      properties: {
        code: {
          type: 'string',
          pattern: '^[A-Z]+$',
          minLength: 2,
          maxLength: 5,
          enum: ['AB', 'CD'],
          default: 'AB',
          nullable: true,
          example: 'CD',
          description: 'Two lines\nof text',
        },
        grid: {
          type: 'array',
          minItems: 1,
          maxItems: 9,
          uniqueItems: true,
          title: 'Rows of numbers',
          items: { type: 'array', items: { type: 'number' } },
        },
        ratio: {
          type: 'number',
          exclusiveMinimum: 0,
          exclusiveMaximum: 1,
          multipleOf: 0.25,
          format: 'double',
        },
        any: {},
      },
    };
    expect(explain(schema, 'code')).toBe(
      [
        'FIELD: code <string>',
        '',
        'DESCRIPTION:',
        '    Two lines',
        '    of text',
        '    (one of AB, CD; default AB; pattern ^[A-Z]+$; min length 2; max length 5; may be null)',
        '    (example: CD)',
      ].join('\n'),
    );
    expect(explain(schema, 'grid')).toBe(
      'FIELD: grid <[][]number>\n\nDESCRIPTION:\n    (min items 1; max items 9; unique items; title Rows of numbers)',
    );
    expect(explain(schema, 'ratio')).toContain('(format double; more than 0; less than 1; multiple of 0.25)');
    expect(explain(schema, 'any')).toBe('FIELD: any <any>');
  });

  it('lists the rules of a field, and those of its type', () => {
    const schema: JsonObject = {
      properties: {
        a: { allOf: [{ $ref: '#/$defs/A' }], 'x-kubernetes-validations': [{ rule: 'self.b\n  > 1' }] },
      },
      $defs: {
        A: {
          type: 'object',
          properties: { b: { type: 'integer' } },
          'x-kubernetes-validations': [{ rule: 'self.b > 0', message: 'must be positive' }],
        },
      },
    };
    expect(explain(schema, 'a')).toContain('(rule: self.b > 1)\n    (rule: self.b > 0: must be positive)');
  });
});

describe('the subject of an explanation', () => {
  const schema: JsonObject = { properties: { example: { properties: { com: { type: 'string' } } } } };

  it.each(['things', 'thing', 'Thing', 'th', 'things.example.com', 'things.v1.example.com'])(
    'takes %s',
    (name) => {
      expect(parseSubject([model(schema)], name).path).toEqual([]);
      expect(parseSubject([model(schema)], `${name}.example`).path).toEqual(['example']);
    },
  );

  it('takes the longest beginning that is a resource', () => {
    expect(parseSubject([model(schema)], 'things.example.com.example.com').path).toEqual(['example', 'com']);
  });

  it.each(['', '.', 'things.', 'things..a'])('refuses %j', (text) => {
    expect(() => parseSubject([model(schema)], text)).toThrow(/is not of the form/);
  });

  it('does not choose between resources of one name', () => {
    const both = [model(schema), model(schema, { group: 'example.org' })];
    expect(() => parseSubject(both, 'things.spec')).toThrow(/is ambiguous/);
    expect(parseSubject(both, 'things.example.org.spec').resource.group).toBe('example.org');
  });
});
