import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/exit.js';
import { openLineLog } from '../../src/cli/logging.js';
import { eventPrinter } from '../../src/cli/output/events.js';
import { printFailure } from '../../src/cli/output/failure.js';
import { printList, printRows, printValue } from '../../src/cli/output/objects.js';
import { printTemplate } from '../../src/cli/output/template.js';
import { run } from '../../src/cli/program.js';
import { explainLines } from '../../src/cli/explain/explain.js';
import { parseTemplate } from '../../src/lib/json/json-path-template.js';
import { parseYaml } from '../../src/lib/json/yaml.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { gadget, gadgets } from '../helpers/definitions.js';
import { PERSON_PLUGIN } from '../helpers/person-daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { testIo, type TestIo } from './helpers.js';

/** A title, an erased screen, C1, colours, a direction mark, DEL, a line of its own, and length. */
const TEXT = `a\u001b]0;t\u0007\u001b[2J\u009b31m\u001b[31m\u202eb\u007f\r\nforged ${'x'.repeat(5_000)}`;
const CONTROLS = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

type Answers = Readonly<Record<string, readonly [status: number, body: unknown]>>;

/** A server, and an issuer, that answer what they want, and for the rest what a daemon answers, with the text for each "hostile". */
let answers: Answers = {};
let url = '';
let daemon: DaemonProcess;
const server = createServer((req, res) => {
  const answer = answers[(req.url ?? '').split('?', 1)[0] ?? ''] ?? answers.other;
  if (answer === undefined) return void forward(req, res);
  const type = String(req.url).startsWith('/livez') ? 'text/plain' : 'application/json';
  res.writeHead(answer[0], { 'Content-Type': type }).end(JSON.stringify(answer[1]));
});
let home = '';

async function forward(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await readText(req);
  const answer = await fetch(`${daemon.url}${req.url ?? ''}`, {
    method: req.method ?? 'GET',
    headers: { 'Content-Type': req.headers['content-type'] ?? 'application/json' },
    ...(body !== '' && { body }),
  });
  const type = answer.headers.get('Content-Type') ?? 'text/plain';
  const changed = type.includes('json') ? JSON.stringify(TEXT).slice(1, -1) : TEXT;
  res
    .writeHead(answer.status, { 'Content-Type': type })
    .end((await answer.text()).replaceAll('hostile', () => changed));
}

beforeAll(async () => {
  daemon = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins: [PERSON_PLUGIN] });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const definition = gadgets((spec) => {
    spec.names.shortNames = ['hostile'];
    const { properties } = spec.versions[0]?.schema.openAPIV3Schema ?? {};
    Object.assign(properties ?? {}, { other: { type: 'string', description: 'hostile' } });
  });
  await apply(definition, person('hostile'), gadget('hostile'));
  await apply(gadget('hostile', {}, { labels: { hostile: 'hostile' } }));
});
beforeEach(() => {
  answers = {};
  home = temporaryDirectory();
});
afterAll(async () => {
  server.close();
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

async function apply(...objects: readonly object[]): Promise<void> {
  const io = terminal(objects.map((object) => `---\n${JSON.stringify(object)}\n`).join(''));
  const argv = ['apply', '--server-side', '--field-manager', 'hostile', '-f', '-', '--server', daemon.url];
  expect([await run(argv, io), io.stderr.text]).toEqual([0, '']);
}

const person = (name: string, value = 'hostile'): object => ({
  apiVersion: 'demo.example.com/v1alpha1',
  kind: 'Person',
  metadata: { name, annotations: { note: value } },
  spec: { name: value.slice(0, 60) },
});

const terminal = (stdin?: string): TestIo =>
  testIo({
    cwd: home,
    env: { HOME: home, NO_COLOR: '1' },
    columns: 100,
    ...(stdin !== undefined && { stdin: parts(stdin) }),
  });

async function* parts(text: string): AsyncGenerator<string> {
  await Promise.resolve();
  yield text;
}

/** Both outputs of a command on a terminal, of which neither may be controlled. */
async function printed(argv: readonly string[], stdin?: string): Promise<string> {
  const io = terminal(stdin);
  await run(argv, io);
  return safe(io);
}

function safe({ stdout, stderr }: TestIo): string {
  const text = stdout.text + stderr.text;
  expect(text).not.toMatch(CONTROLS);
  expect(text).not.toMatch(/^forged/m);
  return text;
}

const failure = (message: string): unknown => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'Forbidden',
  code: 403,
  message,
});

