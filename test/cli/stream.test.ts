import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LINE_BYTES_MAX } from '../../src/cli/input/lines.js';
import { streamDocuments, type StreamOptions } from '../../src/cli/input/stream.js';
import type { Resource } from '../../src/model/resource.js';
import { testIo } from './helpers.js';

let directory = '';
beforeEach(async () => (directory = await mkdtemp(path.join(tmpdir(), 'xsvc-stream-'))));
afterEach(() => rm(directory, { recursive: true, force: true }));

interface Read {
  readonly values: unknown[];
  readonly places: string[];
  readonly problems: string[];
}

async function read(
  text: string | AsyncIterable<Uint8Array>,
  { name = '-', format, csv }: { name?: string } & Pick<StreamOptions, 'format' | 'csv'> = {},
): Promise<Read> {
  const stdin = typeof text === 'string' ? inPieces(Buffer.from(text)) : text;
  const problems: string[] = [];
  const found: Read = { values: [], places: [], problems };
  const options = {
    format,
    csv,
    onProblem: (problem: Error) => {
      problems.push(problem.message);
      return Promise.resolve();
    },
  };
  for await (const { value, place } of streamDocuments(testIo({ cwd: directory, stdin }), [name], options)) {
    found.values.push(value);
    found.places.push(place());
  }
  return found;
}

/** Cut where it hurts: within lines, marks and characters. */
async function* inPieces(bytes: Buffer, size = 3): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* repeated(part: Buffer, times: number, ...rest: string[]): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < times; i += 1) yield part;
  for (const text of rest) yield Buffer.from(text);
}

describe('YAML documents', () => {
  it('are cut at their marks, wherever the pieces end', async () => {
    const { values, places, problems } = await read('# head\n---\na: ä\n---\n\nb: 2\n--- \nc: 3');
    expect({ values, problems }).toEqual({ values: [{ a: 'ä' }, { b: 2 }, { c: 3 }], problems: [] });
    expect(places).toEqual(['<stdin>:3', '<stdin>:6', '<stdin>:8']);
  });

  it('are not cut at text that only looks like a mark', async () => {
    const { values } = await read('a: |\n  x\n  ---\n  y\nb: "---"\n---- : c\n');
    expect(values).toEqual([{ a: 'x\n---\ny\n', b: '---', '----': 'c' }]);
  });

  it('may end with dots, begin with directives, be empty, and have the line ends of Windows', async () => {
    const { values, problems } = await read(
      '%YAML 1.2\n---\na: 1\n...\n%YAML 1.2\n---\nb: 2\r\n---\r\n---\r\nc: 3\r\n',
    );
    expect({ values, problems }).toEqual({ values: [{ a: 1 }, { b: 2 }, { c: 3 }], problems: [] });
  });

  it('give the items of lists one by one', async () => {
    const { values, places } = await read('---\nx: 1\n---\nkind: List\nitems:\n- a: 1\n- a: 2\n');
    expect(values).toEqual([{ x: 1 }, { a: 1 }, { a: 2 }]);
    expect(places).toEqual(['<stdin>:2', '<stdin>:6', '<stdin>:7']);
  });

  it('are reported with their line when they are malformed, and the others are read', async () => {
    const { values, problems } = await read('a: 1\n---\nb: [\n---\nc: 3\n---\nd: 1\nd: 2\n');
    expect(values).toEqual([{ a: 1 }, { c: 3 }]);
    expect(problems).toEqual([
      expect.stringMatching(/^<stdin>:[34]:/),
      expect.stringMatching(/^<stdin>:8:.*dupl/i),
    ]);
  });

  it('are reported when they are not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('a: 1\n---\nb: 2\nc: '),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('\n---\nd: 4\n'),
    ]);
    const { values, problems } = await read(inPieces(bytes));
    expect(values).toEqual([{ a: 1 }, { d: 4 }]);
    expect(problems).toEqual(['<stdin>:4: not valid UTF-8']);
  });
});

describe('lines of JSON', () => {
  it('are one object each, with their line', async () => {
    const { values, places, problems } = await read('{"a":1}\r\n\n {"b":"ä"} \n[1]');
    expect({ values, problems }).toEqual({ values: [{ a: 1 }, { b: 'ä' }, [1]], problems: [] });
    expect(places).toEqual(['<stdin>:1', '<stdin>:3', '<stdin>:4']);
  });

  it('are reported with line and column when they are malformed, and the others are read', async () => {
    const { values, problems } = await read('{"a":1}\n{"b":}\n{"c":1,"c":2}\n{"d":4}\n{"e"');
    expect(values).toEqual([{ a: 1 }, { d: 4 }]);
    expect(problems).toEqual([
      expect.stringMatching(/^<stdin>:2:6: malformed JSON/),
      expect.stringMatching(/^<stdin>:3: .*twice/),
      expect.stringMatching(/^<stdin>:5:5: malformed JSON/),
    ]);
  });

  it('are reported when they are too long, without being kept in memory', async () => {
    const part = Buffer.alloc(1024 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    const endless = repeated(part, LINE_BYTES_MAX / part.length + 40, '\n{"a":1}\n');
    const { values, problems } = await read(endless, { format: 'ndjson' });
    expect(values).toEqual([{ a: 1 }]);
    expect(problems).toEqual(['<stdin>:1: the line is longer than 64 MiB']);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * LINE_BYTES_MAX);
  });
});

