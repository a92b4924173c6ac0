import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBytes } from '../../src/cli/input/bytes.js';
import { readDocuments } from '../../src/cli/input/documents.js';
import { getFiles } from '../../src/cli/input/files.js';
import { expandPattern, nameMatcher } from '../../src/cli/input/glob.js';
import { readManifests } from '../../src/cli/input/manifests.js';
import { getMessage, type ServiceError } from '../../src/errors.js';
import type { Resource } from '../../src/model/resource.js';
import { FakeClock } from '../controller/helpers.js';
import { leastCpuMs } from '../helpers/cpu.js';
import { testIo } from './helpers.js';

const RESOURCE: Resource = {
  group: 'example.com',
  version: 'v1',
  storageVersion: 'v1',
  kind: 'Person',
  plural: 'persons',
  singular: 'person',
  shortNames: [],
  categories: [],
  schema: {},
  indexes: [],
  columns: [],
};

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'xsvc-input-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function put(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(directory, file)), { recursive: true });
  await writeFile(path.join(directory, file), text);
}

describe('expandPattern', () => {
  beforeEach(async () => {
    for (const file of ['a.yaml', 'b.yml', '.hidden.yaml', 'd/c.yaml', 'd/e/f.yaml', 'd/.git/g.yaml'])
      await put(file, '');
  });

  it.each([
    ['*.yaml', ['a.yaml']],
    ['?.y*', ['a.yaml', 'b.yml']],
    ['.*.yaml', ['.hidden.yaml']],
    ['**/*.yaml', ['a.yaml', 'd/c.yaml', 'd/e/f.yaml']],
    ['d/**', ['d/c.yaml', 'd/e/f.yaml']],
    ['*/c.yaml', ['d/c.yaml']],
    ['./d/*.yaml', ['d/c.yaml']],
    ['nothing*', []],
  ])('expands %s', async (pattern, files) => {
    expect(await expandPattern(pattern, directory)).toEqual(files);
  });

  it('keeps absolute patterns absolute', async () => {
    expect(await expandPattern(`${directory}/*.yml`, '/')).toEqual([path.join(directory, 'b.yml')]);
  });

  it('takes all other characters as they are', () => {
    expect(nameMatcher('a+(b)[c].*')('a+(b)[c].x')).toBe(true);
    expect(nameMatcher('a.c')('abc')).toBe(false);
  });
});

describe('filesOf', () => {
  it('takes the manifests of a directory, and with -R of those below', async () => {
    for (const file of ['d/b.json', 'd/a.yaml', 'd/notes.txt', 'd/sub/c.yml']) await put(file, '');
    expect(await getFiles(directory, 'd', false)).toEqual(['d/a.yaml', 'd/b.json']);
    expect(await getFiles(directory, 'd', true)).toEqual(['d/a.yaml', 'd/b.json', 'd/sub/c.yml']);
  });

  it('takes a file for itself even when its name looks like a pattern', async () => {
    await put('a*.yaml', '');
    await put('ab.yaml', '');
    expect(await getFiles(directory, 'a*.yaml', false)).toEqual(['a*.yaml']);
  });

  it('refuses missing files and directories without files', async () => {
    await expect(getFiles(directory, 'x.yaml', false)).rejects.toThrow('the file x.yaml does not exist');
    await expect(getFiles(directory, 'x*', false)).rejects.toThrow('no file matches x*');
    await mkdir(path.join(directory, 'empty'));
    await expect(getFiles(directory, 'empty', false)).rejects.toThrow('-R');
  });
});

