import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs, type IndexSpecsBuilder } from '../../src/model/declare/index-spec.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { resolveResource } from '../../src/model/resolve-resource.js';
import type { Resource } from '../../src/model/resource.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import { gvk, modelOf } from './helpers.js';

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return error instanceof ServiceError ? error.code : 'another error';
  }
  return undefined;
}

const text = (name: string) => IndexSpecs.single(name, 'string').indexFunc(() => 'x');

describe('the registry', () => {
  it('registers a model with its indexes behind the built-in ones', () => {
    const scheme = new SchemeRegistry().register(modelOf('Person'), 'people', (specs) => {
      specs.add(text('spec.a')).add(text('spec.b'));
    });
    expect(scheme.owner).toBe('people');
    expect(scheme.resource).toMatchObject({ ...gvk('Person'), shortNames: [], categories: [] });
    expect(scheme.resource.indexes.map(({ name }) => name)).toEqual([
      'metadata.labels',
      'metadata.creationTimestamp',
      'metadata.updateTimestamp',
      'metadata.deletionTimestamp',
      'metadata.ownerReferences.uid',
      'metadata.expirationTimestamp',
      'spec.a',
      'spec.b',
    ]);
    expect(JSON.parse(JSON.stringify(scheme.resource))).toEqual(scheme.resource);
  });

  it('finds models by path, by kind and by class', () => {
    const registry = new SchemeRegistry();
    const model = modelOf('Person');
    const scheme = registry.register(model, 'people');
    expect(registry.find('example.com', 'v1', 'persons')).toBe(scheme);
    expect(registry.findByKind('example.com', 'v1', 'Person')).toBe(scheme);
    expect(registry.getScheme(model)).toBe(scheme);
    expect(registry.getScheme({ group: 'example.com', version: 'v1', kind: 'Person' })).toBe(scheme);
    expect(registry.schemes()).toEqual([scheme]);
    for (const plural of ['person', 'constructor', '__proto__']) {
      expect(registry.find('example.com', 'v1', plural)).toBeUndefined();
    }
  });

  it('takes a copy of a class for the registered one, as a plugin has it that imports the model of another', () => {
    const registry = new SchemeRegistry();
    const scheme = registry.register(modelOf('Person'), 'people');
    expect(registry.getScheme(modelOf('Person'))).toBe(scheme);
    expect(() => registry.getScheme(modelOf('Place'))).toThrow(/Place is not registered/);
  });

  it('forgets a model, which can then be registered again', () => {
    const registry = new SchemeRegistry();
    const model = modelOf('Person');
    const scheme = registry.register(model, 'people');
    expect(registry.unregister(model)).toBe(scheme);
    expect(registry.unregister(model)).toBeUndefined();
    expect(registry.find('example.com', 'v1', 'persons')).toBeUndefined();
    expect(() => registry.getScheme(model)).toThrow(/Person is not registered/);
    expect(codeOf(() => registry.getScheme({ group: 'example.com', version: 'v1', kind: 'Person' }))).toBe(
      'NotFound',
    );
    registry.register(model, 'people');
  });

  it.each(['metadata.name', 'metadata.labels', 'metadata.updateTimestamp', 'metadata.deletionTimestamp'])(
    'refuses the built-in index %s',
    (name) => {
      const registry = new SchemeRegistry();
      expect(() => registry.register(modelOf('Person'), 'p', (specs) => specs.add(text(name)))).toThrow(
        `model Person: the index ${name} is built in`,
      );
      expect(registry.schemes()).toEqual([]);
    },
  );

  it.each([
    ['undefined', undefined],
    ["'spec.a'", 'spec.a'],
    ["{ name: 'spec.a' }", { name: 'spec.a' }],
    ['[Function: fn]', function fn() {}],
  ])('refuses %s as an index, naming the model and the argument', (named, index) => {
    const declare = (specs: IndexSpecsBuilder): void => void specs.add(index as never);
    expect(() => new SchemeRegistry().register(modelOf('Person'), 'p', declare)).toThrow(
      `model Person: specs.add needs an index, such as IndexSpecs.single('spec.name', 'string'), got ${named}`,
    );
  });

  it('names the model of an index that is incomplete', () => {
    const incomplete = IndexSpecs.single('spec.a', 'string');
    expect(() =>
      new SchemeRegistry().register(modelOf('Person'), 'p', (specs) => specs.add(incomplete)),
    ).toThrow('model Person: index spec.a: indexFunc is missing');
  });

  it('refuses two indexes of one name, and an asynchronous declaration', () => {
    const declare = (specs: IndexSpecsBuilder): void => void specs.add(text('spec.a')).add(text('spec.a'));
    expect(() => new SchemeRegistry().register(modelOf('Person'), 'p', declare)).toThrow(
      /index spec\.a is declared twice/,
    );
    // eslint-disable-next-line @typescript-eslint/no-misused-promises
    expect(() => new SchemeRegistry().register(modelOf('Person'), 'p', async () => undefined)).toThrow(
      /must be synchronous/,
    );
  });

  it('refuses a class that is registered, and a kind or plural that is taken, naming the owner', () => {
    const registry = new SchemeRegistry();
    const model = modelOf('Person');
    registry.register(model, 'people');
    expect(() => registry.register(model, 'p')).toThrow(/class Person is already registered/);
    const other = modelOf('Other');
    GVK({ ...gvk('Person'), version: 'v2', plural: 'humans' })(other);
    expect(() => registry.register(other, 'p')).toThrow(
      /kind Person of the group "example.com" is already registered by people/,
    );
    GVK({ ...gvk('Human'), plural: 'persons' })(other);
    expect(() => registry.register(other, 'p')).toThrow(
      /plural persons of the group "example.com" is already registered by people/,
    );
    expect(codeOf(() => registry.register(other, 'p'))).toBe('AlreadyExists');
    GVK({ ...gvk('Person'), group: 'example.org' })(other);
    registry.register(other, 'p');
  });

  it('refuses a value that is no model', () => {
    class Bare {}
    class Sub extends modelOf('Person') {}
    const registry = new SchemeRegistry();
    expect(() => registry.register(Bare, 'p')).toThrow(/class Bare is not a model: it has no own @GVK/);
    expect(() => registry.register(Sub, 'p')).toThrow(/class Sub is not a model/);
    expect(() => registry.register({} as unknown as ModelClass, 'p')).toThrow(/must be a class/);
  });

  it.each(['', 'platform.run', 'x.platform.run'])('keeps the group "%s" for the platform', (group) => {
    const model = modelOf('Person');
    GVK({ ...gvk('Person'), group })(model);
    const registry = new SchemeRegistry();
    expect(codeOf(() => registry.register(model, 'p'))).toBe('Forbidden');
    registry.register(model, 'p', undefined, { allowReservedGroup: true });
  });

  it('registers nothing when the schema is wrong', () => {
    const registry = new SchemeRegistry();
    const model = modelOf('Person', { type: 'text' });
    expect(() => registry.register(model, 'p')).toThrow(/class Person is invalid: spec: unknown type "text"/);
    expect(registry.schemes()).toEqual([]);
  });

  it('registers nothing when the schema cannot be compiled', () => {
    const registry = new SchemeRegistry();
    const model = modelOf('Person', { allOf: 'text' });
    expect(() => registry.register(model, 'p')).toThrow(/the schema of class Person is invalid: /);
    expect(registry.schemes()).toEqual([]);
  });

  it("compiles the schemas of the program's own models with their first object", () => {
    const model = modelOf('Person', { allOf: 'text' });
    const scheme = new SchemeRegistry().register(model, 'platform');
    const object = { apiVersion: 'demo.example.com/v1', kind: 'Person', metadata: { name: 'a' } };
    expect(() => scheme.validate(object)).toThrow(/the schema of class Person is invalid: /);
  });
});

