import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { ListOptions } from '../../src/query/list-options.js';
import {
  LIST_PARAMETERS,
  type ListParameter,
  type ListParameterName,
} from '../../src/query/list-parameters.js';
import type { TestServer } from '../helpers/http.js';

const COLOUR: ListParameter = {
  name: 'colour',
  type: 'texts',
  use: 'page',
  description: 'A colour that no list has.',
  flag: ['--colour <name>', 'a colour that no list has (repeatable)'],
};

it('the table has the members of ListOptions that a URL can contain, each once', () => {
  expectTypeOf<ListParameterName>().toEqualTypeOf<Exclude<keyof ListOptions, 'namespace' | 'query'>>();
  const names = LIST_PARAMETERS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

describe('a parameter that is added to the table', () => {
  const persons = '/apis/demo.example.com/v1alpha1/persons';
  let server: TestServer;

  // Only the type of the table is constant. All other files read it when they are loaded, which is after this.
  beforeAll(async () => {
    Reflect.apply(Array.prototype.push, LIST_PARAMETERS, [COLOUR]);
    const { startTestServer } = await import('../helpers/http.js');
    server = await startTestServer();
  });

  afterAll(() => server.close());

  it('is a flag of the commands that list, with its help', async () => {
    const { runCli } = await import('../helpers/cli.js');
    for (const command of ['get', 'list', 'watch']) {
      const { out } = await runCli([command, '--help'], { cwd: '/' });
      expect(out.replace(/\s+/g, ' ')).toContain(COLOUR.flag.join(' '));
    }
  });

  it('is in the OpenAPI document of every model', async () => {
    const { text } = await server.get('/v3/api-docs');
    const { paths, components } = JSON.parse(text) as {
      readonly paths: Readonly<Record<string, { get: { readonly parameters: readonly object[] } }>>;
      readonly components: { readonly parameters: Readonly<Record<string, object>> };
    };
    expect(components.parameters.colour).toEqual({
      name: 'colour',
      in: 'query',
      description: COLOUR.description,
      schema: { type: 'string' },
    });
    expect(paths[persons]?.get.parameters).toContainEqual({ $ref: '#/components/parameters/colour' });
  });

  it('is known to the server, which refuses it for a watch', async () => {
    expect((await server.get(`${persons}?colour=red`)).headers.warning).toBeUndefined();
    expect((await server.get(`${persons}?color=red`)).headers.warning).toContain(
      'did you mean \\"colour\\"?',
    );
    const { status, text } = await server.get(`${persons}?watch=true&colour=red`);
    expect([status, text]).toEqual([400, expect.stringContaining('colour cannot be combined with watch')]);
  });

  it('goes from the command line into the URL of the client', async () => {
    const { runCli } = await import('../helpers/cli.js');
    const urls: string[] = [];
    const proxy = createServer((req, res) => {
      urls.push(req.url ?? '');
      void server.send(req.method ?? 'GET', req.url ?? '/').then(({ status, text }) => {
        res.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const colours = ['--colour', 'red', '--colour', 'dark blue'];
      const { code } = await runCli(
        ['list', 'persons', '--size', '1', ...colours, '--server', `http://127.0.0.1:${port}`],
        { cwd: '/' },
      );
      expect([code, urls.at(-1)]).toEqual([0, `${persons}?size=1&colour=red&colour=dark+blue`]);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });
});