describe('rows of CSV', () => {
  const resource: Resource = {
    group: 'example.com',
    version: 'v1',
    storageVersion: 'v1',
    kind: 'Person',
    plural: 'persons',
    singular: 'person',
    shortNames: [],
    categories: [],
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { size: { type: 'integer' }, rest: { type: 'object' } } },
      },
    },
    indexes: [],
    columns: [],
  };
  const readRows = (bytes: Buffer, pieceBytes = 3): Promise<Read> =>
    read(inPieces(bytes, pieceBytes), {
      format: 'csv',
      csv: { resource, columns: undefined, delimiter: ',' },
    });

  it.each([1, 3, 1_000])(
    'are read up to the first that is not UTF-8, in pieces of %i bytes',
    async (size) => {
      const text = 'name,spec.title\nann,\u00e4\u{1F600}\nbob,M\u00fcller\ncy,x\n';
      const bytes = Buffer.concat([Buffer.from(text), Buffer.from('dan,M\u00fcller\neve,y\n', 'latin1')]);
      const { values, places, problems } = await readRows(bytes, size);
      expect(values).toMatchObject([
        { metadata: { name: 'ann' }, spec: { title: '\u00e4\u{1F600}' } },
        { metadata: { name: 'bob' }, spec: { title: 'M\u00fcller' } },
        { metadata: { name: 'cy' } },
      ]);
      expect(places).toEqual(['<stdin>:2', '<stdin>:3', '<stdin>:4']);
      expect(problems).toEqual([expect.stringMatching(/^<stdin>:5: the text is not UTF-8/)]);
    },
  );

  it.each(['latin1', 'utf16le'] as const)('of titles in %s are not read', async (encoding) => {
    const { values, problems } = await readRows(
      Buffer.from('\ufeffname,spec.gr\u00f6\u00dfe\nann,1\n', encoding),
    );
    expect(values).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/^<stdin>:1: the text is not UTF-8/)]);
  });

  it('have integers that a number would change as text, which fields for numbers refuse', async () => {
    const rows =
      'name,spec.size,spec.rest\nann,9007199254740993,"{""a"":9007199254740993}"\nbob,7,"{""a"":7}"\n';
    const { values } = await readRows(Buffer.from(rows));
    expect(values).toMatchObject([
      { spec: { size: '9007199254740993', rest: '{"a":9007199254740993}' } },
      { spec: { size: 7, rest: { a: 7 } } },
    ]);
  });

  it('with a quoted cell that ends at an invalid byte have one problem', async () => {
    const { problems } = await readRows(Buffer.from('name,spec.title\nann,"M\u00fcller\n', 'latin1'));
    expect(problems).toEqual([expect.stringMatching(/^<stdin>:2: the text is not UTF-8/)]);
  });
});

describe('the format', () => {
  it.each([
    ['a.yaml', 'a: 1\n---\na: 2\n'],
    ['a.yml', '{"a":1}\n---\n{"a":2}\n'],
    ['a.ndjson', '{"a":1}\n{"a":2}\n'],
    ['a.jsonl', '{"a":1}\n{"a":2}\n'],
    ['a.json', '{"kind":"List",\n"items":[{"a":1},{"a":2}]}'],
    ['a.txt', '{"a":1}\n{"a":2}\n'],
    ['a', '\n\n{\n"kind":"List","items":[{"a":1},{"a":2}]}'],
    ['b', '# yaml\na: 1\n---\na: 2\n'],
  ])('of %s is found', async (name, text) => {
    await writeFile(path.join(directory, name), text);
    expect(await read('', { name })).toMatchObject({ values: [{ a: 1 }, { a: 2 }], problems: [] });
  });

  it('of nothing is none', async () => {
    expect(await read('')).toEqual({ values: [], places: [], problems: [] });
  });

  it('of a file that is not there is an error of usage', async () => {
    await expect(read('', { name: 'nothing.yaml' })).rejects.toThrow('the file nothing.yaml does not exist');
  });
});