describe('table columns', () => {
  const columns = (spec: unknown, statics?: object): Resource['columns'] =>
    new SchemeRegistry().register(modelOf('Person', spec, statics), 'p').resource.columns;

  it('are the declared ones', () => {
    const declared = [{ name: 'Age', jsonPath: '.spec.age', type: 'integer', priority: 1, description: 'd' }];
    expect(columns({}, { columns: declared })).toEqual(declared);
    expect(columns({ properties: { a: { type: 'string' } } }, { columns: [] })).toEqual([]);
  });

  it('are else the first four scalar fields of spec', () => {
    const properties = {
      list: { type: 'array' },
      a: { type: 'string' },
      secret: { type: 'string', format: 'password' },
      b: { type: ['integer', 'null'] },
      c: { allOf: [{ type: 'string', format: 'date-time' }] },
      'd.e': { type: 'boolean' },
      f: { type: 'number' },
    };
    expect(columns({ properties })).toEqual([
      { name: 'a', jsonPath: '.spec.a', type: 'string' },
      { name: 'b', jsonPath: '.spec.b', type: 'integer' },
      { name: 'c', jsonPath: '.spec.c', type: 'date' },
      { name: 'd.e', jsonPath: ".spec['d.e']", type: 'boolean' },
    ]);
  });

  it.each([
    ['a', /must be an array/],
    [[1], /column 1: must be an object/],
    [[{ name: '', jsonPath: '.a', type: 'string' }], /column 1: name/],
    [[{ name: 'a', jsonPath: 'a', type: 'string' }], /column 1: jsonPath/],
    [[{ name: 'a', jsonPath: '. ', type: 'string' }], /column 1: jsonPath/],
    [[{ name: 'a', jsonPath: '.a', type: 'text' }], /column 1: type/],
    [[{ name: 'a', jsonPath: '.a', type: 'string', priority: 'x' }], /column 1: priority/],
    [
      [{ name: 'a', jsonPath: '.a', type: 'string', cell: 'sum' }],
      /column 1: cell must be one of count, list/,
    ],
  ])('are refused when they are %j', (declared, message) => {
    expect(() => columns({}, { columns: declared })).toThrow(message);
  });
});