describe('readDocuments', () => {
  function read(name: string, text: string) {
    const problems: ServiceError[] = [];
    const documents = [...readDocuments({ name, text }, (problem) => problems.push(problem))];
    return { documents, messages: problems.map(({ message }) => message) };
  }

  it('finds the line of a field in any document', () => {
    const { documents } = read(
      'a.yaml',
      '# first\nkind: A\n---\n# second\nkind: B\nspec:\n  tags:\n    - x\n    - y\n',
    );
    expect(documents.map(({ value }) => value)).toEqual([
      { kind: 'A' },
      { kind: 'B', spec: { tags: ['x', 'y'] } },
    ]);
    expect(documents.map((document) => document.place())).toEqual(['a.yaml:2', 'a.yaml:5']);
    expect(documents[1]?.place('spec.tags[1]')).toBe('a.yaml:9');
    expect(documents[1]?.place('spec.missing')).toBe('a.yaml:6');
  });

  it('takes lists apart', () => {
    const { documents } = read('a.yaml', 'kind: List\nitems:\n- kind: A\n- kind: B\n  spec:\n    x: 1\n');
    expect(documents.map(({ value }) => value)).toEqual([{ kind: 'A' }, { kind: 'B', spec: { x: 1 } }]);
    expect(documents[1]?.place('spec.x')).toBe('a.yaml:6');
  });

  it('finds lines in JSON', () => {
    const { documents } = read('a.json', '{\n\t"kind": "A",\n\t"spec": {\n\t\t"x": 1\n\t}\n}');
    expect(documents[0]?.value).toEqual({ kind: 'A', spec: { x: 1 } });
    expect(documents[0]?.place('spec.x')).toBe('a.json:4');
  });

  it.each(['a.ndjson', '<stdin>'])('takes a JSON object in each line for a document: %s', (name) => {
    const text = '{"kind":"A"}\n\n{"kind":"B","spec":{"x":1}}\n{"kind": "C"\n';
    const { documents, messages } = read(name, text);
    expect(documents.map(({ value, place }) => [value, place('spec.x')])).toEqual([
      [{ kind: 'A' }, `${name}:1`],
      [{ kind: 'B', spec: { x: 1 } }, `${name}:3`],
    ]);
    expect(messages).toEqual([expect.stringContaining(`${name}:4`)]);
  });

  it('reads YAML that begins like JSON', () => {
    expect(read('<stdin>', '{kind: A}').documents[0]?.value).toEqual({ kind: 'A' });
  });

  it('reads the other documents when one is malformed, and names its line', () => {
    const { documents, messages } = read('a.yaml', 'kind: A\n---\nkind: [\n---\nkind: C\n');
    expect(documents.map(({ value }) => value)).toEqual([{ kind: 'A' }, { kind: 'C' }]);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^a\.yaml:[34]:\d+: /);
  });

  it('names the place of malformed JSON', () => {
    expect(read('a.json', '{\n "a": ,\n}').messages[0]).toMatch(/^a\.json:2:\d+: malformed JSON/);
  });

  it.each([
    ['a.json', '{"spec":{"x":9007199254740993}}', 'a.json: invalid JSON: spec.x: the integer'],
    ['a.yaml', 'spec:\n  x: 9007199254740993', 'a.yaml:2:3: spec.x: the integer'],
    [
      'a.ndjson',
      '{"kind":"A"}\n{"spec":{"x":9007199254740993}}',
      'a.ndjson: invalid JSON: spec.x: the integer',
    ],
    ['<stdin>', '{"spec":{"x":9007199254740993}}', '<stdin>:1:10: spec.x: the integer'],
  ])('refuses integers that a number would change, in %s', (name, text, message) => {
    expect(read(name, text).messages).toEqual([expect.stringContaining(message)]);
  });

  it('leaves out documents without content', () => {
    expect(read('a.yaml', '---\n# nothing\n---\nkind: A\n---\n').documents).toHaveLength(1);
  });

  it('reads directives', () => {
    expect(read('a.yaml', '%YAML 1.2\n---\nkind: A\n').documents[0]?.value).toEqual({ kind: 'A' });
  });

  it('reads many documents in a time that grows with their number', () => {
    const reading = (count: number) => {
      const all = Array.from({ length: count }, (_, i) => `kind: A\nmetadata:\n  name: n${i}\n`);
      const text = all.join('---\n');
      return () => {
        const { documents } = read('a.yaml', text);
        expect(documents).toHaveLength(count);
        expect(documents.at(-1)?.place('metadata.name')).toBe(`a.yaml:${4 * count - 1}`);
      };
    };
    // 16 times as many; the square of that is 256.
    const mostMs = 160 * leastCpuMs(reading(500));
    expect(leastCpuMs(reading(8_000), { enough: mostMs })).toBeLessThan(mostMs);
  });
});

