import { describe, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import type { ExtensionObject } from '../../src/model/object.js';
import { Reference } from '../../src/model/references/decorator.js';
import { referenceValues, withoutReference } from '../../src/model/references/reference.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import { Schema } from '../../src/model/declare/schema-decorator.js';
import type { Scheme } from '../../src/model/declare/scheme.js';
import { Author, Book, Shelf } from '../helpers/library.js';

const NAMES = { group: 'example.com', version: 'v1', kind: 'Thing', plural: 'things', singular: 'thing' };
const TO_AUTHOR = { group: 'library.example.com', kind: 'Author' };

/** Registers a model with a schema of its `spec`. */
function register(spec: object, declare?: DeclareIndexes): Scheme {
  class Thing extends AbstractExtension {
    static readonly schema = { type: 'object', properties: { spec } };
  }
  GVK(NAMES)(Thing);
  return new SchemeRegistry().register(Thing, 'test', declare);
}

function referring(extra: object = {}, field: object = { type: 'string' }): object {
  return { type: 'object', properties: { to: { ...field, 'x-xsvc-reference': { ...TO_AUTHOR, ...extra } } } };
}

const fieldsOf = (model: ModelClass): unknown[] =>
  (new SchemeRegistry().register(model, 'test').resource.references ?? []).map(
    ({ field, kind, onDelete, steps }) => [field, kind, onDelete, steps.some(({ isList }) => isList)],
  );

describe('references of a model', () => {
  it('are declared by decorators, with a list where the schema says so', () => {
    expect(fieldsOf(Book)).toEqual([
      ['spec.author', 'Author', 'restrict', false],
      ['spec.owner', 'Author', 'cascade', false],
      ['spec.editor', 'Author', 'clear', false],
      ['spec.readers', 'Author', 'clear', true],
      ['spec.sequelOf', 'Book', 'cascade', false],
    ]);
    const { schema } = new SchemeRegistry().register(Book, 'test').resource;
    expect(schema).toMatchObject({
      $defs: {
        BookSpec: {
          properties: {
            author: { type: 'string', 'x-xsvc-reference': { ...TO_AUTHOR, onDelete: 'restrict' } },
            editor: { type: 'string', description: 'Who reads it again' },
            readers: { type: 'array', 'x-xsvc-reference': { ...TO_AUTHOR, onDelete: 'clear' } },
          },
        },
      },
    });
  });

  it('are declared by a schema, in the items of lists too', () => {
    expect(fieldsOf(Shelf)).toEqual([
      ['spec.books', 'Book', 'restrict', true],
      ['spec.rows.first', 'Book', 'clear', true],
    ]);
    expect(fieldsOf(Author)).toEqual([]);
    expect(new SchemeRegistry().register(Author, 'test').resource).not.toHaveProperty('references');
  });

  it('have indexes that need no declaration', () => {
    const { indexes } = new SchemeRegistry().register(Shelf, 'test').resource;
    expect(indexes.slice(-2)).toEqual([
      { name: 'spec.books', keyType: 'string', multi: true, unique: false, order: 'ASC', sparse: false },
      { name: 'spec.rows.first', keyType: 'string', multi: true, unique: false, order: 'ASC', sparse: false },
    ]);
  });

  it('take what a declared index of their name adds, but not what it reads', () => {
    const { indexes } = register(referring(), (specs) => {
      const index = IndexSpecs.single<ExtensionObject, string>('spec.to', 'string').unique().order('DESC');
      specs.add(index.indexFunc(() => 'nonsense'));
    });
    const object = { kind: 'Thing', metadata: { name: 'a' }, spec: { to: 'ann' } };
    const index = indexes.find(({ name }) => name === 'spec.to');
    expect(index).toMatchObject({ unique: true, order: 'DESC' });
    expect(index?.values(object as unknown as ExtensionObject).map(String)).toEqual(['ann']);
    const multi: DeclareIndexes = (specs) =>
      void specs.add(IndexSpecs.multi<ExtensionObject, string>('spec.to', 'string').indexFunc(() => []));
    expect(() => register(referring(), multi)).toThrow(/the index spec\.to is created by the reference/);
  });

  it.each<[string, object, string]>([
    ['of a number', referring({}, { type: 'integer' }), 'spec.to: a reference must be of type string'],
    ['of any value', referring({}, {}), 'it is any value'],
    [
      'of a list of numbers',
      referring({}, { type: 'array', items: { type: 'number' } }),
      'it is an array of number',
    ],
    [
      'that cannot be cleared',
      { ...referring({ onDelete: 'clear' }), required: ['to'] },
      'spec.to: onDelete clear needs an optional field',
    ],
    [
      'whose list must not be empty',
      referring({ onDelete: 'clear' }, { type: 'array', minItems: 1, items: { type: 'string' } }),
      'spec.to: onDelete clear could leave fewer items than minItems',
    ],
    [
      'with an unknown policy',
      referring({ onDelete: 'ignore' }),
      'spec.to: unknown onDelete "ignore"; known policies: restrict, cascade, clear',
    ],
    ['to no kind', referring({ kind: undefined }), 'spec.to: x-xsvc-reference needs the group and the kind'],
    [
      'that is no object',
      { type: 'object', properties: { to: { type: 'string', 'x-xsvc-reference': 'Author' } } },
      'spec.to: x-xsvc-reference must be { group, kind, onDelete }',
    ],
    [
      'in a map',
      { type: 'object', additionalProperties: referring() },
      'cannot be below additionalProperties',
    ],
    [
      'in an alternative',
      { anyOf: [referring(), { type: 'null' }] },
      'spec: a reference cannot be below anyOf',
    ],
    [
      'inside a list of lists',
      referring({}, { type: 'array', items: { type: 'array', items: { type: 'string' } } }),
      'spec.to: a reference must be of type string',
    ],
    [
      'inside a recursive type',
      {
        $ref: '#/$defs/Node',
        $defs: {
          Node: {
            type: 'object',
            properties: {
              next: { $ref: '#/properties/spec/$defs/Node' },
              to: { type: 'string', 'x-xsvc-reference': TO_AUTHOR },
            },
          },
        },
      },
      'spec.next: a reference cannot be inside a recursive type',
    ],
  ])('%s are refused with their place', (_what, spec, message) => {
    expect(() => register(spec)).toThrow(message);
  });

  it('must lead to a model', () => {
    class Plain {}
    class WrongSpec {
      @Reference({ to: () => Plain })
      to?: string;
    }
    @GVK(NAMES)
    class Wrong extends AbstractExtension {
      @Schema({ type: WrongSpec })
      spec?: WrongSpec;
    }
    expect(() => new SchemeRegistry().register(Wrong, 'test')).toThrow(
      /WrongSpec\.to: @Reference must refer to a model, but class Plain has no own @GVK/,
    );
  });
});

describe('the values of a reference', () => {
  const [books, rows] = new SchemeRegistry().register(Shelf, 'test').resource.references ?? [];
  const shelf = {
    kind: 'Shelf',
    spec: { books: ['a', 3, 'b', 'a'], rows: [{ first: 'a' }, null, { first: 'b' }] },
  } as unknown as ExtensionObject;

  it('are read with their places, whatever else is there', () => {
    if (books === undefined || rows === undefined) throw new Error('the model has two references');
    expect(referenceValues(books, shelf)).toEqual([
      { at: ['spec', 'books', 0], name: 'a' },
      { at: ['spec', 'books', 2], name: 'b' },
      { at: ['spec', 'books', 3], name: 'a' },
    ]);
    expect(referenceValues(rows, shelf).map(({ at }) => at.join('.'))).toEqual([
      'spec.rows.0.first',
      'spec.rows.2.first',
    ]);
    expect(referenceValues(rows, { kind: 'Shelf', spec: 'text' } as unknown as ExtensionObject)).toEqual([]);
  });

  it('are taken out of a copy', () => {
    if (books === undefined || rows === undefined) throw new Error('the model has two references');
    expect(withoutReference(books, shelf, 'a').spec).toMatchObject({ books: [3, 'b'] });
    expect(withoutReference(rows, shelf, 'a').spec).toMatchObject({ rows: [{}, null, { first: 'b' }] });
    expect(shelf.spec).toMatchObject({ books: ['a', 3, 'b', 'a'] });
  });
});
