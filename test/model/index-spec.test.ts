import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { textOfWord, wordsOf } from '../../src/model/words.js';
import { bindIndex, declarationOnly, readerIndex } from '../../src/model/declare/index-function.js';
import {
  builtInIndexes,
  IndexAttributeFactory,
  IndexSpec,
  IndexSpecs,
  type IndexSource,
} from '../../src/model/declare/index-spec.js';
import { decodeValue } from '../../src/model/key-type.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { ValueType } from '../../src/model/resource.js';
import type { Index } from '../../src/model/declare/scheme.js';
import { gvk, objectOf } from './helpers.js';

@GVK(gvk('Thing'))
class Thing extends AbstractExtension {
  declare spec: { a: unknown };
  get twice(): string {
    return `${String(this.spec.a)}${String(this.spec.a)}`;
  }
}

const bind = (source: IndexSource): Index => bindIndex(source.toDefinition(), Thing);
const single = (keyType: ValueType, fn: (thing: Thing) => unknown): Index =>
  bind(IndexSpecs.single<Thing>('spec.a', keyType).indexFunc(fn));
const multi = (keyType: ValueType, fn: () => unknown): Index =>
  bind(IndexSpecs.multi<Thing>('spec.a', keyType).indexFunc(fn as () => readonly unknown[]));

function readable(index: Index | undefined, object: ExtensionObject): unknown {
  return index?.values(object).map((bytes) => decodeValue(index.keyType, bytes));
}

function causeOf(index: Index): unknown {
  try {
    index.values(objectOf());
  } catch (error) {
    if (error instanceof ServiceError) return [error.code, error.details.causes?.[0]?.field, error.message];
  }
  return undefined;
}

describe('an index declaration', () => {
  it('is ascending and not unique unless it says so', () => {
    expect(bind(IndexSpecs.single<Thing, string>('spec.a', 'string').indexFunc(() => 'a'))).toMatchObject({
      name: 'spec.a',
      keyType: 'string',
      multi: false,
      unique: false,
      order: 'ASC',
      sparse: false,
    });
    const spec = IndexSpecs.multi<Thing, number>('spec.a', 'integer').indexFunc(() => [1]);
    expect(bind(spec.unique(true).order('DESC'))).toMatchObject({ multi: true, unique: true, order: 'DESC' });
    expect(bind(spec.unique(false).order('ASC'))).toMatchObject({ unique: false, order: 'ASC' });
  });

  it('may have the deprecated form, with keys of text', () => {
    /* eslint-disable @typescript-eslint/no-deprecated */
    const one = IndexAttributeFactory.simpleAttribute(Thing, (thing) => String(thing.spec.a));
    const many = IndexAttributeFactory.multiValueAttribute(Thing, () => new Set(['x', 'y']));
    const old = bind(new IndexSpec({ name: 'spec.a', order: 'DESC', unique: true, indexFunc: one }));
    expect(old).toMatchObject({ keyType: 'string', multi: false, unique: true, order: 'DESC' });
    expect(readable(old, objectOf({ spec: { a: 'v' } }))).toEqual(['v']);
    const oldMany = bind(new IndexSpec({ name: 'spec.b', indexFunc: many }));
    expect(oldMany).toMatchObject({ multi: true, unique: false, order: 'ASC' });
    expect(readable(oldMany, objectOf())).toEqual(['x', 'y']);
    const bySetters = new IndexSpec().setName('spec.a').setOrder('DESC').setUnique(true).setIndexFunc(one);
    expect(bySetters.toDefinition()).toEqual(
      new IndexSpec({ name: 'spec.a', order: 'DESC', unique: true, indexFunc: one }).toDefinition(),
    );
    expect(() => new IndexSpec().toDefinition()).toThrow('an index needs a name');
    expect(() => new IndexSpec().setName('spec.a').toDefinition()).toThrow(
      'index spec.a: indexFunc is missing',
    );
    /* eslint-enable @typescript-eslint/no-deprecated */
  });

  it('names the index when it is incomplete or wrong', () => {
    expect(() => IndexSpecs.single('a', 'string').toDefinition()).toThrow(/index a: indexFunc is missing/);
    expect(() => IndexSpecs.single('', 'string').toDefinition()).toThrow(/needs a name/);
    const text = (value: string): never => value as never;
    expect(() => IndexSpecs.single('a', text('date')).toDefinition()).toThrow(
      /index a: unknown key type date/,
    );
    const spec = IndexSpecs.single('a', 'string').indexFunc(() => 'x');
    expect(() => spec.order(text('UP')).toDefinition()).toThrow(/index a: order must be ASC or DESC, got UP/);
    const age = IndexSpecs.multi<Thing, number>('spec.age', 'integer').indexFunc(() => [1]);
    expect(() => age.ignoreCase().toDefinition()).toThrow(
      'index spec.age: ignoreCase needs the key type string, not integer',
    );
    expect(age.ignoreCase(false).toDefinition()).not.toHaveProperty('ignoreCase');
  });

  it('checks at compile time that the key type fits the values', () => {
    // @ts-expect-error a number is no text
    IndexSpecs.single<Thing, number>('a', 'string');
    // @ts-expect-error text is no boolean
    IndexSpecs.multi<Thing, string>('a', 'boolean');
    expect(IndexSpecs.single<Thing, Date>('a', 'instant')).toBeDefined();
  });
});