/** The beginning of the text, as messages and JSON escape it, or YAML. */
const TITLE = '\\u001b]0;t';
const ANY_TITLE = /\\(?:u001b|e)\]0;t/;
const THING = { plural: 'things', columns: [] } as const;
const thing = (name: string, text = TEXT): never =>
  ({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name, labels: { [text]: text }, creationTimestamp: '2026-01-01T00:00:00Z' },
    text,
  }) as never;

describe('a terminal shows control characters and line ends of values as escapes', () => {
  it.each([
    ['an error of a server', ['get', 'persons', '--server']],
    ['an error with its stack', ['get', 'persons', '--verbose', '--server']],
    ['an error of several objects', ['delete', 'persons', 'a', 'b', '--server']],
  ])('%s', async (_source, argv) => {
    answers = { other: [403, failure(TEXT)] };
    expect(await printed([...argv, url])).toContain(TITLE);
  });

  it.each([
    ['a file that is missing', ['apply', '-f', TEXT.slice(0, 100)]],
    ['a directory of plugins', ['get', 'persons', '--plugins', TEXT]],
    ['the name of a plugin', ['plugin', 'disable', TEXT, '--plugins', PERSON_PLUGIN, '--data-dir', '.xsvc']],
    ['the name of a context', ['config', 'use-context', TEXT]],
    ['an output format', ['get', 'persons', '-o', `jsonpath={${TEXT}`]],
    ['a column', ['get', 'persons', '-o', `custom-columns=A:.a[\u001b]0;t\nforged`]],
    ['the address of a server', ['get', 'persons', '--server', TEXT]],
  ])('%s', async (_source, argv) => {
    await printed(argv);
  });

  it('the name of a file with an invalid line', async () => {
    const file = path.join(home, TEXT.slice(0, 60));
    writeFileSync(file, 'a: [');
    expect(await printed(['apply', '-f', file])).toContain(TITLE);
  });

  it('the name of a directory that is written', async () => {
    const directory = path.join(home, TEXT.slice(0, 60));
    mkdirSync(directory);
    expect(await printed(['plugin', 'init', 'abc', '--directory', directory])).toBeDefined();
  });

  it('names and values in cells, titles and lines', async () => {
    for (const output of ['table', 'wide', 'name'] as const) {
      const io = terminal();
      await printRows(io, THING, [thing(TEXT)], { output, headers: true, showLabels: true });
      expect(safe(io)).toContain(TITLE);
    }
    const io = terminal();
    const columns = [{ title: TEXT, cell: () => TEXT }] as never;
    await printRows(io, THING, [thing('a')], { output: { columns }, headers: true });
    expect(safe(io)).toContain(TITLE);
  });

  it('the description of a field', () => {
    const io = terminal();
    const schema = { properties: { [`a${TEXT}`]: { type: 'string', description: TEXT } } };
    const resource = { group: 'g', version: 'v1', kind: 'Thing', plural: 'things', schema, indexes: [] };
    for (const line of explainLines({ resource: resource as never, path: [] }, true)) io.stdout.line(line);
    expect(safe(io)).toContain(TITLE);
  });

  it('fields and annotations of stored objects', async () => {
    const store = ['--plugins', PERSON_PLUGIN, '--data-dir', '.xsvc'];
    const stored = JSON.stringify(person('ada', TEXT));
    expect(await printed(['create', '-f', '-', ...store], stored)).toContain('created');
    for (const argv of [
      ['get', 'persons'],
      ['describe', 'person', 'ada'],
      ['annotate', 'person', 'ada', '--list'],
    ])
      await printed([...argv, ...store]);
    expect(await printed(['describe', 'person', 'ada', ...store])).toContain(TITLE);
  });

  it.each([
    'get persons',
    'get persons -o wide --show-labels',
    'get persons -o name',
    'get persons -o custom-columns=N:.metadata.name',
    'get persons,gadgets -o yaml',
    'get persons --facets spec.name',
    'get persons -o json',
    'describe person hostile',
    'describe gadget hostile',
    'explain gadgets',
    'explain gadgets.other',
    'history gadgets hostile',
    'history persons',
    'api-resources',
    'plugin logs hostile',
    'label gadget hostile --list',
    'annotate person hostile a=b --dry-run',
    'patch gadget hostile -p {}',
    'export persons',
    'diff -f manifest.json',
    'apply --server-side -f manifest.json',
  ])('what a server says to xsvc %s', async (line) => {
    writeFileSync(path.join(home, 'manifest.json'), JSON.stringify(person('hostile', 'b')));
    expect(await printed([...line.split(' '), '--server', url])).toMatch(ANY_TITLE);
  });

  it.each([
    [
      'webhook list',
      '/webhooks',
      {
        apiVersion: 'v1',
        kind: 'W',
        metadata: { name: 'a' },
        spec: { url: 'b' },
        status: { lastError: TEXT },
      },
    ],
    ['webhook deadletters a', '/webhooks/a/deadletters', { name: TEXT, kind: TEXT, lastError: TEXT }],
  ])('the errors of receivers in xsvc %s', async (line, at, item) => {
    const page = { page: 1, size: 1, total: 1, totalPages: 1, metadata: { resourceVersion: '1' } };
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      ...page,
      first: true,
      last: true,
      hasNext: false,
      hasPrevious: false,
    };
    answers = { [`/apis/delivery.platform.run/v1alpha1${at}`]: [200, { ...list, items: [item] }] };
    expect(await printed([...line.split(' '), '--server', url])).toContain(TITLE);
  });

  it.each(['table', 'wide', 'name'] as const)('events of objects as %s', async (output) => {
    const io = terminal();
    const printer = await eventPrinter(io, THING as never, {
      output,
      headers: true,
      outputWatchEvents: true,
    });
    await printer.print({ type: 'ADDED', object: thing(TEXT) } as never);
    await printer.print({ type: 'BOOKMARK' } as never);
    expect(safe(io)).toContain(TITLE);
  });

  it('lines of the log of a daemon', async () => {
    const io = terminal();
    const log = await openLineLog(io, 'info');
    log.info(TEXT, { plugin: TEXT, value: { text: TEXT } });
    expect(safe(io).split('\n')).toHaveLength(2);
  });

  it('but colours and lines of the program stay', async () => {
    const io = testIo({ columns: 100 });
    await printFailure(io, new UsageError('a\u001b[31m'));
    expect(io.stderr.text).toBe('\u001b[31merror:\u001b[39m a\\u001b[31m\n');
    const data = terminal();
    printTemplate(data, parseTemplate('{.a}\t{.b}'), { a: 'x\n\u009by', b: 'z' });
    expect(data.stdout.text).toBe('x\n\\u009by\tz');
    expect(await printed(['get', 'persons', '-o', 'jsonpath={.a[}'])).toMatch(/\n {2}\{\.a\[\}\n +\^\n$/);
  });
});

