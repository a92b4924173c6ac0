import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import { startTestServer, type HttpAnswer, type Json, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

const GROUP = 'console.platform.run';
const VIEWS = `/apis/${GROUP}/v1alpha1/views`;
const MERGE = 'application/merge-patch+json';
const ALL = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
const OF_VIEWS = { apiGroups: [GROUP], resources: ['views', 'views/history'], verbs: ['*'] };

const view = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: {
    model: { group: 'demo.example.com', plural: 'persons' },
    title: `Title of ${name}`,
    parameters: 'fieldSelector=spec.age%3E30&sort=spec.age%2Cdesc',
    ...spec,
  },
});
const namesIn = (answer: HttpAnswer): readonly unknown[] =>
  answer.json().items.map(({ metadata }: Json) => metadata.name);

describe('saved views of users', () => {
  const library = useGuardedLibrary();
  let ann = '';
  let bob = '';
  let root = '';
  const post = (token: string, body: object) => library.as(token, 'POST', VIEWS, body);

  beforeEach(async () => {
    [ann, bob, root] = await Promise.all([
      library.tokenFor('ann', OF_VIEWS),
      library.tokenFor('bob', OF_VIEWS),
      library.tokenFor('root', ALL),
    ]);
  });

  it('belong to who creates them, whatever the body says', async () => {
    const made = await post(ann, view('a', { owner: 'bob' }));
    expect([made.status, made.json().spec['owner']]).toEqual([201, 'ann']);
    const body = { spec: { owner: 'bob', title: 'New' } };
    const changed = await library.as(ann, 'PATCH', `${VIEWS}/a`, body, MERGE);
    expect(changed.json().spec).toMatchObject({ owner: 'ann', title: 'New' });
  });

  it('are seen by others only when they are shared', async () => {
    for (const [token, name] of [
      [ann, 'own'],
      [bob, 'hidden'],
    ] as const)
      await post(token, view(name));
    await post(bob, view('shared', { isShared: true }));
    expect(namesIn(await library.as(ann, 'GET', VIEWS))).toEqual(['own', 'shared']);
    expect(namesIn(await library.as(bob, 'GET', VIEWS))).toEqual(['hidden', 'shared']);
    expect(namesIn(await library.as(root, 'GET', `${VIEWS}?filter=spec.title%20!%3D%20""`))).toEqual([
      'shared',
    ]);
    const counted = await library.as(ann, 'GET', `${VIEWS}?facets=spec.owner&limit=1`);
    expect(counted.json()).toMatchObject({ total: 2 });
    expect(counted.text).not.toContain('hidden');
    for (const path of ['hidden', 'hidden/history', '-/history', 'nothing'])
      expect((await library.as(ann, 'GET', `${VIEWS}/${path}`)).status).toBe(404);
    expect((await library.as(ann, 'GET', `${VIEWS}/shared`)).status).toBe(200);
    expect((await library.as(root, 'GET', `${VIEWS}/hidden`)).status).toBe(200);
  });

  it('are watched only as far as they are listed', async () => {
    await post(bob, view('hidden'));
    await post(bob, view('shared', { isShared: true }));
    const { text } = await library.as(ann, 'GET', `${VIEWS}?watch=true&timeoutSeconds=1`);
    expect(text).toContain('"shared"');
    expect(text).not.toContain('hidden');
  });

  it('are changed and deleted by their owners, and by who may do everything', async () => {
    await post(bob, view('shared', { isShared: true }));
    await post(bob, view('other', { isShared: true }));
    const change = (token: string) =>
      library.as(token, 'PATCH', `${VIEWS}/shared`, { spec: { title: 'Changed' } }, MERGE);
    expect((await change(ann)).json()).toMatchObject({
      code: 403,
      message: 'user "ann" may not change views "shared": only its owner may',
    });
    expect((await library.as(ann, 'DELETE', `${VIEWS}/shared`)).status).toBe(403);
    const items = [{ verb: 'delete', apiVersion: `${GROUP}/v1alpha1`, kind: 'View', name: 'shared' }];
    const batches = '/apis/api.platform.run/v1alpha1/batches';
    expect((await library.as(ann, 'POST', batches, { items })).status).toBe(403);
    expect((await change(bob)).json().spec).toMatchObject({ title: 'Changed', owner: 'bob' });
    expect((await change(root)).json().spec).toMatchObject({ owner: 'bob' });
    expect((await library.as(root, 'DELETE', `${VIEWS}/other`)).status).toBe(200);
  });

  it('have no answer from a cache of another user', async () => {
    await post(bob, view('hidden'));
    const list = async (token: string) => namesIn(await library.as(token, 'GET', `${VIEWS}?size=10`));
    expect([await list(bob), await list(ann), await list(bob)]).toEqual([['hidden'], [], ['hidden']]);
  });
});

describe('saved views without users', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(() => server.close());
  afterAll(removeDirectories);

  it('are those of everybody', async () => {
    expect((await server.send('POST', VIEWS, { body: view('a') })).status).toBe(201);
    expect(namesIn(await server.get(VIEWS))).toEqual(['a']);
    expect((await server.send('DELETE', `${VIEWS}/a`)).status).toBe(200);
  });

  it('name a model, and have a title', async () => {
    const refused = await server.send('POST', VIEWS, {
      body: view('a', { title: '', model: { group: 'x' }, columns: [1] }),
    });
    expect(
      refused
        .json()
        .details.causes.map(({ field }) => field)
        .sort(),
    ).toEqual(['spec.columns[0]', 'spec.model.plural', 'spec.title']);
  });
});