describe('the fingerprint', () => {
  const base = (): Index => bind(IndexSpecs.single<Thing, string>('a', 'string').indexFunc(() => 'x'));

  it('is the same for the same declaration', () => {
    expect(base().fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(base().fingerprint).toBe(base().fingerprint);
  });

  it('changes with everything that decides the entries', () => {
    const changed = [
      IndexSpecs.single<Thing, string>('b', 'string').indexFunc(() => 'x'),
      IndexSpecs.single<Thing, string>('a', 'instant').indexFunc(() => 'x'),
      IndexSpecs.multi<Thing, string>('a', 'string').indexFunc(() => ['x']),
      IndexSpecs.single<Thing, string>('a', 'string').indexFunc(() => 'y'),
      IndexSpecs.single<Thing, string>('a', 'string')
        .indexFunc(() => 'x')
        .unique(true),
      IndexSpecs.single<Thing, string>('a', 'string')
        .indexFunc(() => 'x')
        .order('DESC'),
      IndexSpecs.single<Thing, string>('a', 'string')
        .indexFunc(() => 'x')
        .ignoreCase(),
    ].map((spec) => bind(spec).fingerprint);
    expect(new Set([base().fingerprint, ...changed]).size).toBe(changed.length + 1);
  });
});

describe('the values of an object', () => {
  it('are none for null and undefined', () => {
    expect(
      readable(
        single('string', () => null),
        objectOf(),
      ),
    ).toEqual([]);
    expect(
      readable(
        single('string', () => undefined),
        objectOf(),
      ),
    ).toEqual([]);
    expect(
      readable(
        multi('string', () => undefined),
        objectOf(),
      ),
    ).toEqual([]);
  });

  it('come from an array or a Set, each once', () => {
    expect(
      readable(
        multi('string', () => ['b', 'a', 'b']),
        objectOf(),
      ),
    ).toEqual(['a', 'b']);
    expect(
      readable(
        multi('number', () => new Set([0, -0, 1])),
        objectOf(),
      ),
    ).toEqual([0, 1]);
    expect(
      readable(
        multi('long', () => ['1', 1n, 1]),
        objectOf(),
      ),
    ).toEqual([1n]);
    expect(
      readable(
        multi('instant', () => [new Date(0), '1970-01-01T01:00:00+01:00']),
        objectOf(),
      ),
    ).toEqual(['1970-01-01T00:00:00.000Z']);
  });

  it('are read from an instance of the model', () => {
    const object = objectOf({ spec: { a: 'x' } });
    expect(
      readable(
        single('string', (thing) => thing.twice),
        object,
      ),
    ).toEqual(['xx']);
    expect(
      readable(
        single('boolean', (thing) => thing instanceof Thing),
        object,
      ),
    ).toEqual([true]);
  });

  it('cannot change the class by hostile keys', () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": true}, "twice": "own", "spec": {}}') as object;
    const index = single('string', (thing) => (thing instanceof Thing ? thing.twice : 'changed'));
    expect(readable(index, { ...objectOf(), ...hostile })).toEqual(['own']);
    const object = Object.defineProperty(objectOf(), '__proto__', { value: {}, enumerable: true });
    expect(
      readable(
        single('boolean', (thing) => thing instanceof Thing),
        object,
      ),
    ).toEqual([true]);
  });

  it.each<[string, Index, RegExp]>([
    [
      'the function throws',
      single('string', () => Object.keys(JSON.parse('null') as object)),
      /the index function failed/,
    ],
    ['the type is another', single('string', () => 1), /must return string, got 1/],
    ['a single index gives a list', single('string', () => ['a']), /must return string, got an array/],
    ['an instant is out of range', single('instant', () => new Date(NaN)), /must return instant, got a date/],
    ['an integer is out of range', single('integer', () => 2 ** 31), /must return integer, got 2147483648/],
    ['a promise is returned', single('string', () => Promise.reject(new Error('x'))), /got a promise/],
    ['a multi index gives text', multi('string', () => 'abc'), /must return an array or a Set, got "abc"/],
    ['a multi index gives a promise', multi('string', () => Promise.reject(new Error('x'))), /got a promise/],
    ['a set holds null', multi('string', () => ['a', null]), /must return string, got null/],
  ])('are refused when %s', (_name, index, message) => {
    expect(causeOf(index)).toEqual(['Invalid', 'spec.a', expect.stringMatching(message)]);
  });
});

