import { afterAll, afterEach, describe, expect, expectTypeOf, it } from 'vitest';
import { PluginClients } from '../../src/daemon/plugin-clients.js';
import { Work } from '../../src/lib/work/work.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import type { BatchItem, Included, ResourceRef } from '../../src/service/verbs.js';
import { AUTHOR, Book, BOOK, named, registerLibrary } from '../helpers/library.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { registerOldTickets, registerTickets, OLD_TICKET } from '../helpers/tickets.js';
import { refusal } from '../suites/verbs-helpers.js';

const AUTHORS = 'authors.library.example.com';
const NOTES: ResourceRef = { group: 'note.example.com', version: 'v1', kind: 'Note', plural: 'notes' };

const opened: TestService[] = [];
afterEach(async () => {
  for (const t of opened.splice(0).reverse()) await t.close();
});
afterAll(removeDirectories);

async function open(directory?: string): Promise<TestService> {
  const t = await openTestService(directory);
  opened.push(t);
  return t;
}

/** Closes the store and opens it again. */
async function reopen(t: TestService): Promise<TestService> {
  opened.splice(opened.indexOf(t), 1);
  await t.close();
  return open(t.directory);
}

/** Notes whose field `about` is a text, or has names of these objects. */
function noteModel(target?: { readonly group: string; readonly kind: string }): ModelClass {
  class Note extends AbstractExtension {
    static readonly schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { about: { type: 'string', ...(target && { 'x-xsvc-reference': target }) } },
        },
      },
    };
  }
  GVK({ ...NOTES, singular: 'note' })(Note);
  return Note;
}

/** Stores notes before their field is declared as a reference. */
async function openNotes(
  abouts: readonly string[],
  target: { readonly group: string; readonly kind: string },
): Promise<TestService> {
  const t = await open();
  await t.register(noteModel());
  for (const [i, about] of abouts.entries()) await t.service.create(NOTES, named(`n${i}`, { about }));
  const later = await reopen(t);
  await later.register(noteModel(target));
  return later;
}

describe('a reference that leads nowhere', () => {
  it('is left out, whatever its value is', async () => {
    const long = 'x'.repeat(5_000);
    const target = { group: AUTHOR.group, kind: 'Author' };
    const t = await openNotes(['ann', 'gone', '', 'Ann', 'ä😀', long, '../ann', '__proto__'], target);
    await registerLibrary(t);
    const { service } = t;
    await service.create(AUTHOR, named('ann'));
    const { included, items } = await service.list(NOTES, { expand: 'spec.about' });
    expect(items).toHaveLength(8);
    expect(included).toEqual({ [AUTHORS]: { ann: await service.get(AUTHOR, 'ann') } });
    for (const { metadata } of items.slice(1))
      expect((await service.get(NOTES, metadata.name, { expand: 'spec.about' })).included).toEqual({});
  });

  it('is left out when the store does not have its model, and cannot be followed further', async () => {
    const { service } = await openNotes(['a'], { group: 'gone.example.com', kind: 'Gone' });
    expect((await service.get(NOTES, 'n0', { expand: 'spec.about' })).included).toEqual({});
    expect((await service.list(NOTES, { expand: 'spec.about' })).included).toEqual({});
    const { code, message } = await refusal(service.list(NOTES, { expand: 'spec.about->spec.next' }));
    expect([code, message]).toEqual([
      'BadRequest',
      'expand: "spec.next" cannot be followed: the store has no model Gone of gone.example.com',
    ]);
  });
});

describe('an included object', () => {
  it('is in the stored version of its model, also while it is stored in another one', async () => {
    const target = { group: OLD_TICKET.group, kind: OLD_TICKET.kind };
    const first = await open();
    await registerOldTickets(first);
    await first.register(noteModel(target));
    await first.service.create(OLD_TICKET, { metadata: { name: 't' }, spec: { subject: 'Old' } });
    await first.service.create(NOTES, named('n', { about: 't' }));
    const t = await reopen(first);
    await t.register(noteModel(target));
    const included = async (): Promise<Included | undefined> =>
      (await t.service.get(NOTES, 'n', { expand: 'spec.about' })).included;
    // Without the code of the model, it is as it is stored.
    const tickets = 'tickets.desk.example.com';
    expect((await included())?.[tickets]?.t).toMatchObject({ apiVersion: 'desk.example.com/v1alpha1' });
    await registerTickets(t);
    expect((await included())?.[tickets]?.t).toMatchObject({
      apiVersion: 'desk.example.com/v1',
      spec: { title: 'Old' },
    });
  });

  it('that cannot be converted is left out', async () => {
    const target = { group: OLD_TICKET.group, kind: OLD_TICKET.kind };
    const first = await open();
    await registerOldTickets(first);
    await first.register(noteModel(target));
    for (const [name, subject] of [
      ['good', 'Good'],
      ['bad', 'up-throws'],
    ])
      await first.service.create(OLD_TICKET, { metadata: { name }, spec: { subject } });
    for (const about of ['good', 'bad']) await first.service.create(NOTES, named(about, { about }));
    const t = await reopen(first);
    await t.register(noteModel(target));
    await registerTickets(t);
    const { included, items } = await t.service.list(NOTES, { expand: 'spec.about' });
    expect([items.length, Object.keys(included?.['tickets.desk.example.com'] ?? {})]).toEqual([2, ['good']]);
  });
});