describe('resolveResource', () => {
  const resource = (kind: string, more: object = {}): Resource => {
    const model = modelOf(kind);
    GVK({ ...gvk(kind), ...more })(model);
    return new SchemeRegistry().register(model, 'p').resource;
  };
  const person = resource('Person', { shortNames: ['pe'] });
  const other = resource('Person', { group: 'example.org', plural: 'people' });
  const car = resource('Car');
  const all = [person, other, car];

  it.each(['cars', 'car', 'Car', 'CAR', 'cars.example.com', 'Car.example.com', 'cars.v1.example.com'])(
    'knows %s',
    (name) => {
      expect(resolveResource(all, name)).toBe(car);
    },
  );

  it('knows short names', () => {
    expect(resolveResource(all, 'pe')).toBe(person);
  });

  it('lists the choices of an ambiguous name, which the group decides', () => {
    expect(() => resolveResource(all, 'person')).toThrow(
      /is ambiguous; use one of people\.example\.org, persons\.example\.com/,
    );
    expect(codeOf(() => resolveResource(all, 'person'))).toBe('BadRequest');
    expect(resolveResource(all, 'person.example.org')).toBe(other);
  });

  it('means the storage version of a model, unless another is named', () => {
    const [first] = all;
    if (first === undefined) throw new Error('there is no resource');
    const versions = ['v1', 'v2', 'v3'].map((version) => ({ ...first, version, storageVersion: 'v2' }));
    const { plural, group } = first;
    expect(resolveResource(versions, plural).version).toBe('v2');
    expect(resolveResource(versions, `${plural}.${group}`).version).toBe('v2');
    expect(resolveResource(versions, `${plural}.v3.${group}`).version).toBe('v3');
  });

  it('suggests a near name for an unknown one', () => {
    expect(() => resolveResource(all, 'persns')).toThrow(
      /no resource named "persns", did you mean "persons"\?/,
    );
    expect(codeOf(() => resolveResource(all, 'zebras'))).toBe('NotFound');
  });
});
