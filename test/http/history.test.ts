import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PERSONS, PERSON_REF, person, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterEach(async () => {
  expect(await server.check()).toEqual([]);
  await server.clear();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

/** The log outlives the objects of a case. */
let names = 0;
async function madeWithAges(...ages: readonly number[]): Promise<{ name: string; revisions: string[] }> {
  const name = `told-${names++}`;
  const revisions: string[] = [];
  for (const [i, age] of ages.entries()) {
    const answer =
      i === 0
        ? await server.send('POST', PERSONS, { body: person(name, { age }) })
        : await server.send('PUT', `${PERSONS}/${name}`, { body: person(name, { age }) });
    revisions.push(String(answer.json().metadata.resourceVersion));
  }
  return { name, revisions };
}

const exact = (name: string, revision: string) =>
  server.get(`${PERSONS}/${name}?resourceVersion=${revision}&resourceVersionMatch=Exact`);

describe('GET of an object as of a revision', () => {
  it('answers the object with the tag of that state, and 304 when the client has it', async () => {
    const { name, revisions } = await madeWithAges(1, 2, 3);
    const [first = '', second = ''] = revisions;
    const answer = await exact(name, first);
    expect([answer.status, answer.headers.etag]).toEqual([200, `"${first}"`]);
    expect(answer.json()).toMatchObject({ metadata: { resourceVersion: first }, spec: { age: 1 } });
    expect((await exact(name, second)).json().spec.age).toBe(2);
    const path = `${PERSONS}/${name}?resourceVersion=${first}&resourceVersionMatch=Exact`;
    const known = await server.send('GET', path, { headers: { 'if-none-match': `"${first}"` } });
    expect(known.status).toBe(304);
    const yaml = await server.send('GET', path, { headers: { accept: 'application/yaml' } });
    expect(yaml.text).toContain('age: 1\n');
    const status = await server.get(
      `${PERSONS}/${name}/status?resourceVersion=${first}&resourceVersionMatch=Exact`,
    );
    expect(status.json().spec.age).toBe(1);
  });

  it('answers 404 where there was none, 400 for what is no revision or yet to come, 410 when it is trimmed', async () => {
    const { name, revisions } = await madeWithAges(1, 2);
    const [first = '', second = ''] = revisions;
    const before = String(Number(first) - 1);
    for (const [revision, code] of [
      [before, before === '0' ? 400 : 404],
      ['0', 400],
      ['', 400],
      ['x', 400],
      ['999999', 400],
    ] as const)
      expect([revision, (await exact(name, revision)).status]).toEqual([revision, code]);
    expect((await server.get(`${PERSONS}/${name}?resourceVersionMatch=Exact`)).status).toBe(400);
    await server.send('DELETE', `${PERSONS}/${name}`);
    expect((await exact(name, String(Number(second) + 1))).status).toBe(404);
    expect((await exact(name, second)).status).toBe(200);
    await server.service.store.history.trim({ count: 0, ageMs: -60_000 });
    const gone = await exact(name, second);
    expect([gone.status, gone.json().reason]).toEqual([410, 'Expired']);
  });

  it('takes a resourceVersion without the match as it always did', async () => {
    const { name, revisions } = await madeWithAges(1, 2);
    const answer = await server.get(`${PERSONS}/${name}?resourceVersion=${revisions[0] ?? ''}`);
    expect(answer.json().spec.age).toBe(2);
  });
});

describe('GET of a history', () => {
  it('answers the changes as JSON and YAML, in parts when asked', async () => {
    const { name, revisions } = await madeWithAges(1, 2, 3);
    const answer = await server.get(`${PERSONS}/${name}/history?limit=2`);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json()).toEqual({
      apiVersion: 'demo.example.com/v1alpha1',
      kind: 'PersonHistory',
      metadata: {
        name,
        resourceVersion: revisions[2],
        oldest: expect.stringMatching(/^\d+$/) as string,
        continue: revisions[1],
      },
      items: [
        {
          resourceVersion: revisions[2],
          time: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string,
          verb: 'update',
          changes: [{ path: 'spec.age', from: 2, to: 3 }],
        },
        {
          resourceVersion: revisions[1],
          time: expect.any(String) as string,
          verb: 'update',
          changes: [{ path: 'spec.age', from: 1, to: 2 }],
        },
      ],
    });
    const rest = await server.get(`${PERSONS}/${name}/history?limit=2&continue=${revisions[1] ?? ''}`);
    expect(rest.json().items).toEqual([expect.objectContaining({ verb: 'create', changes: [] })]);
    expect(rest.json().metadata).not.toHaveProperty('continue');
    const headers = { accept: 'application/yaml' };
    const yaml = await server.send('GET', `${PERSONS}/${name}/history`, { headers });
    expect(yaml.text).toMatch(/^items:\n/m);
    expect((await server.send('HEAD', `${PERSONS}/${name}/history`)).status).toBe(200);
  });

  it('answers 404, 400 and 405 as other routes do, and warns of parameters that it does not know', async () => {
    const { name } = await madeWithAges(1);
    const path = `${PERSONS}/${name}/history`;
    expect((await server.get(`${PERSONS}/nobody/history`)).status).toBe(404);
    for (const query of [
      'limit=x',
      'limit=-1',
      'limit=99999999999999999999',
      'limit=1&limit=2',
      'continue=x',
      'continue=999999',
    ])
      expect([query, (await server.get(`${path}?${query}`)).status]).toEqual([query, 400]);
    const refused = await server.send('PUT', path, { body: {} });
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
    const slip = await server.get(`${path}?limits=1`);
    expect(slip.headers.warning).toBe(
      '299 - "unknown query parameter \\"limits\\", did you mean \\"limit\\"?"',
    );
    const found = await server.get(`${path}/more`);
    expect(found.status).toBe(404);
  });

  it('is no resource of discovery, so that Kubernetes clients see what they know', async () => {
    const { resources } = (await server.get('/apis/demo.example.com/v1alpha1')).json();
    expect(resources).toMatchObject([{ name: 'persons' }, { name: 'persons/status' }]);
  });

  it('names the writer', async () => {
    const name = `told-${names++}`;
    await server.service.create(PERSON_REF, person(name), { user: 'ann' });
    expect((await server.get(`${PERSONS}/${name}/history`)).json().items).toEqual([
      expect.objectContaining({ user: 'ann', verb: 'create' }),
    ]);
  });
});