describe('an answer that follows references', () => {
  it('is of one moment while another process writes', async () => {
    const writer = await open();
    await registerLibrary(writer);
    const other = await open(writer.directory);
    await registerLibrary(other);
    const reader = other.service;
    const step = (n: number): BatchItem[] => {
      const spec = { pages: n + 1 };
      return [
        { verb: 'patch', resource: AUTHOR, name: 'ann', type: 'merge', patch: { spec } },
        { verb: 'patch', resource: BOOK, name: 'one', type: 'merge', patch: { spec } },
        { verb: 'patch', resource: BOOK, name: 'two', type: 'merge', patch: { spec } },
      ];
    };
    await writer.service.create(AUTHOR, named('ann', { pages: 1 }));
    for (const name of ['one', 'two'])
      await writer.service.create(BOOK, named(name, { author: 'ann', sequelOf: 'one', pages: 1 }));
    const stop = new AbortController();
    const writing = (async () => {
      for (let n = 1; !stop.signal.aborted; n++) await writer.service.batch(step(n));
    })();
    const expand = 'spec.sequelOf->spec.author';
    const seen = new Set<unknown>();
    const pagesIn = (objects: readonly (object | undefined)[]): unknown[] =>
      objects.map((object) => (object as { spec?: { pages?: number } } | undefined)?.spec?.pages);
    try {
      while (seen.size < 20) {
        const one = await reader.get(BOOK, 'two', { expand });
        const { items, included } = await reader.list(BOOK, { expand });
        const models = ({ [AUTHORS]: authors, 'books.library.example.com': books }: Included) => [
          authors?.ann,
          books?.one,
        ];
        for (const objects of [
          [one, ...models(one.included ?? {})],
          [...items, ...models(included ?? {})],
        ]) {
          const pages = new Set(pagesIn(objects));
          expect(pages.size).toBe(1);
          for (const count of pages) seen.add(count);
        }
      }
    } finally {
      stop.abort();
      await writing;
    }
  });

  it('counts what it reads to follow them, and ends with its work', async () => {
    const t = await open();
    await registerLibrary(t);
    await t.service.create(AUTHOR, named('ann'));
    const names = Array.from({ length: 30 }, (_, i) => `b${i}`);
    await t.service.batch(
      names.map((name) => ({ verb: 'create', resource: BOOK, object: named(name, { author: 'ann' }) })),
    );
    const list = (entriesMax: number, expand = 'spec.author') =>
      t.service.list(BOOK, { expand, size: 30 }, { work: new Work({ entriesMax }) });
    const free = new Work();
    await t.service.list(BOOK, { size: 30 }, { work: free });
    expect((await list(free.entries + 30)).items).toHaveLength(30);
    expect((await refusal(list(free.entries + 29))).code).toBe('RequestEntityTooLarge');
    const left = AbortSignal.abort();
    const error = await refusal(
      t.service.get(BOOK, 'b0', { expand: 'spec.author' }, { work: new Work({ signal: left }) }),
    );
    expect(error.message).toBe('the request was cancelled');
  });

  it('has plain objects beside the instances of a plugin', async () => {
    const t = await open();
    await registerLibrary(t);
    const client = new PluginClients({ service: t.service, schemes: t.registry }).clientOfTest();
    await client.create(AUTHOR, { metadata: { name: 'ann' } });
    await client.create(BOOK, { metadata: { name: 'one' }, spec: { author: 'ann' } });
    const book = await client.get(Book, 'one', { expand: 'spec.author' });
    expectTypeOf(book.included).toEqualTypeOf<Included | undefined>();
    expect(book).toBeInstanceOf(Book);
    const ann = await t.service.get(AUTHOR, 'ann');
    expect(book.included).toEqual({ [AUTHORS]: { ann } });
    expect((await client.list(Book, { expand: ['spec.author'] })).included).toEqual(book.included);
    Object.assign(book, { spec: { author: 'ann', pages: 9 } });
    expect(await client.update(book)).not.toHaveProperty('included');
    expect(await t.check()).toEqual([]);
  });
});
