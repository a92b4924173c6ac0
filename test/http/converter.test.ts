import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Conversion } from '../../src/http/conversion.js';
import type * as Converters from '../../src/http/converter.js';
import { GatheredItems } from '../../src/http/list-text.js';
import { parseYaml } from '../../src/lib/yaml.js';
import { Random, seedOfRun } from '../helpers/seed.js';

// As it was built: the thread runs only that.
const { ConvertedMemory, Converter } = (await import(
  new URL('../../dist/http/converter.js', import.meta.url).href
)) as typeof Converters;

interface Thing {
  readonly metadata: { readonly name: string; readonly creationTimestamp: string };
  readonly spec: { readonly text: string; readonly size: number };
}

const TABLE = {
  form: {
    version: 'v1',
    include: 'None',
    columns: [
      { name: 'Size', jsonPath: '.spec.size', type: 'integer' },
      { name: 'Text', jsonPath: '.spec.text', type: 'string' },
    ],
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

type Form = Pick<Conversion, 'format' | 'table'>;

function conversion(things: readonly Thing[], { format, table }: Form): Conversion {
  const gathered = new GatheredItems();
  for (const one of things) gathered.push(Buffer.from(JSON.stringify(one)));
  return { items: gathered.take(), format, table };
}

/** What the text of a list's objects says. */
function read(bytes: Buffer, { format }: Form): unknown {
  const text = bytes.toString();
  return format === 'json' ? JSON.parse(`${text}]`) : parseYaml(text, { maxAliases: 0 });
}

const wanted = (things: readonly Thing[], { table }: Form): unknown =>
  table === undefined
    ? things
    : things.map(({ spec: { size, text }, metadata: { name } }) => ({
        cells: [name, size, text, '90s'],
      }));

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

  it('are answered each to whoever asked, many at once', async () => {
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

  it('leave the event loop to others', async () => {
    const things = Array.from({ length: 5_000 }, (_, i) => thing('z'.repeat(100), i));
    const given = conversion(things, FORMS[1]);
    const memory = new ConvertedMemory();
    await converter.convert(given, memory);
    const before = performance.eventLoopUtilization();
    await converter.convert(given, memory);
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
  });

  it('are converted here once the thread has ended, or when it cannot read them', async () => {
    const [, form] = FORMS;
    const things = [thing('x'.repeat(9_000), 1)];
    const torn = conversion(things, form);
    const memory = new ConvertedMemory();
    await expect(
      (async () => converter.convert({ ...torn, items: { ...torn.items, ends: [5_000] } }, memory))(),
    ).rejects.toThrow(SyntaxError);
    expect(read(await converter.convert(conversion(things, form), memory), form)).toEqual(things);
    await converter.close();
    await converter.close();
    expect(read(await converter.convert(conversion(things, form), memory), form)).toEqual(things);
    expect(memory.shared.byteLength).toBe(0);
  });
});