describe('a pipe gets values as they are', () => {
  it.each(['json', 'yaml'] as const)('in %s, whose escapes on a terminal mean the same', async (output) => {
    const value = {
      list: [TEXT, 'a\u202eb\nc\td\n', '\u0085\u2028x', '\u200f'],
      '\u2066key': { '\u001b': 1 },
    };
    for (const io of [testIo(), terminal()]) {
      await printValue(io, value, output);
      expect(parseYaml(io.stdout.text, { maxAliases: 0 })).toEqual(value);
    }
    const io = terminal();
    await printList(io, { kind: 'List' }, [value], output);
    safe(io);
    expect(parseYaml(io.stdout.text, { maxAliases: 0 })).toEqual({ kind: 'List', items: [value] });
  });

  it('but completions, which a shell shows, are escaped', async () => {
    const io = testIo({ cwd: home, env: { HOME: home } });
    await run(['__complete', 'get', 'persons', '--server', url, ''], io);
    expect(safe(io)).toContain(TITLE);
  });

  it('but errors, which are no data, are escaped', async () => {
    const io = testIo();
    await printFailure(io, new UsageError(TEXT));
    expect(safe(io)).toContain(TITLE);
  });
});

describe('login, whose issuer is not trusted with the terminal', () => {
  const PAGE = 'https://login.example.com/device';
  const DEVICE = {
    device_code: 'd',
    user_code: 'ABCD-EFGH',
    verification_uri: PAGE,
    expires_in: 60,
    interval: 1,
  };

  const login = (device: readonly [number, unknown] | undefined, authorization = PAGE): Promise<string> => {
    answers = {
      '/apis/api.platform.run/v1alpha1/signin': [200, { issuer: url, clientId: 'c' }],
      '/.well-known/openid-configuration': [
        200,
        {
          issuer: url,
          authorization_endpoint: authorization,
          token_endpoint: `${url}/token`,
          jwks_uri: `${url}/jwks`,
          ...(device && { device_authorization_endpoint: `${url}/device` }),
        },
      ],
      ...(device && { '/device': device }),
      '/token': [400, { error: 'access_denied', error_description: TEXT }],
    };
    return printed(['login', '--server', url]);
  };

  it('shows a page and a code, and the beginning of a refusal', async () => {
    const text = await login([200, { ...DEVICE, verification_uri_complete: `${PAGE}?c=A` }]);
    expect(text).toContain(`\nopen ${PAGE} and enter the code ABCD-EFGH\nor open ${PAGE}?c=A\nerror: `);
    expect(text).toContain(`the sign-in failed: a${TITLE}`);
    expect(text.length).toBeLessThan(800);
  });

  it('shows the beginning of the refusal of a code', async () => {
    const text = await login([400, { error: 'invalid_request', error_description: TEXT }]);
    expect(text).toContain(`the sign-in failed: a${TITLE}`);
    expect(text.length).toBeLessThan(800);
  });

  it.each([
    ['verification_uri', 'file:///etc/passwd'],
    ['verification_uri', 'javascript:alert(1)'],
    ['verification_uri', TEXT],
    ['verification_uri', `https://a.example/${'x'.repeat(5_000)}`],
    ['verification_uri_complete', 'file:///etc/passwd'],
    ['verification_uri_complete', TEXT],
    ['user_code', TEXT],
    ['user_code', 'ABCD\nforged'],
    ['user_code', 'A'.repeat(5_000)],
    ['user_code', 'AB\u202eCD'],
    ['user_code', ''],
  ])('refuses %s %j', async (member, value) => {
    const text = await login([200, { ...DEVICE, [member]: value }]);
    expect(text).toContain('error: the sign-in failed: ');
    expect(text).not.toMatch(/^(?:or )?open /m);
    expect(text.length).toBeLessThan(800);
  });

  it('refuses a page for browsers that is no page', async () => {
    const text = await login(undefined, 'file:///etc/passwd');
    expect(text).toContain('error: the sign-in failed: ');
    expect(text).not.toMatch(/^open /m);
  });

  it('takes direction marks out of addresses', async () => {
    const text = await login([200, { ...DEVICE, verification_uri: 'https://a.example/\u202eb\u001b[2J' }]);
    expect(text).toContain('open https://a.example/%E2%80%AEb%1B[2J and');
  });
});
