import { afterAll, beforeAll, expect, it } from 'vitest';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import type { HttpRequest } from '../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

let daemon: DaemonProcess;

beforeAll(async () => {
  daemon = await startDaemonProcess({ dataDir: temporaryDirectory() });
});

afterAll(async () => {
  expect((await daemon.stop()).code).toBe(0);
  killDaemons();
  removeDirectories();
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function send(method: string, target: string, request: HttpRequest = {}): Promise<Answer> {
  const { status, text } = await daemon.send(method, `/apis/${target}`, request);
  return { status, body: JSON.parse(text) as Record<string, unknown> };
}

const namesIn = ({ body }: Answer): string[] =>
  (body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

it('persons are searched by keyword and age, in pages, and a wrong parameter is named', async () => {
  const persons = 'console.api.demo.example.com/v1alpha1/persons';
  const found = await send('GET', `${persons}?keyword=EXAMPLE&minAge=36&sort=spec.age,desc&size=1`);
  expect([found.status, namesIn(found), found.body.total]).toEqual([200, ['bert'], 2]);
  const refused = await send('GET', `${persons}?minAge=old`);
  expect(refused).toMatchObject({ status: 400, body: { details: { causes: [{ field: 'minAge' }] } } });
});

it('a person moves, and errors of the form are in the requested language', async () => {
  const address = 'uc.api.demo.example.com/v1alpha1/persons/ada/address';
  const headers = { 'accept-language': 'fr;q=0.5, de-AT' };
  const refused = await send('PUT', address, { body: { city: ' ', zip: 'x' }, headers });
  expect(refused).toMatchObject({
    status: 400,
    body: {
      details: {
        causes: [
          { field: 'city', message: 'darf nicht leer sein' },
          { field: 'zip', message: 'muss auf "^[0-9]{4,5}$" passen' },
        ],
      },
    },
  });
  const moved = await send('PUT', address, { body: { city: 'Rome' } });
  expect(moved).toMatchObject({ status: 200, body: { metadata: { version: 1 } } });
  expect((moved.body.spec as { address: unknown }).address).toEqual({ city: 'Rome' });
  expect((await send('PUT', address.replace('ada', 'nobody'), { body: { city: 'Rome' } })).status).toBe(404);
});

it('anybody sees the card of a person', async () => {
  expect(await send('GET', 'api.demo.example.com/v1alpha1/persons/ada/card')).toEqual({
    status: 200,
    body: { name: 'Ada Example', interests: ['mathematics', 'chess'] },
  });
});

it('the catalogue is searched and counted by section, and dependents are listed', async () => {
  const console_ = 'console.api.catalogue.example.com/v1alpha1';
  const found = await send('GET', `${console_}/packages?keyword=lib`);
  expect(namesIn(found)).toEqual(['libc6', 'libstdcxx6']);
  const { body } = await send('GET', `${console_}/statistics/sections`);
  expect((body.sections as object[])[0]).toEqual({ section: 'libs', packages: 2, installedSize: 8253 });
  const needed = await send('GET', 'api.catalogue.example.com/v1alpha1/packages/libc6/dependents');
  expect(needed.body).toEqual({ packages: ['bash', 'coreutils', 'gxx', 'libstdcxx6', 'vim'] });
});

it('a favourite is marked with a label, and no more one when that is taken away', async () => {
  const favourite = 'uc.api.catalogue.example.com/v1alpha1/packages/bash/favourite';
  const favourites = 'catalogue.example.com/v1alpha1/packages?labelSelector=catalogue.example.com/favourite';
  expect((await send('PUT', favourite)).status).toBe(200);
  expect(namesIn(await send('GET', favourites))).toEqual(['bash']);
  expect((await send('DELETE', favourite)).status).toBe(200);
  expect(namesIn(await send('GET', favourites))).toEqual([]);
  expect((await send('POST', favourite)).status).toBe(405);
});

it('bookmarks, in plain JavaScript, are listed by tag', async () => {
  const { status, text } = await daemon.get('/apis/api.bookmark.example.com/v1alpha1/tags/reference');
  expect([status, JSON.parse(text)]).toEqual([
    200,
    [{ title: 'JSON Schema', url: 'https://json-schema.org/' }],
  ]);
});

const BOOKMARKS = 'bookmark.example.com/v1alpha1/bookmarks';
const BOOKMARK = { apiVersion: 'bookmark.example.com/v1alpha1', kind: 'Bookmark' };

it('bookmarks are found by their words, through references, and with what these name', async () => {
  const spec = { url: 'https://www.json.org/', title: 'JSON', tags: ['reference'] };
  await send('POST', BOOKMARKS, { body: { ...BOOKMARK, metadata: { name: 'json' }, spec } });
  const headers = { 'content-type': 'application/merge-patch+json' };
  await send('PATCH', `${BOOKMARKS}/json-schema`, { headers, body: { spec: { seeAlso: 'json' } } });
  const bySearch = await send('GET', `${BOOKMARKS}?search=vocab&expand=spec.seeAlso`);
  expect(namesIn(bySearch)).toEqual(['json-schema']);
  expect(bySearch.body.included).toMatchObject({ 'bookmarks.bookmark.example.com': { json: { spec } } });
  const filter = encodeURIComponent('ref(spec.seeAlso).spec.title == "JSON"');
  expect(namesIn(await send('GET', `${BOOKMARKS}?filter=${filter}`))).toEqual(['json-schema']);
  const tags = await send('GET', 'api.bookmark.example.com/v1alpha1/tags');
  expect(Object.entries(tags.body)).toEqual([
    ['reference', 2],
    ['schema', 1],
  ]);
});

it('a bookmark to read later is deleted at its end', async () => {
  const late = { ...BOOKMARK, metadata: { name: 'late' }, spec: { url: 'https://example.com/' } };
  await send('POST', BOOKMARKS, { body: late });
  const later = 'uc.api.bookmark.example.com/v1alpha1/bookmarks/late/later';
  expect((await send('PUT', later, { body: { days: 400 } })).status).toBe(400);
  expect((await send('PUT', later, { body: { days: 30 } })).status).toBe(200);
  const ending = encodeURIComponent('metadata.expirationTimestamp > now + duration("700h")');
  expect(namesIn(await send('GET', `${BOOKMARKS}?filter=${ending}`))).toEqual(['late']);
});

it('a webhook for bookmarks is declared, and sends nothing until it is enabled', async () => {
  const { status, body } = await send('GET', 'delivery.platform.run/v1alpha1/webhooks/bookmarked-standards');
  expect([status, body.spec]).toMatchObject([200, { enabled: false, payload: 'reference' }]);
  expect(body).not.toHaveProperty('status');
});
