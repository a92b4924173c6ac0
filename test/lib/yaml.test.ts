import { describe, expect, it } from 'vitest';
import { formatYaml, parseYaml, parseYamlAll } from '../../src/lib/json/yaml.js';
import { MARKERS_MAX } from '../../src/lib/json/yaml-documents.js';

const FILE = { maxAliases: 1000, filename: 'x.yaml' };
const BODY = { maxAliases: 0 };

describe('YAML', () => {
  it('is read as YAML 1.2: words and times stay text', () => {
    const text =
      'a: yes\nb: 2026-11-20T08:00:00Z\nc: 0755\nd: 0x1f\ne: 1.5\nf: ~\ng: "1"\nh: [true, {x: y}]\n';
    expect(parseYaml(text, BODY)).toEqual({
      a: 'yes',
      b: '2026-11-20T08:00:00Z',
      c: 755,
      d: 31,
      e: 1.5,
      f: null,
      g: '1',
      h: [true, { x: 'y' }],
    });
    expect(parseYaml(Buffer.from('\ufeff{"a": 1}'), BODY)).toEqual({ a: 1 });
  });

  it('gives all documents but the empty ones', () => {
    const documents = parseYamlAll('---\n---\na: 1\n---\n# nothing\n---\nb: 2\n...\n', FILE);
    expect(documents.map((document) => document.value)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(documents.map((document) => document.line)).toEqual([3, 7]);
    expect(parseYamlAll('', FILE)).toEqual([]);
    expect(parseYamlAll('# only a comment\n', FILE)).toEqual([]);
  });

  it('is one document where one is asked for', () => {
    expect(() => parseYaml('', BODY)).toThrow('YAML: there is no document');
    expect(() => parseYaml('a: 1\n---\nb: 1', BODY)).toThrow(
      'YAML:2: expected one document, but a second one starts here',
    );
    expect(() => parseYaml('a: 1\n...\nb: 1', BODY)).toThrow('YAML:2: expected one document');
    expect(() => parseYaml('--- a\r--- b', BODY)).toThrow('expected one document');
    expect(() => parseYaml('--- [\n--- b', BODY)).toThrow('YAML:2:1: ');
    const blank = '%YAML 1.2\n# first\n---\n---\na: 1 # one\n---\n# last\n--- # nothing\n...\n';
    expect(parseYaml(blank, BODY)).toEqual({ a: 1 });
  });

  it('is not read beyond the first document where one is asked for', () => {
    expect(() => parseYaml('a: 1\n---\n]: malformed', BODY)).toThrow('YAML:2: expected one document');
    expect(() => parseYaml('---\n'.repeat(MARKERS_MAX + 1), BODY)).toThrow('more than 1000 document markers');
    expect(() => parseYaml('---\n'.repeat(MARKERS_MAX), BODY)).toThrow('there is no document');
  });

  it.each([
    ['a: |\n  ---\n  b\n', { a: '---\nb\n' }],
    ['a: "x\u2028---\u2028y"', { a: 'x\u2028---\u2028y' }],
    ['a: ---\n---b: 1\n', { a: '---', '---b': 1 }],
    ['- ---\n- ...', ['---', '...']],
  ])('takes what only looks like the end of a document for text: %j', (text, value) => {
    expect(parseYaml(text, BODY)).toEqual(value);
  });

  it('is read in a moment when a number of 1 MiB turns out to be none', () => {
    const before = process.cpuUsage();
    const text = `${'1'.repeat(1024 * 1024)}x`;
    expect(parseYaml(text, BODY) === text).toBe(true);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
  });

  it('is refused with a short reason, however long the error', () => {
    expect(() => parseYaml(`!${'^'.repeat(5000)} a`, BODY)).toThrow(/^.{50,300}$/);
  });

  it('knows the line of every path', () => {
    const text = [
      '# people',
      'kind: A',
      '---',
      'kind: B',
      'spec:',
      '  tags:',
      '    - x',
      '    - name: y',
      '      size: 3',
      '  flow: {a: 1,',
      '    b: [1,',
      '     2]}',
      '  note: |',
      '    text',
      '  empty:',
      '  "q.r": 1',
    ].join('\r\n');
    const document = parseYamlAll(text, FILE)[1];
    const line = (path: string): number | undefined => document?.findLine(path);
    expect(line('')).toBe(4);
    expect(line('kind')).toBe(4);
    expect(line('spec')).toBe(5);
    expect(line('spec.tags')).toBe(6);
    expect(line('spec.tags[0]')).toBe(7);
    expect(line('spec.tags[1]')).toBe(8);
    expect(line('spec.tags[1].size')).toBe(9);
    expect(line('spec.flow.b')).toBe(11);
    expect(line('spec.flow.b[1]')).toBe(12);
    expect(line('spec.note')).toBe(13);
    expect(line('spec.empty')).toBe(15);
    expect(line('spec.q.r')).toBe(16);
  });

  it('gives the line of the nearest stated parent, or none', () => {
    const [document] = parseYamlAll('spec:\n  tags: [a]\n', FILE);
    expect(document?.findLine('spec.tags[3].name')).toBe(2);
    expect(document?.findLine('spec.age')).toBe(1);
    expect(document?.findLine('metadata.name')).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ['a malformed text', 'a: [1', 'x.yaml:'],
    ['duplicate keys', 'a: 1\nb:\n  c: 1\n  c: 2\n', 'x.yaml:4:3: duplicated mapping key'],
    ['an unknown tag', 'a: !!js/function x', 'x.yaml:1:4: unknown scalar tag'],
    ['a complex key', '? {a: 1}\n: 2', 'complex keys'],
    ['an unknown alias', 'a: *b', 'x.yaml:1:'],
    ['a number out of range', 'a:\n  b: 1e400', 'x.yaml:2:3: a.b: is a number out of range'],
    ['NaN', 'a: .nan', 'x.yaml:1:1: a: is a number out of range'],
    ['an inexact integer', 'a: 1\nb: 9223372036854775807', 'x.yaml:2:1: b: the integer 9223372036854775807'],
    ['a negative inexact integer', 'b: -9007199254740993', 'write it in quotes if'],
    ['an enormous integer', `b: ${'9'.repeat(100_000)}`, 'out of range'],
    ['__proto__', 'a:\n  __proto__: {x: 1}', 'a.__proto__: the key "__proto__" is not allowed'],
    ['a lone surrogate', 'a: "\\uD800"', 'a: has a lone surrogate'],
    ['a cycle', 'a: &x [*x]', 'nested deeper than 100'],
    ['a null byte', 'a: "\0"', 'null byte'],
  ])('refuses %s', (_, text, message) => {
    expect(() => parseYamlAll(text, FILE)).toThrow(
      expect.objectContaining({
        code: 'BadRequest',
        message: expect.stringContaining(message) as string,
      }) as Error,
    );
  });

  it('keeps integers that a double holds, and quoted ones as text', () => {
    const text = 'a: 9007199254740993000001\nb: "9007199254740993"\nc: 9007199254740992\nd: +12\n';
    expect(() => parseYaml(text, BODY)).toThrow(/write it in quotes/);
    expect(parseYaml(text.slice(text.indexOf('b')), BODY)).toEqual({
      b: '9007199254740993',
      c: 2 ** 53,
      d: 12,
    });
  });

  it('takes aliases in files up to the limit and none in bodies', () => {
    expect(parseYaml('a: &x {b: 1}\nc: *x\n', FILE)).toEqual({ a: { b: 1 }, c: { b: 1 } });
    expect(() => parseYaml('a: &x 1\nc: *x\n', BODY)).toThrow(
      /YAML:2:\d+: aliases \(\*name\) are not allowed here; write the value itself/,
    );
    expect(() => parseYaml('a: &x 1\nb: [*x, *x]\n', { maxAliases: 1 })).toThrow(/more than 1 aliases/);
    expect(parseYaml('a: &x 1\nb: [*x]\n', { maxAliases: 1 })).toEqual({ a: 1, b: [1] });
  });

  it('copies values shared by aliases, so that changing one part leaves the other', () => {
    const value = parseYaml('a: &x {b: 1}\nc: *x\n', FILE) as { a: object; c: object };
    expect(value.a).not.toBe(value.c);
  });

  it('follows merge keys', () => {
    expect(parseYaml('base: &b {x: 1, y: 2}\nsub:\n  <<: *b\n  y: 3\n', FILE)).toMatchObject({
      sub: { x: 1, y: 3 },
    });
  });

  it('refuses alias bombs before they go off', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 20; i += 1)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    expect(() => parseYaml(lines.join('\n'), FILE)).toThrow(/too large/);
    const long = `a: &a ${'x'.repeat(100_000)}\nb: [${Array(900).fill('*a').join(',')}]`;
    expect(() => parseYaml(long, FILE)).toThrow(/too large/);
  });

  it('refuses deep nesting, in flow and in block style, at the same limit as JSON', () => {
    const flow = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseYaml(flow(100), BODY)).toBeInstanceOf(Array);
    for (const depth of [101, 102, 103, 10_000]) {
      expect(() => parseYaml(flow(depth), BODY)).toThrow(/deeper than 100|maxDepth/);
    }
    const block = Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i)}a:\n`).join('');
    expect(() => parseYaml(block, BODY)).toThrow(/deeper than 100|maxDepth/);
  });

  it('is written so that it reads back the same', () => {
    const value = {
      a: 'yes',
      b: '1',
      '<<': 'x',
      c: ['', ' x', 'multi\nline', '2026-11-20', '0x1f', 'null', '~'],
      d: { e: null, f: 1.5, g: true },
      h: `${'long text '.repeat(40)}end`,
      i: [],
      j: {},
    };
    expect(parseYaml(formatYaml(value), BODY)).toEqual(value);
    const shared = { x: 1 };
    expect(formatYaml({ a: shared, b: shared })).toBe('a:\n  x: 1\nb:\n  x: 1\n');
  });
});
