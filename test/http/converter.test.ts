import { modelColumns } from '../../src/model/declare/columns.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { YamlConversion } from '../../src/http/answer/conversion.js';
import type * as Converters from '../../src/http/answer/converter.js';
import { ItemBuffer } from '../../src/http/answer/list/list-writer.js';
import { formatYaml, parseYaml } from '../../src/lib/json/yaml.js';
import { Random, seedOfRun } from '../helpers/seed.js';

// As it was built: the thread runs only that.
const { ConvertedMemory, Converter } = (await import(
  new URL('../../dist/http/answer/converter.js', import.meta.url).href
)) as typeof Converters;

interface Thing {
  readonly metadata: { readonly name: string; readonly creationTimestamp: string };
  readonly spec: { readonly text: string; readonly size: number };
}

const TABLE = {
  form: {
    version: 'v1',
    include: 'None',
    dateCells: 'Age',
    columns: modelColumns({
      columns: [
        { name: 'Size', jsonPath: '.spec.size', type: 'integer' },
        { name: 'Text', jsonPath: '.spec.text', type: 'string' },
      ],
    }),
  },
  nowMs: 90_000,
} as const;

const thing = (text: string, size: number): Thing => ({
  metadata: { name: `n${size}`, creationTimestamp: '1970-01-01T00:00:00.000Z' },
  spec: { text, size },
});

const FORMS = [
  { title: 'rows as JSON', format: 'json', table: TABLE },
  { title: 'objects as YAML', format: 'yaml' },
  { title: 'rows as YAML', format: 'yaml', table: TABLE },
] as const;

type Form = Pick<YamlConversion, 'format' | 'table'>;

function conversion(things: readonly Thing[], { format, table }: Form): YamlConversion {
  const gathered = new ItemBuffer();
  for (const one of things) gathered.push(Buffer.from(JSON.stringify(one)));
  return { items: gathered.take(), format, table };
}

/** Parses the text of a list's objects. */
function read(bytes: Buffer, { format }: Form): unknown {
  const text = bytes.toString();
  return format === 'json' ? JSON.parse(`${text}]`) : parseYaml(text, { maxAliases: 0 });
}

const wanted = (things: readonly Thing[], { table }: Form): unknown =>
  table === undefined
    ? things
    : things.map(({ spec: { size, text }, metadata: { name } }) => ({
        cells: [name, size, text, '90s', '90s'],
      }));

const WAIT_MS = 60_000;

/** Nothing else runs in this thread meanwhile. */
function blockUntil(isSo: () => boolean): void {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  const until = Date.now() + WAIT_MS;
  while (!isSo()) {
    if (Date.now() > until) throw new Error('it is not so after a minute');
    Atomics.wait(nobody, 0, 0, 1);
  }
}

function outcome(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}