describe('a named pipe that nobody writes to', () => {
  let pipe: string;
  let clock: FakeClock;
  beforeEach(() => {
    pipe = path.join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    clock = new FakeClock();
  });

  async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
    const parts: Uint8Array[] = [];
    for await (const part of bytes) parts.push(part);
    return Buffer.concat(parts).toString();
  }

  it('is waited for one second', async () => {
    const reading = textOf(readBytes(pipe, 'pipe', clock)).catch(getMessage);
    for (let ms = 0; ms < 1_000; ms += 50) {
      await expect.poll(() => clock.pending).toBe(1);
      clock.advance(50);
    }
    expect(await reading).toBe('cannot read pipe: it is a pipe without a writer');
  });

  it('is read when somebody writes to it meanwhile', async () => {
    const reading = textOf(readBytes(pipe, 'pipe', clock));
    await expect.poll(() => clock.pending).toBe(1);
    // The reader has the pipe open, so that this does not wait for one.
    await writeFile(pipe, 'a: 1\n');
    clock.advance(50);
    expect(await reading).toBe('a: 1\n');
  });
});

const OPTIONS = { resources: [RESOURCE], scope: { namespace: 'default', isGiven: false } };

describe('readManifests', () => {
  const manifest = (name: string): string =>
    `apiVersion: example.com/v1\nkind: Person\nmetadata:\n  name: ${name}\n`;

  async function read(...filename: string[]) {
    const { manifests, problems } = await readManifests(testIo({ cwd: directory }), { filename }, OPTIONS);
    return {
      names: manifests.map(({ name }) => name),
      problems: problems.map(({ code, message }) => [code, message]),
    };
  }

  it('keeps the order of files and documents, and reads a file once', async () => {
    await put('b.yaml', `${manifest('z')}---\n${manifest('a')}`);
    await put('a.yaml', manifest('m'));
    expect(await read('b.yaml', '.', 'a.yaml')).toEqual({ names: ['z', 'a', 'm'], problems: [] });
  });

  it('collects every problem with its place', async () => {
    await put(
      'a.yaml',
      `${manifest('ann')}---\n- 1\n---\nkind: Person\n---\n${manifest('x').replace('v1', 'v2')}`,
    );
    await put('b.yaml', `\n${manifest('ann')}---\n${manifest('""')}`);
    const { problems } = await read('a.yaml', 'b.yaml');
    expect(problems).toEqual([
      ['BadRequest', 'a.yaml:6: a manifest must be an object'],
      ['BadRequest', 'a.yaml:8: apiVersion is missing'],
      [
        'NotFound',
        'a.yaml:11: there is no model Person of example.com/v2, did you mean "example.com/v1 Person"?',
      ],
      ['BadRequest', 'b.yaml:2: persons/ann is also at a.yaml:1'],
      ['BadRequest', 'b.yaml:10: metadata.name must be a string'],
    ]);
  });

  it('reads standard input', async () => {
    const stdin = (async function* () {
      yield Buffer.from(manifest('ann'));
    })();
    const io = testIo({ cwd: directory, stdin });
    const { manifests } = await readManifests(io, { filename: ['-'] }, OPTIONS);
    expect(manifests[0]?.place('metadata.name')).toBe('<stdin>:4');
  });

  it('reads a named pipe that somebody writes to', async () => {
    const pipe = path.join(directory, 'pipe.yaml');
    execFileSync('mkfifo', [pipe]);
    const rest = Array.from({ length: 2_000 }, (_, i) => manifest(`p${i}`)).join('---\n');
    const writing = writeFile(pipe, `${manifest('first')}---\n${rest}`);
    const { names, problems } = await read('pipe.yaml');
    await writing;
    expect([names[0], names.length, problems]).toEqual(['first', 2_001, []]);
  });

  it('says so when nobody writes to a named pipe', async () => {
    execFileSync('mkfifo', [path.join(directory, 'pipe.yaml')]);
    await expect(read('pipe.yaml')).rejects.toThrow(/pipe\.yaml: it is a pipe without a writer/);
  });

  it('refuses devices and texts that are too large, with a hint', async () => {
    await expect(read('/dev/zero')).rejects.toThrow(/\/dev\/zero: it is a device; give a file, or -/);
    await put('large.yaml', '');
    await truncate(path.join(directory, 'large.yaml'), 2 ** 30);
    await expect(read('large.yaml')).rejects.toThrow(/large\.yaml is larger than 256MiB; xsvc import reads/);
  });
});
