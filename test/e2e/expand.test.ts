import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/lib/json/yaml.js';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { ARTICLES, line, putPress, WRITERS } from '../helpers/press.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const WRITER_MODEL = 'writers.press.example.com';
const MERGE = { 'content-type': 'application/merge-patch+json' };

interface Printed {
  readonly metadata: { readonly name: string; readonly continue?: string };
  readonly items: readonly Printed[];
  readonly included?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

let cwd = '';
let daemon: DaemonProcess;

beforeAll(async () => {
  cwd = temporaryDirectory();
  await putPress(cwd);
  const lines = [
    ...['ann', 'bob'].map((name) => line('Writer', name, { full: name.toUpperCase() })),
    line('Article', 'a', { writer: 'ann', editor: 'bob' }),
    line('Article', 'b', { writer: 'ann' }),
    line('Article', 'c', { writer: 'bob' }),
  ];
  await putFiles(cwd, { 'all.ndjson': lines.join('') });
  expect(await runCli(['apply', '-f', 'all.ndjson'], { cwd })).toMatchObject({ code: 0 });
  daemon = await serve();
});
afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

function serve(): Promise<DaemonProcess> {
  const plugins = ['people', 'press'].map((name) => path.join(cwd, 'plugins', name));
  return startDaemonProcess({ dataDir: path.join(cwd, '.xsvc'), plugins });
}

describe.each([
  ['the store', () => []],
  ['a server', () => ['--server', daemon.url]],
])('--expand with %s', (_door, flags: () => readonly string[]) => {
  const xsvc = (command: string, stdin?: string): Promise<CliResult> =>
    runCli([...command.split(' '), ...flags()], { cwd, ...(stdin !== undefined && { stdin }) });
  const printed = async (command: string): Promise<Printed> => {
    const { code, out, err } = await xsvc(command);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out) as Printed;
  };
  const names = ({ included }: Printed): unknown => Object.keys(included?.[WRITER_MODEL] ?? {}).sort();

  it('prints the objects that references name behind the others, as JSON and YAML', async () => {
    const writer = await printed('get writer ann -o json');
    const one = await printed('get article b --expand spec.writer -o json');
    expect(one.included).toEqual({ [WRITER_MODEL]: { ann: writer } });
    expect(Object.keys(one).at(-1)).toBe('included');
    const list = await printed('get articles --expand spec.writer,spec.editor -o json');
    expect([list.items.length, names(list)]).toEqual([3, ['ann', 'bob']]);
    expect(Object.keys(list).at(-1)).toBe('included');
    const yaml = await xsvc('list articles --expand spec.writer --expand spec.editor -o yaml');
    expect(parseYaml(yaml.out, { maxAliases: 0 })).toEqual(list);
  });

  it('prints those of the page, and those of each named object', async () => {
    const page = await printed('get articles --expand spec.writer -o json --sort spec.writer,desc --size 1');
    expect([page.items[0]?.metadata.name, names(page)]).toEqual(['c', ['bob']]);
    const part = await printed('get articles --expand spec.writer -o json --limit 2');
    expect([typeof part.metadata.continue, names(part)]).toEqual(['string', ['ann']]);
    const some = await printed('get articles b c --expand spec.writer -o json');
    expect(some.items.map(names)).toEqual([['ann'], ['bob']]);
    const file = await xsvc('get -f - --expand spec.writer -o json', line('Article', 'c'));
    expect(names(JSON.parse(file.out) as Printed)).toEqual(['bob']);
    const template = `-o jsonpath={.included.*.*.spec.full}`;
    expect((await xsvc(`get article c --expand spec.writer ${template}`)).out).toBe('BOB');
    expect((await xsvc(`get articles --expand spec.writer ${template}`)).out).toBe('ANN BOB');
  });

  it('reads a file that it wrote, without a change', async () => {
    const { out } = await xsvc('get article a --expand spec.writer -o yaml');
    for (const round of [1, 2]) {
      const applied = await xsvc('apply -f -', out);
      expect(applied, String(round)).toMatchObject({ code: 0, err: '' });
      if (round === 2) expect(applied.out).toBe('articles/a unchanged\n');
    }
    expect((await xsvc('get article a -o yaml')).out).not.toContain('included');
    expect(await xsvc('diff -f -', out)).toMatchObject({ code: 0 });
    const list = await xsvc('get articles --expand spec.writer -o json');
    expect(await xsvc('apply -f -', list.out)).toMatchObject({ code: 0 });
  });

  it.each([
    ['get articles --expand spec.writer', 2, '--expand needs -o json or yaml'],
    ['get articles --expand spec.writer -o name', 2, '--expand needs -o json or yaml'],
    [
      'get articles --expand spec.writer -o custom-columns=N:.metadata.name',
      2,
      '--expand needs -o json or yaml',
    ],
    ['list articles --expand spec.writer -o wide', 2, '--expand needs -o json or yaml'],
    ['get articles --expand spec.writer -o json --watch', 2, '--watch cannot be combined with'],
    ['get articles,writers --expand spec.writer -o json', 2, '--expand needs one resource'],
    ['get article a --expand spec.writer -o json --at 1h', 2, '--at cannot be combined with --expand'],
    [
      'get articles --expand spec.writr -o json',
      5,
      'references of Article: spec.writer, spec.owner, spec.editor',
    ],
    ['get article a --expand spec.writr -o json', 5, '"spec.writr" is not a reference of Article'],
    ['get article gone --expand spec.writer -o json', 3, 'not found'],
  ])('is refused: %s', async (command, code, message) => {
    const answer = await xsvc(command);
    expect([answer.code, answer.out, answer.err]).toEqual([code, '', expect.stringContaining(message)]);
  });

  it('says nothing of a missing object with --ignore-not-found', async () => {
    expect(await xsvc('get article gone --expand spec.writer -o json --ignore-not-found')).toEqual({
      code: 0,
      out: '',
      err: '',
    });
  });
});

describe('two daemons on one store', () => {
  it('answer with objects of one moment while the other one writes', async () => {
    const other = await serve();
    const step = (n: number) =>
      other.send('POST', '/apis/api.platform.run/v1alpha1/batches', {
        body: {
          items: [
            ['Writer', 'ann'],
            ['Article', 'a'],
            ['Article', 'b'],
          ].map(([kind, name]) => ({
            verb: 'patch',
            apiVersion: 'press.example.com/v1',
            kind,
            name,
            contentType: MERGE['content-type'],
            patch: { metadata: { annotations: { 'example.com/step': String(n) } } },
          })),
        },
      });
    expect((await step(0)).status).toBe(200);
    const stop = new AbortController();
    const writing = (async () => {
      for (let n = 1; !stop.signal.aborted; n++) await step(n);
    })();
    const seen = new Set<string>();
    try {
      while (seen.size < 10)
        for (const target of [`${ARTICLES}/a`, `${ARTICLES}?fieldSelector=spec.writer%3Dann`]) {
          const { text } = await daemon.get(`${target}${target.includes('?') ? '&' : '?'}expand=spec.writer`);
          const steps = new Set([...text.matchAll(/"example.com\/step":"(\d+)"/g)].map(([, n]) => n ?? ''));
          expect(steps.size).toBe(1);
          for (const n of steps) seen.add(n);
        }
    } finally {
      stop.abort();
      await writing;
    }
    expect((await daemon.get(`${WRITERS}?expand=spec.writer`)).status).toBe(400);
    await other.stop();
  });
});
