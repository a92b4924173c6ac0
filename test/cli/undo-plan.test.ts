import { describe, expect, it } from 'vitest';
import { planUndo, type UndoChoice } from '../../src/cli/past/undo-plan.js';
import { ownerReference } from '../../src/model/owner-references.js';
import { Author, AUTHOR, Book, BOOK } from '../helpers/library.js';
import type { TestService } from '../helpers/store.js';
import { useStores } from '../store/helpers.js';

const stores = useStores();
const ALL: UndoChoice = { resource: undefined, names: [], labels: undefined, force: false };
let nowMs = Date.parse('2026-01-01T00:00:00Z');

async function openLibrary(): Promise<TestService> {
  const t = await stores.open(undefined, () => nowMs);
  await t.register(Author);
  await t.register(Book);
  return t;
}

/** A later time than that of all changes before. */
function moment(): string {
  nowMs += 10_000;
  return new Date(nowMs).toISOString();
}

async function undo({ service }: TestService, since: string): Promise<string[]> {
  const { steps } = await planUndo(
    service,
    { since, user: undefined, scope: { namespace: 'default', isGiven: false } },
    ALL,
  );
  await service.batch(steps.map(({ item }) => item));
  return steps.map(({ verb, subject }) => `${verb} ${subject}`);
}

const author = (name: string): object => ({ metadata: { name }, spec: {} });
const book = (name: string, spec: object, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec,
});

describe('an undo of many changes', () => {
  it('takes a cascade back, with references that are checked only at the end', async () => {
    const t = await openLibrary();
    await t.service.create(AUTHOR, author('ann'));
    await t.service.create(BOOK, book('b', { owner: 'ann' }));
    await t.service.create(BOOK, book('c', { sequelOf: 'b', editor: 'ann' }));
    const since = moment();
    await t.service.delete(AUTHOR, 'ann');
    expect((await t.service.list(BOOK)).total).toBe(0);
    expect((await undo(t, since)).sort()).toEqual(['create authors/ann', 'create books/b', 'create books/c']);
    expect((await t.service.get(BOOK, 'c')).spec).toEqual({ sequelOf: 'b', editor: 'ann' });
  });

  it('restores cleared fields, and deletes what refers to what it deletes', async () => {
    const t = await openLibrary();
    await t.service.create(AUTHOR, author('old'));
    await t.service.create(BOOK, book('b', { editor: 'old' }));
    const since = moment();
    await t.service.delete(AUTHOR, 'old');
    expect((await t.service.get(BOOK, 'b')).spec).toEqual({});
    await t.service.create(AUTHOR, author('new'));
    await t.service.create(BOOK, book('c', { author: 'new' }));
    await t.service.patch(BOOK, 'b', { spec: { author: 'new' } }, 'merge');
    expect(await undo(t, since)).toEqual([
      'delete authors/new',
      'delete books/c',
      'update books/b',
      'create authors/old',
    ]);
    expect((await t.service.get(BOOK, 'b')).spec).toEqual({ editor: 'old' });
  });

  it('keeps owners that exist, and names those that do not', async () => {
    const t = await openLibrary();
    const kept = (await t.service.create(AUTHOR, author('kept'))).object;
    const gone = (await t.service.create(AUTHOR, author('gone'))).object;
    const ownerReferences = [ownerReference(kept), ownerReference(gone)];
    await t.service.create(BOOK, book('b', {}, { ownerReferences }));
    const since = moment();
    await t.service.delete(BOOK, 'b');
    await t.service.delete(AUTHOR, 'gone');
    const { steps } = await planUndo(
      t.service,
      { since, user: undefined, scope: { namespace: 'default', isGiven: false } },
      ALL,
    );
    expect(steps.flatMap(({ owners }) => owners.map(({ name }) => name))).toEqual(['gone']);
    await t.service.batch(steps.map(({ item }) => item));
    expect((await t.service.get(BOOK, 'b')).metadata.ownerReferences).toEqual([ownerReference(kept)]);
  });
});
