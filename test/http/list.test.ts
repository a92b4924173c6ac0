import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/lib/json/yaml.js';
import { PERSONS, PERSON_REF, person, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

let server: TestServer;
/** Lead of the clock of the service, in milliseconds. */
let aheadMs = 0;
beforeAll(async () => {
  server = await startTestServer({ now: () => Date.now() + aheadMs });
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

const TEAM = 'demo.example.com/team';

const names = async (query: string): Promise<string[]> => {
  const answer = await server.get(`${PERSONS}?${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json().items.map(({ metadata }) => String(metadata.name));
};

describe('a list', () => {
  beforeAll(async () => {
    const people: [string, object, string?][] = [
      ['ann', { age: 30, tags: ['a', 'b'], email: 'ann@example.com' }, 'red'],
      ['bob', { age: 20, tags: ['b', 'z'] }, 'blue'],
      ['cyd', { age: 40, name: 'A, (b) = c\\d & é' }, 'red'],
      ['dee', { tags: [] }],
    ];
    for (const [name, spec, team] of people) {
      await server.service.create(PERSON_REF, person(name, spec, team ? { labels: { [TEAM]: team } } : {}));
    }
  });
  afterAll(() => server.clear());

  it('has its kind, its revision and its page', async () => {
    const answer = await server.get(PERSONS);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    const { items, ...head } = answer.json();
    expect(head).toEqual({
      apiVersion: 'demo.example.com/v1alpha1',
      kind: 'PersonList',
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) as unknown },
      page: 1,
      size: 0,
      total: 4,
      totalPages: 1,
      first: true,
      last: true,
      hasNext: false,
      hasPrevious: false,
    });
    expect(items[0]).toEqual((await server.get(`${PERSONS}/ann`)).json());
  });

  it.each([
    [
      'page=1&size=3',
      { page: 1, totalPages: 2, first: true, last: false, hasNext: true, hasPrevious: false },
    ],
    [
      'page=2&size=3',
      { page: 2, totalPages: 2, first: false, last: true, hasNext: false, hasPrevious: true },
    ],
    [
      'page=9&size=3',
      { page: 9, total: 4, first: false, last: true, hasNext: false, hasPrevious: true, items: [] },
    ],
    ['page=2', { page: 2, size: 0, total: 4, totalPages: 1, items: [] }],
    ['fieldSelector=spec.age=99&size=3', { total: 0, totalPages: 0, first: true, last: true, items: [] }],
  ])('pages: %s', async (query, expected) => {
    const answer = await server.get(`${PERSONS}?${query}`);
    expect([answer.status, answer.json()]).toMatchObject([200, expected]);
  });

  it.each([
    ['', 'ann bob cyd dee'],
    ['sort=spec.age', 'dee bob ann cyd'],
    ['sort=spec.age,desc', 'cyd ann bob dee'],
    ['sort=spec.tags', 'cyd dee ann bob'],
    ['sort=spec.tags,desc', 'bob ann cyd dee'],
    ['sort=spec.gender&sort=name,desc', 'dee cyd bob ann'],
    ['size=2&page=2&sort=spec.age', 'ann cyd'],
    [`labelSelector=${TEAM}=red`, 'ann cyd'],
    [`labelSelector=${encodeURIComponent(`${TEAM}=red`)}`, 'ann cyd'],
    [`labelSelector=${encodeURIComponent(`${TEAM} in (red, blue)`)}`, 'ann bob cyd'],
    [`labelSelector=${TEAM}+notin+(red)`, 'bob dee'],
    [`labelSelector=${TEAM}!=red`, 'bob dee'],
    [`labelSelector=!${TEAM}`, 'dee'],
    [`labelSelector=%21${TEAM}`, 'dee'],
    [`labelSelector=${TEAM}`, 'ann bob cyd'],
    [`labelSelector=${TEAM}==red&fieldSelector=spec.age=30`, 'ann'],
    [`labelSelector=${TEAM}=red&labelSelector=${TEAM}!=blue`, 'ann cyd'],
    ['fieldSelector=metadata.name=bob', 'bob'],
    ['fieldSelector=name%3Dbob', 'bob'],
    ['fieldSelector=spec.age=(20,40)', 'bob cyd'],
    ['fieldSelector=spec.age%20in%20%2820%2C40%29', 'bob cyd'],
    ['fieldSelector=spec.age!=20', 'ann cyd dee'],
    ['fieldSelector=spec.tags=b', 'ann bob'],
    ['fieldSelector=spec.tags=b,spec.age=20', 'bob'],
    ['fieldSelector=spec.tags=b&fieldSelector=spec.age=20', 'bob'],
    [`fieldSelector=${encodeURIComponent('spec.name=A\\, (b) = c\\\\d & é')}`, 'cyd'],
    ['fieldSelector=spec.email=', ''],
    ['fieldSelector=spec.age>20', 'ann cyd'],
    ['fieldSelector=spec.age%3E20', 'ann cyd'],
    ['fieldSelector=spec.age>=20,spec.age<40', 'ann bob'],
    ['fieldSelector=spec.age%3C%3D30', 'ann bob'],
    ['fieldSelector=spec.age', 'ann bob cyd'],
    [`filter=${encodeURIComponent('spec.age >= 30 && spec.age < 40 || !has(spec.age)')}`, 'ann dee'],
    ['filter=spec.age>=30+%26%26+spec.age<40', 'ann'],
    [`filter=${encodeURIComponent('spec.name == "A, (b) = c\\\\d & é"')}`, 'cyd'],
    [`filter=${encodeURIComponent('lower(spec.name) == "a, (B) = C\\\\d & É"')}`, 'cyd'],
    [`filter=spec.age>20&filter=spec.age<40&labelSelector=${TEAM}=red`, 'ann'],
    [`filter=${encodeURIComponent(`metadata.labels["${TEAM}"] == "red"`)}&sort=name,desc`, 'cyd ann'],
    ['filter=', 'ann bob cyd dee'],
    ['fieldSelector=!spec.age', 'dee'],
    ['fieldSelector=%21spec.age', 'dee'],
    ['unknown=parameter&timeout=32s&labelSelector=', 'ann bob cyd dee'],
  ])('answers ?%s', async (query, expected) => {
    expect((await names(query)).join(' ')).toBe(expected);
  });

  it('counts by a filter, explains it, and watches with it', async () => {
    const filter = `filter=${encodeURIComponent('spec.age < 40 && !("z" in spec.tags)')}`;
    expect((await server.get(`${PERSONS}?${filter}&size=1`)).json()).toMatchObject({
      total: 1,
      totalPages: 1,
    });
    const explained = (await server.get(`${PERSONS}?${filter}&explain=true`)).json();
    expect(explained.condition).toBe('(spec.age < 40 and not spec.tags = "z")');
    const watched = await server.get(`${PERSONS}?${filter}&watch=true&timeoutSeconds=1`);
    expect(watched.text.match(/"name":"[a-z]+"/g)?.slice(0, 1)).toEqual(['"name":"ann"']);
    expect(watched.text.trim().split('\n')).toHaveLength(1);
    expect((await server.get(`${PERSONS}?filter=spec.age&watch=true`)).status).toBe(400);
  });

  it('counts values of all matches, beside a page', async () => {
    const facets = `spec.tags,metadata.labels["${TEAM}"]`;
    const query = new URLSearchParams({ facets, facetLimit: '2', size: '1', filter: 'spec.age > 10' });
    const answer = await server.get(`${PERSONS}?${query.toString()}`);
    expect(answer.headers.warning).toBeUndefined();
    expect(answer.json()).toMatchObject({ total: 3, items: [{}] });
    expect((answer.json() as { facets?: unknown }).facets).toEqual({
      'spec.tags': [
        { value: 'b', count: 2 },
        { value: 'a', count: 1 },
      ],
      [`metadata.labels["${TEAM}"]`]: [
        { value: 'red', count: 2 },
        { value: 'blue', count: 1 },
      ],
    });
  });

  it('does not answer a filter by the time from memory', async () => {
    await server.service.create(PERSON_REF, person('new', {}));
    const filter = encodeURIComponent('name == "new" && metadata.creationTimestamp < now - duration("1h")');
    const total = async (): Promise<unknown> =>
      (await server.get(`${PERSONS}?size=1&filter=${filter}`)).json().total;
    expect(await total()).toBe(0);
    aheadMs = 3_601_000;
    expect(await total()).toBe(1);
    aheadMs = 0;
    await server.service.delete(PERSON_REF, 'new');
  });

  it.each([
    ['page=0', /page/],
    ['page=-1', /page/],
    ['page=1.5', /page/],
    ['page=x', /page/],
    ['page=', /page/],
    ['page=1&page=2', /page/],
    ['size=-1', /size/],
    ['size=1e3', /size/],
    ['sort=spec.nope', /spec\.age/],
    ['sort=metadata.labels', /metadata\.labels/],
    ['sort=spec.age,up', /up/],
    ['fieldSelector=spec.nope=1', /spec\.nope/],
    ['fieldSelector=spec.age=old', /old/],
    ['fieldSelector=spec.age=()', /./],
    ['fieldSelector=spec.age>', /spec\.age/],
    ['fieldSelector=spec.age>=old', /old/],
    ['fieldSelector=!spec.nope', /spec\.nope/],
    ['filter=spec.age==%22old%22', /spec\.age is of type integer.* at character 11$/],
    ['filter=spec.nope==1', /"spec\.nope" is not indexed; indexed fields: .*spec\.age.*, at character 1$/],
    [
      'filter=lower(spec.age)==%22a%22',
      /lower needs a string field, spec\.age is of type integer, at character 1$/,
    ],
    ['filter=spec.age', /, at character 1$/],
    ['filter=constructor', /not indexed/],
    [`filter=${encodeURIComponent('spec.age > 1 '.repeat(2))}`, /, at character 14$/],
    [`filter=${'!'.repeat(5_000)}true`, /nests deeper/],
    ['fieldSelector=__proto__=1', /__proto__/],
    ['fieldSelector=constructor=1', /constructor/],
    ['sort=toString', /toString/],
    ['facets=spec.nope', /"spec\.nope" is not indexed; indexed fields: .*spec\.age/],
    ['facets=__proto__', /__proto__/],
    ['facets=spec.age,', /a field is missing/],
    ['facets=metadata.labels', /needs a label key, as in metadata\.labels\["app"\]/],
    ['facets=metadata.labels["-"]', /not a label key/],
    [`facets=${'spec.age,'.repeat(10)}name`, /at most 10 fields/],
    ['facets=spec.age&facetLimit=0', /facetLimit: 0 is not an integer from 1 to 1000/],
    ['facets=spec.age&facetLimit=1001', /from 1 to 1000/],
    ['facets=spec.age&facetLimit=x', /facetLimit/],
    ['facetLimit=1&facetLimit=2', /facetLimit/],
    ['aggregates=count&watch=true', /aggregates cannot be combined with watch/],
    ['aggregates=count&groupBy=spec.age&groupLimit=x', /groupLimit: "x" is not an integer/],
    ['aggregates=sum(spec.nope)', /"spec\.nope" is not indexed/],
    ['facets=spec.age&watch=true', /facets cannot be combined with watch/],
    ['labelSelector=a=b=c', /./],
    ['labelSelector=(', /./],
    ['labelSelector=a%20in%20b', /./],
  ])('refuses ?%s with 400 and says why', async (query, message) => {
    const answer = await server.get(`${PERSONS}?${query}`);
    expect([answer.status, answer.json().reason]).toEqual([400, 'BadRequest']);
    expect(answer.json().message).toMatch(message);
  });
});

describe('YAML', () => {
  afterAll(() => server.clear());
  const yaml = { accept: 'application/yaml' };

  it.each(['application/yaml', 'text/yaml', 'application/x-yaml; charset=utf-8'])(
    'is read as %s',
    async (type) => {
      const body = 'metadata:\n  name: yam\nspec:\n  name: "Yam"\n  birthDate: 1990-05-17\n';
      const answer = await server.send('POST', PERSONS, { body, headers: { 'content-type': type } });
      expect([answer.status, answer.json().spec]).toEqual([201, { name: 'Yam', birthDate: '1990-05-17' }]);
      await server.clear();
    },
  );

  it('is written for objects, lists and errors', async () => {
    await server.service.create(PERSON_REF, person('ann', { name: 'true', tags: ['1', 'null', 'a: b'] }));
    await server.service.create(PERSON_REF, person('bob'));
    for (const target of [
      `${PERSONS}/ann`,
      PERSONS,
      `${PERSONS}/nobody`,
      `${PERSONS}?fieldSelector=name=x`,
    ]) {
      const asYaml = await server.get(target, yaml);
      const asJson = await server.get(target);
      expect(asYaml.headers['content-type']).toBe('application/yaml');
      expect(asYaml.status).toBe(asJson.status);
      expect(parseYaml(asYaml.text, { maxAliases: 0 })).toEqual(asJson.json());
    }
    const body = person('cyd');
    const created = await server.send('POST', PERSONS, { body, headers: yaml });
    expect([created.status, created.text.startsWith('apiVersion: ')]).toEqual([201, true]);
  });

  it.each([
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'application/json'],
    ['application/yaml;q=0.5, application/json', 'application/json'],
    ['application/json;q=0.5, application/yaml', 'application/yaml'],
    ['application/yaml;q=0', 'application/json'],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'application/json'],
    // A range that names one type has precedence over a range with a wildcard.
    ['application/json;q=0.2, */*;q=0.9', 'application/yaml'],
    ['application/json;q=0, */*', 'application/yaml'],
    ['*/*, application/yaml;q=0.1', 'application/json'],
    ['application/*;q=0.9, application/json;q=0.1', 'application/yaml'],
    ['text/*', 'application/yaml'],
    ['*/*, application/yaml', 'application/yaml'],
    ['application/yaml, application/json', 'application/yaml'],
    ['application/json, application/yaml', 'application/json'],
    ['Application/YAML; charset=UTF-8, application/json;q=0.9', 'application/yaml'],
    ['application/json; charset=utf-8', 'application/json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
    ['application/json;q="0.1", application/yaml;q=0.2', 'application/yaml'],
    ['application/yaml;q=x', 'application/json'],
    ['no type, ;;, "', 'application/json'],
    [`application/yaml${',x/y'.repeat(300)}`, 'application/json'],
  ])('is chosen by quality: Accept %s gets %s', async (accept, type) => {
    expect((await server.get(PERSONS, { accept })).headers['content-type']).toBe(type);
  });
});

describe('a long list', () => {
  const COUNT = 8_000;
  const PER_COMMIT = 2_000;

  beforeAll(async () => {
    await server.clear();
    for (let at = 0; at < COUNT; at += PER_COMMIT) {
      await server.service.batch(
        Array.from({ length: PER_COMMIT }, (_, i) => ({
          verb: 'create' as const,
          resource: PERSON_REF,
          object: person(`p${String(at + i).padStart(6, '0')}`, { address: { city: 'x'.repeat(1000) } }),
        })),
      );
    }
  });

  it('is streamed whole, and others are answered meanwhile', async () => {
    const before = process.memoryUsage().rss;
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    const whole = server.get(PERSONS);
    let meanwhile = 0;
    const stream = { done: false };
    void whole.then(() => (stream.done = true));
    while (!stream.done) {
      expect((await server.get('/livez')).status).toBe(200);
      meanwhile += 1;
    }
    clearInterval(watch);
    const answer = await whole;
    expect(answer.headers['transfer-encoding']).toBe('chunked');
    expect(meanwhile).toBeGreaterThan(2);
    const list = answer.json();
    expect([list.total, list.items.length]).toEqual([COUNT, COUNT]);
    const found = list.items.map(({ metadata }) => String(metadata.name));
    expect(found).toEqual([...found].sort());
    // The client of this test holds the text some times over; the service must not do so as well.
    expect(peak - before).toBeLessThan(20 * answer.text.length);
  });

  it('is streamed as YAML too, as a short one is written', async () => {
    const [long, short] = await Promise.all(
      [PERSONS, `${PERSONS}?limit=1`].map((path) => server.get(path, { accept: 'application/yaml' })),
    );
    const itemsOf = (text = ''): string => text.slice(text.indexOf('items:'));
    expect(long?.text.match(/^ {2}- apiVersion/gm)).toHaveLength(COUNT);
    expect(itemsOf(long?.text).startsWith(itemsOf(short?.text).trimEnd())).toBe(true);
    expect(parseYaml(long?.text ?? '', { maxAliases: 0 })).toMatchObject({
      kind: 'PersonList',
      total: COUNT,
    });
  });

  it.each(['application/json', 'application/yaml'])(
    'is the same for a client that takes it late: %s',
    async (accept) => {
      const { text } = await server.get(PERSONS, { accept });
      const socket = connect(server.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(`GET ${PERSONS} HTTP/1.0\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`);
      const parts: Buffer[] = [];
      for await (const part of socket as AsyncIterable<Buffer>) {
        parts.push(part);
        if (parts.length % 50 === 1) await sleep(20);
      }
      const late = Buffer.concat(parts);
      // Of HTTP 1.0, so that what comes after the head is the text alone.
      expect(late.subarray(late.indexOf('\r\n\r\n') + 4).equals(Buffer.from(text))).toBe(true);
    },
  );

  it('is not read faster than it is taken', async () => {
    const { engine } = server.store;
    const take = engine.snapshot.bind(engine);
    let read = 0;
    engine.snapshot = () => {
      const snapshot = take();
      const visitMany = snapshot.visitMany.bind(snapshot);
      snapshot.visitMany = (keys, visit) => {
        read += keys.length;
        return visitMany(keys, visit);
      };
      return snapshot;
    };
    const socket = connect(server.port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      socket.pause();
      socket.write(`GET ${PERSONS} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await expect.poll(() => read).toBeGreaterThan(0);
      await sleep(500);
      // The system's own buffers hold some megabytes; the whole text is several times as long.
      expect(read).toBeLessThan(COUNT * 0.75);
    } finally {
      socket.destroy();
      engine.snapshot = take;
    }
  });

  it('releases its snapshot when the client vanishes', async () => {
    const snapshots: { closed: boolean }[] = [];
    const { engine } = server.store;
    const take = engine.snapshot.bind(engine);
    engine.snapshot = () => {
      const snapshot = take();
      const entry = { closed: false };
      snapshots.push(entry);
      const close = snapshot.close.bind(snapshot);
      snapshot.close = () => {
        entry.closed = true;
        close();
      };
      return snapshot;
    };
    try {
      for (let i = 0; i < 10; i++) {
        const socket = connect(server.port, '127.0.0.1');
        await once(socket, 'connect');
        socket.write(`GET ${PERSONS} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        await once(socket, 'data');
        socket.pause();
        socket.destroy();
      }
      await expect
        .poll(() => [snapshots.length, snapshots.filter(({ closed }) => !closed).length])
        .toEqual([10, 0]);
    } finally {
      engine.snapshot = take;
    }
    expect((await server.get(`${PERSONS}?size=1`)).status).toBe(200);
    expect(server.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('answers HEAD without sending the objects', async () => {
    const text = await server.raw(
      `HEAD ${PERSONS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      3000,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200/);
    expect(text.split('\r\n\r\n')[1]).toBe('');
  });
});
