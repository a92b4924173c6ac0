import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestServer, type TestServer } from '../helpers/http.js';
import { makeSegments, NOTE, note, registerNotes } from '../helpers/notes.js';
import { removeDirectories } from '../helpers/store.js';

const NOTES = '/apis/notes.example.com/v1/notes';
const PERSONS = '/apis/demo.example.com/v1alpha1/persons';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  await registerNotes(server);
});
beforeEach(async () => {
  const { items } = await server.service.list(NOTE);
  for (const { metadata } of items) await server.service.delete(NOTE, metadata.name);
  const texts = { a: 'Disk full', b: 'disk disk', c: 'read-only disk', d: 'tape' };
  for (const [name, title] of Object.entries(texts)) await server.service.create(NOTE, note(name, { title }));
  await makeSegments(server);
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

interface Answer {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
  readonly total: number;
  readonly metadata: { readonly continue?: string };
  readonly message?: string;
}

async function get(query: Readonly<Record<string, string>>, path = NOTES) {
  const { status, text } = await server.get(`${path}?${new URLSearchParams(query).toString()}`);
  const body = JSON.parse(text) as Answer;
  return { status, body, names: status === 200 ? body.items.map(({ metadata }) => metadata.name) : [] };
}

describe('search= of a list', () => {
  it('finds words, phrases and beginnings, by relevance', async () => {
    expect((await get({ search: 'disk' })).names).toEqual(['b', 'a', 'c']);
    expect((await get({ search: '"read only"' })).names).toEqual(['c']);
    expect((await get({ search: 'disk -full -"read only"' })).names).toEqual(['b']);
    expect((await get({ search: 'dis', sort: 'metadata.name,desc' })).names).toEqual(['c', 'b', 'a']);
    expect((await get({ search: 'dis ' })).body).toMatchObject({ total: 0, items: [] });
    expect((await get({ search: '' })).names).toEqual(['a', 'b', 'c', 'd']);
  });

  it('has pages, parts and facets', async () => {
    const page = await get({ search: 'disk', page: '2', size: '2' });
    expect(page).toMatchObject({ names: ['c'], body: { total: 3, totalPages: 2 } });
    const part = await get({ search: 'disk', limit: '2' });
    const token = part.body.metadata.continue ?? '';
    expect((await get({ search: 'disk', limit: '2', continue: token })).names).toEqual(['c']);
    expect((await get({ search: 'tape', limit: '2', continue: token })).status).toBe(400);
    const { body } = await get({ search: 'disk', facets: 'metadata.name', size: '1' });
    expect(body).toMatchObject({ facets: { 'metadata.name': [{}, {}, {}] } });
  });

  it.each([
    [{ search: '-disk' }, 'only excluded words'],
    [{ search: Array.from({ length: 150 }, (_, i) => `w${i}`).join(' ') }, 'at most 100 different words'],
    [{ sort: 'search' }, 'is a text index'],
    [{ fieldSelector: 'search=disk' }, 'is a text index'],
    [{ watch: 'true', search: 'disk' }, 'search cannot be combined with watch'],
  ])('answers 400 for %j', async (query, message) => {
    const { status, body } = await get(query);
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: expect.stringContaining(message) as string,
    });
  });

  it('answers 400 when it is repeated, or the model has no text index', async () => {
    expect((await server.get(`${NOTES}?search=a&search=b`)).status).toBe(400);
    const { status, body } = await get({ search: 'x' }, PERSONS);
    expect({ status, message: body.message }).toMatchObject({
      status: 400,
      message: 'search: Person has no text index; filter by its indexed fields instead',
    });
    expect((await get({ search: ' ' }, PERSONS)).status).toBe(200);
  });

  it('deletes nothing', async () => {
    const { status } = await server.send('DELETE', `${NOTES}?search=disk`);
    expect(status).toBeGreaterThanOrEqual(400);
    expect((await get({})).names).toHaveLength(4);
  });

  it('is answered from the kept page only while the model is unchanged', async () => {
    const lists = vi.spyOn(server.service, 'listRaw');
    const ask = async (): Promise<string> => (await get({ search: 'disk', size: '1' })).names.join();
    expect([await ask(), await ask()]).toEqual(['b', 'b']);
    expect(lists).toHaveBeenCalledTimes(1);
    // No match, but the scores depend on it.
    await server.service.create(NOTE, note('e', { title: 'tape and paper' }));
    expect(await ask()).toBe('b');
    expect(lists).toHaveBeenCalledTimes(2);
    await server.service.update(NOTE, 'd', note('d', { title: 'disk disk disk' }));
    expect(await ask()).toBe('d');
    lists.mockRestore();
  });

  it('is explained, and described by OpenAPI for models with a text index', async () => {
    const { text } = await server.get(`${NOTES}?search=disk%20-x&explain=true`);
    expect(JSON.parse(text)).toMatchObject({
      method: 'relevance',
      search: { words: ['disk', '-x'], matches: 3, from: 'index' },
    });
    const document = async (group: string): Promise<string> =>
      (await server.get(`/openapi/v3/apis/${group}`)).text;
    expect(await document('notes.example.com/v1')).toContain('"name":"search"');
    expect(await document('demo.example.com/v1alpha1')).not.toContain('"name":"search"');
  });
});
