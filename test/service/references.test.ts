import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import type { VersionOptions } from '../../src/model/evolve/versions.js';
import type { BatchItem, ResourceRef } from '../../src/service/verbs.js';
import { AUTHOR, Author, Book, BOOK, named, registerLibrary, SHELF } from '../helpers/library.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { expectCode, refusal, refusedFields } from '../suites/verbs-helpers.js';

const CASCADE = 'xsvc.platform.run/cascade';
const opened: TestService[] = [];

afterEach(async () => {
  for (const t of opened.splice(0).reverse()) {
    expect(await t.check()).toEqual([]);
    await t.close();
  }
});
afterAll(removeDirectories);

async function open(directory?: string): Promise<TestService> {
  const t = await openTestService(directory);
  opened.push(t);
  return t;
}

async function openLibrary(directory?: string): Promise<TestService> {
  const t = await open(directory);
  await registerLibrary(t);
  return t;
}

async function makeMany(
  { service }: TestService,
  count: number,
  spec: (i: number) => object,
  metadata: object = {},
): Promise<void> {
  const items = Array.from({ length: count }, (_, i): BatchItem => {
    return { verb: 'create', resource: BOOK, object: named(`b${i}`, spec(i), metadata) };
  });
  await service.batch(items);
}

const count = ({ service }: TestService, ref: ResourceRef = BOOK): Promise<number> => service.count(ref);

/** The model of books before it had references. */
function bookWithout(): ModelClass {
  class Old extends AbstractExtension {
    static readonly schema = { type: 'object', properties: { spec: { type: 'object' } } };
  }
  GVK({ group: BOOK.group, version: 'v1', kind: 'Book', plural: 'books', singular: 'book' })(Old);
  return Old;
}

describe('a name without a target that was there before', () => {
  it('is a warning while it stays where it is, and refused when it is written again', async () => {
    const before = await open();
    await before.register(bookWithout());
    await before.service.create(BOOK, named('b', { author: 'gone', readers: ['x', 'ann', 'y'] }));
    await before.close();
    opened.pop();

    const t = await openLibrary(before.directory);
    const { service } = t;
    await service.create(AUTHOR, named('ann'));
    const kept = await service.patch(BOOK, 'b', { spec: { pages: 2 } }, 'merge');
    expect(kept.warnings).toEqual([
      'spec.author: Author "gone" not found (an error from before this write)',
      'spec.readers[0]: Author "x" not found (an error from before this write)',
      'spec.readers[2]: Author "y" not found (an error from before this write)',
    ]);
    const moved = service.patch(BOOK, 'b', { spec: { readers: ['y', 'ann', 'x'] } }, 'merge');
    expect(await refusedFields('Invalid', moved)).toEqual(['spec.readers[0]', 'spec.readers[2]']);
    expect(
      await refusedFields('Invalid', service.patch(BOOK, 'b', { spec: { author: 'other' } }, 'merge')),
    ).toEqual(['spec.author']);
    await service.patch(BOOK, 'b', { spec: { author: 'ann', readers: null } }, 'merge');
    await expectCode('Conflict', service.delete(AUTHOR, 'ann'));
  });

  it('is no pardon for another object that is made under the name', async () => {
    const before = await open();
    await before.register(bookWithout());
    await before.service.create(BOOK, named('b', { author: 'gone' }));
    await before.close();
    opened.pop();
    const { service } = await openLibrary(before.directory);
    const items: BatchItem[] = [
      { verb: 'delete', resource: BOOK, name: 'b' },
      { verb: 'create', resource: BOOK, object: named('b', { author: 'gone' }) },
    ];
    expect(await refusedFields('Invalid', service.batch(items))).toEqual(['items[1].spec.author']);
  });

  it('is no pardon for what the same commit made before it changed it again', async () => {
    const { service } = await openLibrary();
    const create: BatchItem = { verb: 'create', resource: BOOK, object: named('b', { author: 'gone' }) };
    const change = (pages: number): BatchItem => ({
      verb: 'patch',
      resource: BOOK,
      name: 'b',
      patch: { spec: { pages } },
      type: 'merge',
    });
    for (const items of [
      [create, change(2)],
      [create, change(2), change(3)],
    ]) {
      const [field] = await refusedFields('Invalid', service.batch(items));
      expect(field).toMatch(/^items\[\d\]\.spec\.author$/);
    }
    await expectCode('NotFound', service.get(BOOK, 'b'));
  });
});

