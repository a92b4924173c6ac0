import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/lib/json/yaml.js';
import {
  PERSON_REF,
  PERSONS,
  person,
  startTestServer,
  type HttpAnswer,
  type TestServer,
} from '../helpers/http.js';
import { Pet } from '../helpers/models.js';
import { removeDirectories } from '../helpers/store.js';
import { faultsOf, operationsOf, type DocumentValue } from '../openapi/helpers.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  expect(await server.check()).toEqual([]);
  await server.close();
  removeDirectories();
});

function documentOf(answer: HttpAnswer): DocumentValue {
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text) as DocumentValue;
}

const GROUP_IDS = ['aggregated', 'extension', 'console', 'uc', 'public', 'plugins', 'platform'].map(
  (id) => `apis_${id}.api_v1alpha1`,
);
const GROUP_VERSION = '/openapi/v3/apis/demo.example.com/v1alpha1';

describe('the documents', () => {
  it.each(GROUP_IDS)('%s is valid', async (id) => {
    const answer = await server.get(`/v3/api-docs/${id}`);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(await faultsOf(documentOf(answer))).toEqual([]);
  });

  it('are the aggregated one without an id', async () => {
    const [short, long] = [
      await server.get('/v3/api-docs'),
      await server.get(`/v3/api-docs/${GROUP_IDS[0] ?? ''}`),
    ];
    expect(short.text).toBe(long.text);
    expect(operationsOf(documentOf(short)).map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(['ListPerson', 'RunBatch', 'MakeBackup', 'GetServiceVersion', 'GetHealth']),
    );
  });

  it('are YAML for a client that prefers it', async () => {
    const answer = await server.get('/v3/api-docs', { accept: 'application/yaml' });
    expect(answer.headers['content-type']).toBe('application/yaml');
    expect(parseYaml(answer.text, { maxAliases: 0 })).toEqual((await server.get('/v3/api-docs')).json());
  });

  it('are not sent again to a client that has them', async () => {
    for (const accept of ['application/json', 'application/yaml']) {
      const first = await server.get('/v3/api-docs', { accept });
      expect(first.headers.etag).toMatch(/^"[\w-]+"$/);
      const tag = first.headers.etag ?? '';
      for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await server.get('/v3/api-docs', { accept, 'if-none-match': header });
        expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag]);
      }
      const other = await server.get('/v3/api-docs', { accept, 'if-none-match': '"other"' });
      expect(other.status).toBe(200);
    }
  });

  it('change as models come and go', async () => {
    const tags = async (): Promise<unknown[]> =>
      Promise.all(
        ['/v3/api-docs', '/v3/api-docs/apis_console.api_v1alpha1', '/openapi/v3'].map(async (path) => {
          const answer = await server.get(path);
          return answer.headers.etag ?? answer.text;
        }),
      );
    const before = await tags();
    await server.register(Pet);
    const document = documentOf(await server.get('/v3/api-docs/apis_extension.api_v1alpha1'));
    expect(document.paths).toHaveProperty(['/apis/demo.example.com/v1/pets']);
    const during = await tags();
    expect(during[0]).not.toBe(before[0]);
    expect(during[1]).toBe(before[1]);
    expect(during[2]).not.toBe(before[2]);
    const removed = server.registry.unregister(Pet);
    if (removed !== undefined) server.service.models.close(removed.resource);
    expect(await tags()).toEqual(before);
  });

  it('are named by a 404 for an id that there is not', async () => {
    const answer = await server.get('/v3/api-docs/nope');
    expect(answer.status).toBe(404);
    expect(answer.json().kind).toBe('Status');
    for (const id of GROUP_IDS) expect(answer.json().message).toContain(id);
  });

  it('describe the members of a list other than the page', async () => {
    const document = documentOf(await server.get('/v3/api-docs'));
    const content: unknown = document.paths[PERSONS]?.get?.responses['200']?.content;
    expect(Object.keys(Object(content) as object)).toEqual([
      'application/json',
      'application/yaml',
      'application/json;g=api.platform.run;v=v1alpha1;as=ListExplanation',
      'application/json;stream=watch',
      'text/event-stream',
    ]);
    const membersIn = (type: string): string[] => {
      const name =
        /"#\/components\/schemas\/(\w+)"/.exec(
          JSON.stringify((content as Record<string, unknown>)[type]),
        )?.[1] ?? '';
      return Object.keys(document.components.schemas[name]?.properties ?? {});
    };
    const explained = await server.get(`${PERSONS}?explain=true&aggregates=sum(spec.age)`);
    const type = String(explained.headers['content-type']);
    // Persons have no text index.
    const withoutSearch = membersIn(type).filter((member) => member !== 'search');
    expect(Object.keys(explained.json()).sort()).toEqual(withoutSearch.sort());
    const { method } = document.components.schemas.ListExplanation?.properties as {
      method: { enum: string[] };
    };
    const { alternatives } = explained.json() as unknown as { alternatives: { method: string }[] };
    expect([...alternatives.map((one) => one.method), explained.json().method, 'relevance'].sort()).toEqual(
      method.enum.sort(),
    );
    const accept = 'application/json;stream=watch';
    const query = 'watch=true&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true';
    const watched = await server.get(`${PERSONS}?${query}`, { accept });
    expect(watched.headers['content-type']).toBe(accept);
    const [line = ''] = watched.text.split('\n').filter((one) => one !== '');
    expect(Object.keys(JSON.parse(line) as object)).toEqual(membersIn(accept));
  });

  it.each([PERSONS, `${PERSONS}/{name}`])('say what a table of %s can be asked for', async (path) => {
    await server.service.create(PERSON_REF, person('ann'));
    const { paths, components } = documentOf(await server.get('/v3/api-docs'));
    for (const name of ['includeObject', 'dateCells']) {
      expect(paths[path]?.get?.parameters).toContainEqual({ $ref: `#/components/parameters/${name}` });
      const values = components.parameters[name]?.schema.enum ?? [];
      expect(values.length).toBeGreaterThan(1);
      for (const value of [...values, 'Other']) {
        const target = `${path.replace('{name}', 'ann')}?${name}=${value}`;
        const answer = await server.get(target, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
        expect([value, answer.status, answer.json().kind]).toEqual(
          value === 'Other' ? [value, 400, 'Status'] : [value, 200, 'Table'],
        );
      }
    }
    await server.clear();
  });

  it('propose a body that is accepted', async () => {
    const { paths } = documentOf(await server.get('/v3/api-docs'));
    const content = paths[PERSONS]?.post?.requestBody?.content['application/json'];
    const body = content !== undefined && 'example' in content ? content.example : undefined;
    expect(body).toMatchObject({ kind: 'Person', metadata: { name: 'person-1' } });
    const answer = await server.send('POST', `${PERSONS}?dryRun=All&fieldValidation=Strict`, { body });
    expect(answer.status).toBe(201);
  });

  it('are listed for pages that show them', async () => {
    expect((await server.get('/v3/api-docs/swagger-config')).json()).toMatchObject({
      urls: GROUP_IDS.map((id, i) => ({
        url: `/v3/api-docs/${id}`,
        name: `${['Aggregated', 'Extension', 'Console', 'User-center', 'Public', 'Plugins', 'Platform'][i] ?? ''} API V1alpha1`,
      })),
      'urls.primaryName': 'Plugins API V1alpha1',
    });
  });

  it.each([
    '/v3/api-docs',
    '/v3/api-docs/swagger-config',
    '/v3/api-docs/apis_console.api_v1alpha1',
    '/swagger-ui.html',
    '/swagger-ui/swagger-ui.css',
    '/openapi/v3',
    GROUP_VERSION,
  ])('can only be read: %s', async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await server.send(method, path);
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
      expect(answer.json().kind).toBe('Status');
    }
    const head = await server.send('HEAD', path);
    expect([head.status, head.text]).toEqual([200, '']);
  });
});