describe('the built-in indexes', () => {
  const [labels, created, updated, deleted, owners, expiration] = builtInIndexes({});

  it('are labels, times, owners and expiration, of which only creation and last change are not sparse', () => {
    expect(
      builtInIndexes({}).map(({ name, keyType, multi: many, sparse }) => [name, keyType, many, sparse]),
    ).toEqual([
      ['metadata.labels', 'string', true, true],
      ['metadata.creationTimestamp', 'instant', false, false],
      ['metadata.updateTimestamp', 'instant', false, false],
      ['metadata.deletionTimestamp', 'instant', false, true],
      ['metadata.ownerReferences.uid', 'string', true, true],
      ['metadata.expirationTimestamp', 'instant', false, true],
    ]);
  });

  it('read the metadata', () => {
    const object = objectOf();
    expect(readable(labels, object)).toEqual([]);
    expect(readable(created, object)).toEqual(['2026-11-20T08:00:00.123Z']);
    expect(readable(updated, object)).toEqual(['2026-11-20T08:00:00.123Z']);
    expect(readable(deleted, object)).toEqual([]);
    object.metadata.labels = { a: 'x', 'b/c': '' };
    object.metadata.deletionTimestamp = '2026-11-20T09:00:00.000Z';
    expect(readable(labels, object)).toEqual(['a=x', 'b/c=']);
    expect(readable(deleted, object)).toEqual(['2026-11-20T09:00:00.000Z']);
  });

  it('read the end of an object from its annotations', () => {
    const object = objectOf();
    expect(readable(expiration, object)).toEqual([]);
    object.metadata.annotations = { 'xsvc.platform.run/ttl': '1h' };
    expect(readable(expiration, object)).toEqual(['2026-11-20T09:00:00.123Z']);
  });

  it('read the uids of owners, and skip values that are no reference to one', () => {
    const object = objectOf();
    expect(readable(owners, object)).toEqual([]);
    const reference = { apiVersion: 'v1', kind: 'A', name: 'a' };
    const uids = ['2', '1', '2'].map((uid) => ({ ...reference, uid }));
    object.metadata.ownerReferences = uids;
    expect(readable(owners, object)).toEqual(['1', '2']);
    for (const stored of ['ann', null, {}, [null, 'ann', reference, { ...reference, uid: '' }]]) {
      Object.assign(object.metadata, { ownerReferences: stored });
      expect(readable(owners, object)).toEqual([]);
    }
  });

  it('of a text index changes with the words of a text, so that stored words are built again', () => {
    const declaration = declarationOnly(bind(IndexSpecs.text<Thing>('a').indexFunc(() => 'x')));
    const { fingerprint } = readerIndex(declaration, 'x', () => 'x');
    const sample = 'Οδυσσεύς ΟΔΟΣ Ǆ ﬁle Straße İstanbul ıi 東京 ½ e\u0301-x\u0345y Ω K';
    expect({ words: wordsOf(sample).map(textOfWord), fingerprint }).toMatchInlineSnapshot(`
      {
        "fingerprint": "16e4fa29b962f0e23eb2b6a29e0593070baab7691f0466bc383d25a391b52712",
        "words": [
          "οδυσσευσ",
          "οδοσ",
          "dz",
          "file",
          "straße",
          "istanbul",
          "ıi",
          "東京",
          "1",
          "2",
          "e",
          "xy",
          "ω",
          "k",
        ],
      }
    `);
  });
});