describe('models that are not there', () => {
  it('cannot be referred to while no plugin declared them', async () => {
    const t = await open();
    await t.register(Book);
    const error = await refusal(t.service.create(BOOK, named('b', { author: 'ann' })));
    expect(error.details.causes?.[0]).toMatchObject({
      field: 'spec.author',
      reason: 'FieldValueNotFound',
      message: expect.stringContaining('no plugin declares the model Author') as string,
    });
    await t.service.create(BOOK, named('b', { pages: 1 }));
  });

  it('can be referred to, and restrict and go along, while their code is not loaded', async () => {
    const first = await openLibrary();
    await first.service.create(AUTHOR, named('ann'));
    await first.service.create(AUTHOR, named('bob'));
    await first.service.create(AUTHOR, named('cy'));
    await first.service.create(BOOK, named('a', { author: 'ann' }));
    await first.service.create(BOOK, named('b', { owner: 'bob' }));
    await first.service.create(BOOK, named('c', { editor: 'cy' }));
    await first.close();
    opened.pop();

    const authors = await open(first.directory);
    await authors.register(Author);
    await expectCode('Conflict', authors.service.delete(AUTHOR, 'ann'));
    await authors.service.delete(AUTHOR, 'bob');
    await expectCode('ServiceUnavailable', authors.service.delete(AUTHOR, 'cy'));
    await authors.close();
    opened.pop();

    const books = await open(first.directory);
    await books.register(Book);
    expect(await count(books)).toBe(2);
    await books.service.create(BOOK, named('d', { author: 'cy' }));
    await expectCode('Invalid', books.service.create(BOOK, named('e', { author: 'bob' })));
  });
});

describe('a model with versions', () => {
  const names = { group: BOOK.group, kind: 'Card', plural: 'cards', singular: 'card' };
  const schemaOf = (field: string, onDelete: string): object => ({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          [field]: {
            type: 'string',
            'x-xsvc-reference': { group: AUTHOR.group, kind: 'Author', onDelete },
          },
        },
      },
    },
  });
  class Card extends AbstractExtension {
    static readonly schema = schemaOf('holder', 'clear');
    declare spec: { holder?: string };
  }
  GVK({ ...names, version: 'v1' })(Card);
  class OldCard extends AbstractExtension {
    static readonly schema = schemaOf('owner', 'restrict');
    declare spec: { owner?: string };
  }
  GVK({ ...names, version: 'v1alpha1' })(OldCard);
  const now: ResourceRef = { ...names, version: 'v1' };
  const old: ResourceRef = { ...names, version: 'v1alpha1' };

  it('has the references of its storage version, whatever version is written', async () => {
    const before = await open();
    await before.register(OldCard);
    await before.register(Author);
    for (const name of ['ann', 'bob']) await before.service.create(AUTHOR, named(name));
    await before.service.create(old, named('a', { owner: 'ann' }));
    await expectCode('Conflict', before.service.delete(AUTHOR, 'ann'));
    await before.close();
    opened.pop();

    const t = await open(before.directory);
    await t.register(Author);
    const version: VersionOptions<Card, OldCard> = {
      model: OldCard,
      up: ({ spec }) => ({ spec: spec.owner === undefined ? {} : { holder: spec.owner } }),
      down: ({ spec }) => ({ spec: spec.holder === undefined ? {} : { owner: spec.holder } }),
      fields: { 'spec.owner': 'spec.holder' },
    };
    await t.register(Card, undefined, { versions: [version] });
    const { service } = t;
    await service.create(old, named('b', { owner: 'bob' }));
    expect(await refusedFields('Invalid', service.create(old, named('c', { owner: 'cy' })))).toEqual([
      'spec.holder',
    ]);
    expect((await service.list(old, { fieldSelector: 'spec.owner=ann' })).total).toBe(1);
    // The first one is still stored in the older version.
    await service.delete(AUTHOR, 'ann');
    await service.delete(AUTHOR, 'bob');
    for (const name of ['a', 'b']) {
      expect((await service.get(now, name)).spec).toEqual({});
      expect((await service.get(old, name)).spec).toEqual({});
    }
  });
});

