import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/lib/json/yaml.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { Reference } from '../../src/model/references/decorator.js';
import { Schema } from '../../src/model/declare/schema-decorator.js';
import type { Included, ResourceRef } from '../../src/service/verbs.js';
import { startTestServer, type HttpAnswer, type TestServer } from '../helpers/http.js';
import { AUTHOR, BOOK, named, registerLibrary } from '../helpers/library.js';
import { countSnapshots, type CountedSnapshots } from '../helpers/snapshots.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { openTestEngine } from '../engines/engines.js';
import { OLD_TICKET, registerTickets, Ticket, TICKET } from '../helpers/tickets.js';
import { openStream } from '../helpers/watching.js';

const BOOKS = '/apis/library.example.com/v1/books';
const AUTHORS = 'authors.library.example.com';
const DESK = '/apis/desk.example.com';
const YAML = { accept: 'application/yaml' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const as = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` });
/** More than the answers that are sent in one piece. */
const MANY = 1_050;

const REPLY = { group: 'desk.example.com', kind: 'Reply', plural: 'replies', singular: 'reply' };

class ReplySpec {
  @Reference({ to: Ticket })
  ticket?: string;
}

class OldReplySpec {
  @Schema({ type: 'string' })
  about?: string;
}

@GVK({ ...REPLY, version: 'v1' })
class Reply extends AbstractExtension {
  @Schema({ type: ReplySpec })
  spec!: ReplySpec;
}

@GVK({ ...REPLY, version: 'v1alpha1' })
class OldReply extends AbstractExtension {
  @Schema({ type: OldReplySpec })
  spec!: OldReplySpec;
}

const REPLY_REF: ResourceRef = { group: REPLY.group, version: 'v1', kind: 'Reply', plural: 'replies' };

/** A model with a field that has the name of the member. */
@GVK({ group: 'box.example.com', version: 'v1', kind: 'Box', plural: 'boxes', singular: 'box' })
class Box extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    properties: {
      included: { type: 'array', items: { type: 'string' } },
      in: { type: 'string', 'x-xsvc-reference': { group: 'box.example.com', kind: 'Box' } },
    },
  };
}

let server: TestServer;
let snapshots: CountedSnapshots;

beforeAll(async () => {
  snapshots = countSnapshots(await openTestEngine(temporaryDirectory()));
  server = await startTestServer({ engine: snapshots.engine });
  await registerLibrary(server);
  await registerTickets(server);
  await server.register(Reply, undefined, {
    versions: [
      {
        model: OldReply,
        up: ({ spec }: OldReply) => ({ spec: { ticket: spec.about } }),
        down: ({ spec }: Reply) => ({ spec: { about: spec.ticket } }),
        fields: { 'spec.about': 'spec.ticket' },
      },
    ],
  });
  await server.register(Box);
  const { service } = server;
  for (const name of ['ann', 'bob']) await service.create(AUTHOR, named(name));
  await service.create(BOOK, named('one', { author: 'ann', readers: ['bob'], sequelOf: 'one' }));
  await service.create(BOOK, named('two', { author: 'bob' }));
  await service.create(OLD_TICKET, { metadata: { name: 't' }, spec: { subject: 'Old' } });
  await service.create(REPLY_REF, { metadata: { name: 'r' }, spec: { ticket: 't' } });
});

afterEach(() => expect.poll(() => snapshots.open()).toBe(0));
afterAll(async () => {
  expect(await server.check()).toEqual([]);
  await server.close();
  removeDirectories();
});

const text = (value: unknown): string => String(value);
const includedIn = (answer: HttpAnswer): Included => answer.json().included as Included;
const expanding = (path: string, expand = 'spec.author'): string =>
  `${path}${path.includes('?') ? '&' : '?'}expand=${encodeURIComponent(expand)}`;

describe('an answer that follows references', () => {
  it('has the stored bytes of the objects, behind all other members', async () => {
    const author = await server.get('/apis/library.example.com/v1/authors/ann');
    const plain = await server.get(`${BOOKS}/one`);
    const one = await server.get(expanding(`${BOOKS}/one`));
    const included = `"included":{"${AUTHORS}":{"ann":${author.text}}}}`;
    expect(one.text).toBe(`${plain.text.slice(0, -1)},${included}`);
    const list = await server.get(`${BOOKS}?size=1`);
    const page = await server.get(expanding(`${BOOKS}?size=1`));
    expect(page.text).toBe(`${list.text.slice(0, -1)},${included}`);
    expect((await server.get(expanding(`${BOOKS}/one/status`))).text).toBe(one.text);
  });

  it('can be YAML', async () => {
    for (const path of [`${BOOKS}/one`, `${BOOKS}?size=1`, `${BOOKS}?size=1&page=9`]) {
      const json = await server.get(expanding(path));
      const yaml = await server.get(expanding(path), YAML);
      expect(yaml.headers['content-type']).toBe('application/yaml');
      expect(parseYaml(yaml.text, { maxAliases: 0 })).toEqual(json.json());
      expect(yaml.text).toMatch(/^included:/m);
    }
  });

  it('can be asked for by HEAD', async () => {
    for (const path of [`${BOOKS}/one`, BOOKS]) {
      const got = await server.get(expanding(path));
      const { status, headers, text: body } = await server.send('HEAD', expanding(path));
      expect([status, headers['content-length'], headers.etag, body]).toEqual([
        200,
        text(Buffer.byteLength(got.text)),
        got.headers.etag,
        '',
      ]);
    }
  });

  it('may repeat the parameter, which is known for reads alone', async () => {
    const answer = await server.get(`${BOOKS}/one?expand=spec.author&expand=spec.readers,spec.sequelOf`);
    expect(Object.keys(includedIn(answer)[AUTHORS] ?? {})).toEqual(['ann', 'bob']);
    expect(answer.headers.warning).toBeUndefined();
    const body = { metadata: { name: 'x' } };
    for (const [method, path] of [
      ['POST', BOOKS],
      ['PUT', `${BOOKS}/x`],
      ['DELETE', `${BOOKS}/x`],
    ] as const) {
      const written = await server.send(method, expanding(path), method === 'DELETE' ? {} : { body });
      expect(written.status).toBeLessThan(300);
      expect(written.headers.warning).toContain('unknown query parameter \\"expand\\"');
      expect(written.json()).not.toHaveProperty('included');
    }
    expect((await server.get(expanding(`${BOOKS}/one/history`))).headers.warning).toContain('expand');
  });

  it('is no answer with included objects when the parameter is empty', async () => {
    const plain = await server.get(`${BOOKS}/one`);
    for (const query of ['expand=', 'expand=%20', 'expand=&expand=']) {
      const empty = await server.get(`${BOOKS}/one?${query}`);
      expect([empty.text, empty.headers.etag]).toEqual([plain.text, plain.headers.etag]);
      expect((await server.get(`${BOOKS}?${query}`)).json()).not.toHaveProperty('included');
      expect((await server.get(`${BOOKS}/one?${query}`, as('Table'))).status).toBe(200);
    }
  });

  it.each([
    [`${BOOKS}?watch=true`, {}, 'expand cannot be combined with watch'],
    [`${BOOKS}/one?watch=true`, {}, 'expand cannot be combined with watch'],
    [BOOKS, as('Table'), 'expand cannot be combined with a Table'],
    [`${BOOKS}/one`, as('Table'), 'expand cannot be combined with a Table'],
    [
      BOOKS,
      as('PartialObjectMetadataList'),
      'expand cannot be combined with a Table or PartialObjectMetadata',
    ],
    [
      `${BOOKS}/one`,
      as('PartialObjectMetadata'),
      'expand cannot be combined with a Table or PartialObjectMetadata',
    ],
    [`${BOOKS}?resourceVersion=1&resourceVersionMatch=Exact`, {}, 'resourceVersionMatch=Exact'],
    [`${BOOKS}/one?resourceVersion=1&resourceVersionMatch=Exact`, {}, 'resourceVersionMatch=Exact'],
  ])('is refused where there are no whole objects of the present: %s %j', async (path, headers, message) => {
    const answer = await server.get(expanding(path), headers);
    expect([answer.status, answer.json().message]).toEqual([400, expect.stringContaining(message)]);
    expect(answer.headers.etag).toBeUndefined();
  });

  it('is refused with the references that there are', async () => {
    for (const path of [BOOKS, `${BOOKS}/one`, `${BOOKS}?explain=true`]) {
      const answer = await server.get(expanding(path, 'spec.autor'));
      expect([answer.status, answer.json().message]).toEqual([
        400,
        'expand: "spec.autor" is not a reference of Book; references of Book: spec.author, spec.owner, spec.editor, spec.readers, spec.sequelOf',
      ]);
    }
  });
});

describe('the tag of an answer that follows references', () => {
  it.each([[`${BOOKS}/one`], [BOOKS], [`${BOOKS}?size=1&sort=spec.author`]])(
    'is its own, and changes with each included object: %s',
    async (path) => {
      const patch = (name: string) =>
        server.send('PATCH', `/apis/library.example.com/v1/authors/${name}`, {
          headers: MERGE,
          body: { spec: { at: Math.random() } },
        });
      const tags: string[] = [];
      const tag = async (headers = {}): Promise<string> => {
        const { status, headers: given } = await server.get(expanding(path), headers);
        expect(status).toBe(200);
        return text(given.etag);
      };
      tags.push(await tag(), await tag(YAML), text((await server.get(path)).headers.etag));
      expect(await tag()).toBe(tags[0]);
      await patch('ann');
      tags.push(await tag(), await tag(YAML));
      expect(new Set(tags).size).toBe(tags.length);
      const known = { 'if-none-match': `"x", ${tags[3] ?? ''}` };
      for (const method of ['GET', 'HEAD']) {
        const same = await server.send(method, expanding(path), { headers: known });
        expect([same.status, same.text, same.headers.etag]).toEqual([304, '', tags[3]]);
        expect(same.headers.vary).toContain('Accept');
      }
      expect((await server.get(expanding(path), { 'if-none-match': tags[0] ?? '' })).status).toBe(200);
      await patch('ann');
      expect((await server.get(expanding(path), known)).status).toBe(200);
    },
  );

  it('may be stated by a write as that of the object', async () => {
    const { headers } = await server.get(expanding(`${BOOKS}/one`));
    const write = (tag: string) =>
      server.send('PATCH', `${BOOKS}/one`, {
        headers: { ...MERGE, 'if-match': tag },
        body: { spec: { pages: 3 } },
      });
    expect((await write(text(headers.etag))).status).toBe(200);
    expect((await write(text(headers.etag))).status).toBe(412);
  });

  it('never stays the same where the time decides', async () => {
    const path = expanding(`${BOOKS}?filter=${encodeURIComponent('metadata.creationTimestamp < now')}`);
    const [first, second] = [await server.get(path), await server.get(path)];
    expect(first.json().included).toEqual(second.json().included);
    expect(first.headers.etag).not.toBe(second.headers.etag);
  });
});

describe('references of a model with versions', () => {
  it('are those of the stored version in all of them, and targets are as they are stored', async () => {
    const target = (await server.get(`${DESK}/v1/tickets/t`)).json();
    expect(target).toMatchObject({ apiVersion: 'desk.example.com/v1', spec: { title: 'Old' } });
    for (const version of ['v1', 'v1alpha1'])
      for (const path of [`${DESK}/${version}/replies/r`, `${DESK}/${version}/replies`]) {
        const answer = await server.get(expanding(path, 'spec.ticket'));
        expect(includedIn(answer)).toEqual({ 'tickets.desk.example.com': { t: target } });
        expect(answer.text).toContain(version === 'v1' ? '"ticket":"t"' : '"about":"t"');
        expect((await server.get(expanding(path, 'spec.about'))).json().message).toContain(
          'references of Reply: spec.ticket',
        );
      }
    const old = `${DESK}/v1alpha1/replies`;
    const tags = [
      await server.get(expanding(`${old}/r`, 'spec.ticket')),
      await server.get(expanding(old, 'spec.ticket')),
    ];
    for (const { headers } of tags) expect(headers.etag).toBeDefined();
    await server.service.patch(TICKET, 't', { spec: { priority: 1 } }, 'merge');
    const later = await server.get(expanding(`${old}/r`, 'spec.ticket'));
    expect(later.headers.etag).not.toBe(tags[0]?.headers.etag);
  });
});

describe('a model with a field of the name', () => {
  it('keeps it, and its references cannot be followed', async () => {
    const path = '/apis/box.example.com/v1/boxes';
    const made = await server.send('POST', path, {
      body: { metadata: { name: 'a' }, included: ['x'], in: 'a' },
    });
    expect([made.status, made.json().included]).toEqual([201, ['x']]);
    expect((await server.get(`${path}/a`)).json().included).toEqual(['x']);
    for (const target of [`${path}/a`, path]) {
      const answer = await server.get(expanding(target, 'in'));
      expect([answer.status, answer.json().message]).toEqual([
        400,
        'expand: objects of Box have a field included of their own',
      ]);
    }
  });
});

describe('a long list that follows references', () => {
  beforeAll(async () => {
    const books = Array.from({ length: MANY }, (_, i) => named(`b${i}`, { author: `w${i % 1_000}` }));
    const writers = Array.from({ length: 1_000 }, (_, i) => named(`w${i}`));
    await server.service.batch([
      ...writers.map((object) => ({ verb: 'create', resource: AUTHOR, object }) as const),
      ...books.map((object) => ({ verb: 'create', resource: BOOK, object }) as const),
    ]);
  });

  const all = expanding(`${BOOKS}?filter=${encodeURIComponent('metadata.name.startsWith("b")')}`);

  it('is sent in parts, with everything that is included at its end', async () => {
    const answer = await server.get(all);
    expect(answer.headers['content-length']).toBeUndefined();
    const { items } = answer.json();
    expect(items).toHaveLength(MANY);
    expect(Object.keys(includedIn(answer)[AUTHORS] ?? {})).toHaveLength(1_000);
    const yaml = await server.get(all, YAML);
    expect(parseYaml(yaml.text, { maxAliases: 0 })).toEqual(answer.json());
    const known = { 'if-none-match': text(answer.headers.etag) };
    expect((await server.get(all, known)).status).toBe(304);
    expect((await server.send('HEAD', all)).headers.etag).toBe(answer.headers.etag);
  });

  it('is refused before anything of it is sent', async () => {
    for (const path of [expanding(BOOKS), expanding(BOOKS, 'spec.author,spec.sequelOf')]) {
      const answer = await server.get(path);
      expect([answer.status, answer.json().message]).toEqual([
        400,
        'expand: the objects refer to more than 1000 different objects; request a smaller page or fewer references',
      ]);
      expect(answer.headers.etag).toBeUndefined();
    }
  });

  it('keeps no snapshot when its client leaves', async () => {
    const stream = await openStream(`${server.url}${all}`);
    stream.destroy();
    await expect.poll(() => snapshots.open()).toBe(0);
  });
});