describe('the page', () => {
  it('loads from the service alone', async () => {
    const page = await server.get('/swagger-ui.html');
    expect(page.headers['content-type']).toMatch('text/html');
    const policy = page.headers['content-security-policy'];
    expect(policy).toMatch("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(page.text).not.toMatch(/<script>[^<]/);
    const files = [...page.text.matchAll(/(?:href|src)="(\.\/[^"]+)"/g)].map((match) => match[1] ?? '');
    expect(files.length).toBeGreaterThanOrEqual(6);
    for (const file of files) {
      const asset = await server.get(file.slice(1));
      expect([file, asset.status]).toEqual([file, 200]);
    }
    const script = (await server.get('/swagger-ui/swagger-ui-init.js')).text;
    for (const id of GROUP_IDS) expect(script).toContain(`/v3/api-docs/${id}`);
    expect(script).not.toMatch(/https?:\/\//);
  });

  it.each([
    '/swagger-ui/index.html',
    '/swagger-ui/swagger-initializer.js',
    '/swagger-ui/package.json',
    '/swagger-ui/..%2f',
  ])('does not serve %s of its package', async (path) => {
    const answer = await server.get(path);
    expect([answer.status, answer.json().kind]).toEqual([404, 'Status']);
  });
});

describe('the description for Kubernetes clients', () => {
  it('leads from the index to documents that may be kept', async () => {
    const index = JSON.parse((await server.get('/openapi/v3')).text) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    const url = index.paths['apis/demo.example.com/v1alpha1']?.serverRelativeURL ?? '';
    const answer = await server.get(url);
    expect(answer.headers['cache-control']).toMatch('immutable');
    const document = documentOf(answer);
    expect(document.components.schemas).toHaveProperty(['com.example.demo.v1alpha1.Person']);
    expect(await faultsOf(document)).toEqual([]);
    const again = await server.get(url, { 'if-none-match': answer.headers.etag ?? '' });
    expect(again.status).toBe(304);
  });

  it('is not kept under another mark', async () => {
    const answer = await server.get(`${GROUP_VERSION}?hash=other`);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'private, no-cache']);
  });

  it('is not there without models', async () => {
    expect((await server.get('/openapi/v3/apis/none.example.com/v1')).status).toBe(404);
    expect((await server.get('/openapi/v3/api/v1')).status).toBe(404);
  });
});