describe('the deletion of an object with its dependents', () => {
  it('is one commit up to a thousand objects', async () => {
    const t = await openLibrary();
    await t.service.create(AUTHOR, named('ann'));
    await makeMany(t, 1_000, (i) => (i % 2 === 0 ? { owner: 'ann' } : { editor: 'ann' }));
    const { object, metadata } = await t.service.delete(AUTHOR, 'ann');
    expect(object.metadata).not.toHaveProperty('finalizers');
    // The author is the first change of the commit.
    expect(await t.service.store.revision()).toBe(Number(metadata.resourceVersion) + 1_000);
    expect(await count(t)).toBe(500);
  });

  it('goes in later commits when there is more, behind a finalizer of the platform', async () => {
    const t = await openLibrary();
    const { service } = t;
    await service.create(AUTHOR, named('ann'));
    await makeMany(t, 1_001, (i) => (i % 2 === 0 ? { owner: 'ann' } : { editor: 'ann' }));
    const dry = await service.delete(AUTHOR, 'ann', { dryRun: true });
    expect(dry.object.metadata.finalizers).toEqual([CASCADE]);
    expect((await service.get(AUTHOR, 'ann')).metadata).not.toHaveProperty('deletionTimestamp');
    const { object } = await service.delete(AUTHOR, 'ann');
    expect(object.metadata).toMatchObject({ finalizers: [CASCADE], version: 1 });
    expect(object.metadata.deletionTimestamp).toBeDefined();
    await expectCode('Invalid', service.create(BOOK, named('late', { owner: 'ann' })));
    expect(await service.finishCascades()).toEqual([]);
    await expectCode('NotFound', service.get(AUTHOR, 'ann'));
    expect(await count(t)).toBe(500);
    expect(await service.count(BOOK, { fieldSelector: 'spec.editor' })).toBe(0);
  });

  it('keeps the finalizers of others, and comes back when the platform’s is taken away too early', async () => {
    const t = await openLibrary();
    const { service } = t;
    await service.create(AUTHOR, named('ann', {}, { finalizers: ['example.com/hold'] }));
    await makeMany(t, 1_001, () => ({ owner: 'ann' }), { finalizers: ['example.com/hold'] });
    const { object } = await service.delete(AUTHOR, 'ann');
    expect(object.metadata.finalizers).toEqual(['example.com/hold', CASCADE]);
    const taken = await service.patch(AUTHOR, 'ann', { metadata: { finalizers: [] } }, 'merge');
    expect(taken.object.metadata.finalizers).toEqual([CASCADE]);
    await service.finishCascades();
    // The books are marked, and it is gone though they still name it.
    await expectCode('NotFound', service.get(AUTHOR, 'ann'));
    expect(await service.count(BOOK, { fieldSelector: 'metadata.deletionTimestamp' })).toBe(1_001);
  });

  it('is gone on with by another process, whatever was left', async () => {
    const t = await openLibrary();
    await t.service.create(AUTHOR, named('ann'));
    await makeMany(t, 1_500, () => ({ owner: 'ann' }));
    // The dependents of one of them are too many for one commit as well.
    const items = Array.from({ length: 1_200 }, (_, i): BatchItem => {
      return { verb: 'create', resource: BOOK, object: named(`s${i}`, { sequelOf: 'b7' }) };
    });
    await t.service.batch(items);
    await t.service.delete(AUTHOR, 'ann');
    // It ends in the middle of its work.
    await t.close();
    opened.pop();
    const second = await openLibrary(t.directory);
    expect(await count(second)).toBeGreaterThan(0);
    expect((await second.service.get(AUTHOR, 'ann')).metadata.finalizers).toEqual([CASCADE]);
    const third = await openLibrary(t.directory);
    await Promise.all([second.service.finishCascades(), third.service.finishCascades()]);
    expect([await count(second), await count(second, AUTHOR)]).toEqual([0, 0]);
  });

  it('waits for what is kept, and goes when that goes', async () => {
    const t = await openLibrary();
    const { service } = t;
    await service.create(AUTHOR, named('ann'));
    await makeMany(t, 1_200, () => ({ owner: 'ann' }));
    await service.create(SHELF, named('s', { books: ['b3'] }));
    const refused = await refusal(service.delete(AUTHOR, 'ann'));
    expect(refused.message).toContain('1 object refers to Book "b3", which would be deleted with it');
    // In a batch others may turn away, so it is found later.
    await service.batch([
      { verb: 'delete', resource: AUTHOR, name: 'ann' },
      { verb: 'create', resource: AUTHOR, object: named('bob') },
    ]);
    const [problem] = await service.finishCascades();
    expect(problem).toMatch(
      /^Author "ann" is being deleted, but .*: 1 object refers to Book "b3", which would be deleted with it/,
    );
    expect(await count(t)).toBe(1);
    expect((await service.get(AUTHOR, 'ann')).metadata.finalizers).toEqual([CASCADE]);
    await service.delete(SHELF, 's');
    expect(await service.finishCascades()).toEqual([]);
    expect([await count(t), await count(t, AUTHOR)]).toEqual([0, 1]);
  });

  it('goes though it restricts its target by another field, and others than it restrict', async () => {
    const t = await openLibrary();
    const { service } = t;
    await service.create(AUTHOR, named('ann'));
    await makeMany(t, 1_200, () => ({ owner: 'ann', author: 'ann' }));
    await service.create(BOOK, named('chained', { sequelOf: 'b7', author: 'ann' }));
    await service.create(BOOK, named('other', { author: 'ann' }));
    const error = await refusal(service.delete(AUTHOR, 'ann'));
    expect(error.message).toContain('1 object refers to it');
    expect(error.details.causes).toHaveLength(1);
    expect((await service.get(AUTHOR, 'ann')).metadata).not.toHaveProperty('deletionTimestamp');
    await service.delete(BOOK, 'other');
    await service.delete(AUTHOR, 'ann');
    expect(await service.finishCascades()).toEqual([]);
    expect([await count(t), await count(t, AUTHOR)]).toEqual([0, 0]);
  });

  it('does not count those that are being deleted, however many', async () => {
    const t = await openLibrary();
    const { service } = t;
    await service.create(AUTHOR, named('ann'));
    await makeMany(t, 1_200, () => ({ author: 'ann' }), { finalizers: ['example.com/hold'] });
    const last: BatchItem = { verb: 'create', resource: BOOK, object: named('last', { author: 'ann' }) };
    const deleteBook = (_none: unknown, i: number): BatchItem => {
      return { verb: 'delete', resource: BOOK, name: `b${i}` };
    };
    await service.batch([last, ...Array.from({ length: 1_200 }, deleteBook)]);
    const error = await refusal(service.delete(AUTHOR, 'ann'));
    expect(error.message).toContain('1 object refers to it');
    await service.delete(BOOK, 'last');
    await service.delete(AUTHOR, 'ann');
    expect([await count(t), await count(t, AUTHOR)]).toEqual([1_200, 0]);
  });

  it('ends where more goes round in a circle than a commit holds', async () => {
    const t = await openLibrary();
    const { service } = t;
    // 1,100 hang on the first one, a hundred more in a chain on those, and the first one on the last.
    const before = (i: number): string => (i === 0 ? 'b1199' : `b${i < 1_100 ? 0 : i - 1}`);
    await makeMany(t, 1_200, (i) => ({ sequelOf: before(i) }));
    await service.delete(BOOK, 'b1150');
    expect(await service.finishCascades()).toEqual([]);
    expect(await count(t)).toBe(0);
  });

  it('restricts with exact numbers however many refer', async () => {
    const t = await openLibrary();
    await t.service.create(AUTHOR, named('ann'));
    await makeMany(t, 2_500, () => ({ author: 'ann' }));
    const error = await refusal(t.service.delete(AUTHOR, 'ann'));
    expect(error.code).toBe('Conflict');
    expect(error.message).toContain('2500 objects refer to it');
    expect(error.details.causes?.map(({ message }) => message.split('"')[1])).toEqual([
      'b0',
      'b1',
      'b10',
      'b100',
      'b1000',
      'b1001',
      'b1002',
      'b1003',
      'b1004',
      'b1005',
    ]);
  });
});