describe('objects that are converted in another thread', () => {
  let converter: Converters.Converter;

  beforeEach(() => {
    converter = new Converter();
  });

  afterEach(() => converter.close());

  const seed = seedOfRun();
  it.each(FORMS)(`say the same, in memory that is used again: $title (SEED=${seed})`, async (form) => {
    const random = new Random(seed);
    const memory = new ConvertedMemory();
    const texts = ['', 'ä𝄞\u2028', 'a: - "b"\n#c', 'null', 'x'.repeat(70_000), 'é'.repeat(20_000)];
    for (let round = 0; round < 40; round++) {
      const things = random.many(1, 200, () =>
        thing(random.pick(texts.slice(0, random.chance(0.1) ? 6 : 4)), random.below(1e6)),
      );
      const bytes = await converter.convert(conversion(things, form), memory);
      expect(read(bytes, form), `round ${round}`).toEqual(wanted(things, form));
    }
    // Only the thread writes there.
    expect(memory.shared.byteLength).toBeGreaterThan(0);
  });

  it('each get their own result, many at once', async () => {
    const [, form] = FORMS;
    const asked = Array.from({ length: 50 }, (_, i) => [
      thing('x'.repeat(5_000), i),
      thing('y'.repeat(i), i),
    ]);
    const answers = await Promise.all(
      asked.map(async (things) => converter.convert(conversion(things, form), new ConvertedMemory())),
    );
    expect(answers.map((bytes) => read(bytes, form))).toEqual(asked);
  });

  it('need nothing of the thread that asked', async () => {
    const things = Array.from({ length: 5_000 }, (_, i) => thing('z'.repeat(100), i));
    const given = conversion(things, FORMS[1]);
    const memory = new ConvertedMemory();
    const { length } = await converter.convert(given, memory);
    const written = new Uint8Array(memory.shared, 0, length);
    written.fill(0);
    const converting = converter.convert(given, memory);
    blockUntil(() => written.at(-1) !== 0);
    expect(read(await converting, FORMS[1])).toEqual(things);
  });

  it('are read from YAML there, with the same value or the same error as here', async () => {
    const long = `note: ${'x'.repeat(20_000)}\n`;
    const texts = [
      `${long}a: [1, 2.5, true, null, {b: "\\u2028 \\x01 é 𝄞"}]\n"__prot\u006f": 1\n`,
      `${long}a: 1\n---\nb: 2\n`,
      `${long}a: [1, 2\nb: 3\n`,
      `${long}a: 1\n  b: 2\na: 3\n`,
      `${long}a: *nobody\n`,
      `${long}a: 12345678901234567890\n`,
      `${long}${'['.repeat(150)}${']'.repeat(150)}`,
      `${long}a: "\\ud800"\n`,
      long.repeat(2),
    ];
    for (const text of texts) {
      const bytes = Buffer.from(text);
      const there = await converter.parseYaml(bytes).catch((error: unknown) => error);
      expect(there).toEqual(outcome(() => parseYaml(bytes, { maxAliases: 0 })));
    }
    const value = { a: Array.from({ length: 5_000 }, (_, i) => `text ${i}`), b: { c: null, d: 'ä\n' } };
    expect(await converter.parseYaml(Buffer.from(formatYaml(value)))).toEqual(value);
  });

  it('are written as YAML documents there, also with a text that no expression can be tried on', async () => {
    const value = { a: Array.from({ length: 5_000 }, (_, i) => ({ n: i, t: `text ${i}` })) };
    const json = Buffer.from(JSON.stringify(value));
    expect((await converter.yaml(json)).toString()).toBe(formatYaml(value));
    const long = { a: 'x'.repeat(6 * 1024 * 1024), b: [1, { c: 'é\u0085\u2028' }] };
    const text = (await converter.yaml(Buffer.from(JSON.stringify(long)))).toString();
    expect(JSON.stringify(parseYaml(text, { maxAliases: 0 })) === JSON.stringify(long)).toBe(true);
  });

  it('are not read or written in the thread that asked, as bodies and documents too', async () => {
    const value = { a: Array.from({ length: 30_000 }, (_, i) => `text ${i}`) };
    const [json, yaml] = [Buffer.from(JSON.stringify(value)), Buffer.from(formatYaml(value))];
    const looks = vi.spyOn(String.prototype, 'charCodeAt');
    try {
      await converter.yaml(json);
      await converter.parseYaml(yaml);
      expect(looks.mock.calls.length).toBe(0);
      // Else it would prove nothing.
      parseYaml(yaml, { maxAliases: 0 });
      expect(looks.mock.calls.length).toBeGreaterThan(yaml.length / 2);
      looks.mockClear();
      formatYaml(value);
      expect(looks.mock.calls.length).toBeGreaterThan(value.a.length);
    } finally {
      looks.mockRestore();
    }
  });

  it('are converted by another thread when one has failed, and here when there is none any more', async () => {
    const [, form] = FORMS;
    const things = [thing('x'.repeat(9_000), 1)];
    const torn = conversion(things, form);
    const memory = new ConvertedMemory();
    await expect(
      (async () => converter.convert({ ...torn, items: { ...torn.items, ends: [5_000] } }, memory))(),
    ).rejects.toThrow(SyntaxError);
    expect(read(await converter.convert(conversion(things, form), memory), form)).toEqual(things);
    // Only the thread writes there.
    expect(memory.shared.byteLength).toBeGreaterThan(0);
    await converter.close();
    await converter.close();
    const unused = new ConvertedMemory();
    expect(read(await converter.convert(conversion(things, form), unused), form)).toEqual(things);
    expect(unused.shared.byteLength).toBe(0);
    const large = thing('x'.repeat(20_000), 2);
    expect((await converter.yaml(Buffer.from(JSON.stringify(large)))).toString()).toBe(formatYaml(large));
    const body = Buffer.from(`a: ${'x'.repeat(20_000)}`);
    expect(await converter.parseYaml(body)).toEqual(parseYaml(body, { maxAliases: 0 }));
  });
});