describe('two processes on one store', () => {
  it('never both delete a target and create who refers to it', async () => {
    const a = await openLibrary();
    const b = await openLibrary(a.directory);
    let [deleted, created] = [0, 0];
    for (let i = 0; i < 60; i++) {
      const name = `author-${i}`;
      await a.service.create(AUTHOR, named(name));
      const results = await Promise.allSettled(
        i % 2 === 0
          ? [b.service.delete(AUTHOR, name), a.service.create(BOOK, named(`b${i}`, { author: name }))]
          : [b.service.create(BOOK, named(`b${i}`, { author: name })), a.service.delete(AUTHOR, name)],
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const isGone = (await a.service.getMany(AUTHOR, [name]))[0] === undefined;
      deleted += isGone ? 1 : 0;
      created += (await a.service.getMany(BOOK, [`b${i}`]))[0] === undefined ? 0 : 1;
    }
    expect(deleted + created).toBe(60);
  });

  it('never leave a reference to what had the name before', async () => {
    const a = await openLibrary();
    const b = await openLibrary(a.directory);
    await a.service.create(AUTHOR, named('ann'));
    let [again, kept] = [0, 0];
    const makeAgain = async (): Promise<void> => {
      await b.service.delete(AUTHOR, 'ann');
      await b.service.create(AUTHOR, named('ann'));
      again++;
    };
    for (let i = 0; i < 100; i++) {
      const spec = i % 2 === 0 ? { author: 'ann' } : { owner: 'ann' };
      const refer = (): Promise<unknown> => a.service.create(BOOK, named('b', spec));
      // As a rule the first one wins, so each has to be the first.
      const both = i % 4 < 2 ? [makeAgain, refer] : [refer, makeAgain];
      await Promise.allSettled(both.map((run) => run()));
      const [[ann], [book]] = [
        await a.service.getMany(AUTHOR, ['ann']),
        await a.service.getMany(BOOK, ['b']),
      ];
      if (book === undefined) continue;
      kept++;
      expect(Number(book.metadata.resourceVersion)).toBeGreaterThan(Number(ann?.metadata.resourceVersion));
      await a.service.delete(BOOK, 'b');
    }
    expect(again).toBeGreaterThan(0);
    expect(kept).toBeGreaterThan(0);
  });

  it('know references that only one of them declared', async () => {
    const a = await open();
    await a.register(Author);
    await a.service.create(AUTHOR, named('ann'));
    const b = await open(a.directory);
    await b.register(Book);
    await b.service.create(BOOK, named('b', { author: 'ann' }));
    await expectCode('Conflict', a.service.delete(AUTHOR, 'ann'));
  });
});

describe('an object with a taken value and a name without a target', () => {
  it('is refused for both, and for the value alone as before', async () => {
    const t = await open();
    await t.register(Author);
    await t.register(Book, (indexes) =>
      indexes.add(
        IndexSpecs.single<Book, number>('spec.pages', 'integer')
          .unique()
          .indexFunc((o) => o.spec?.pages),
      ),
    );
    await t.service.create(BOOK, named('a', { pages: 3 }));
    const both = await refusal(t.service.create(BOOK, named('b', { pages: 3, author: 'nobody' })));
    expect(both.code).toBe('Invalid');
    expect(both.details.causes).toEqual([
      { field: 'spec.author', reason: 'FieldValueNotFound', message: 'Author "nobody" not found' },
      { field: 'spec.pages', reason: 'FieldValueDuplicate', message: '"3" is already used by Book "a"' },
    ]);
    await expectCode('AlreadyExists', t.service.create(BOOK, named('b', { pages: 3 })));
    await t.service.create(BOOK, named('c', { pages: 4 }));
    const changed = t.service.patch(BOOK, 'c', { spec: { pages: 3, editor: 'x' } }, 'merge');
    expect(await refusedFields('Invalid', changed)).toEqual(['spec.editor', 'spec.pages']);
  });
});
