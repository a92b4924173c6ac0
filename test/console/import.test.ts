import { describe, expect, it, vi } from 'vitest';

interface CsvModule {
  readonly findSeparator: (text: string) => string;
  readonly parseCsv: (
    text: string,
    separator: string,
  ) => readonly { readonly line: number; readonly cells: readonly string[] }[];
}

interface MappingModule {
  readonly getImportFields: (model: object) => readonly { readonly path: string; readonly title: string }[];
  readonly guessMapping: (
    head: readonly string[],
    fields: readonly object[],
  ) => readonly (string | undefined)[];
  readonly getObject: (
    model: object,
    paths: readonly (string | undefined)[],
    cells: readonly string[],
  ) => object;
}

interface ReadModule {
  readonly findFormat: (name: string, text: string) => string;
  readonly readNdjson: (text: string) => ReadObjects;
  readonly readYaml: (text: string) => Promise<ReadObjects>;
}

interface ReadObjects {
  readonly objects: readonly { readonly line: number; readonly object: object }[];
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

const FOLDER = '../../src/console/pages/list/import';
const { findSeparator, parseCsv } = await vi.importActual<CsvModule>(`${FOLDER}/csv-records.ts`);
const { getImportFields, guessMapping, getObject } = await vi.importActual<MappingModule>(
  `${FOLDER}/mapping.ts`,
);
const { findFormat, readNdjson, readYaml } = await vi.importActual<ReadModule>(`${FOLDER}/read-objects.ts`);
const { decode } = await vi.importActual<{ readonly decode: (bytes: Uint8Array) => string }>(
  `${FOLDER}/read-text.ts`,
);

const model = {
  columns: [{ name: 'Years', jsonPath: '.spec.age', type: 'integer' }],
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          age: { type: 'integer' },
          isGold: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
          address: { type: 'object', properties: { city: { type: 'string', title: 'Town' } } },
        },
      },
    },
  },
};

describe('a CSV file', () => {
  it('has quoted cells with separators, quotes and line breaks, and lines of any kind', () => {
    const text = 'a,b\r\n"x, ""y""","1\n2"\n\n,\nlast,"open';
    expect(parseCsv(text, ',')).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['x, "y"', '1\n2'] },
      { line: 6, cells: ['last', 'open'] },
    ]);
    expect(parseCsv('', ',')).toEqual([]);
  });

  it('has the separator of its first line', () => {
    expect([findSeparator('"a,b";c;d\n1,2,3,4'), findSeparator('a\tb'), findSeparator('a')]).toEqual([
      ';',
      '\t',
      ',',
    ]);
  });

  it('has columns for the fields that have their names', () => {
    const head = ['Name', 'YEARS', 'is gold', 'town', 'spec.tags', 'Full name', ''];
    expect(guessMapping(head, getImportFields(model))).toEqual([
      'metadata.name',
      'spec.age',
      'spec.isGold',
      'spec.address.city',
      'spec.tags',
      undefined,
      undefined,
    ]);
  });

  it('has values of the types of their fields; others stay text', () => {
    const paths = ['metadata.name', 'spec.age', 'spec.isGold', 'spec.tags', 'spec.name', undefined];
    expect(getObject(model, paths, ['a', '3', 'yes', 'x, y', "'=1+1", 'z'])).toEqual({
      metadata: { name: 'a' },
      spec: { age: 3, isGold: true, tags: ['x', 'y'], name: '=1+1' },
    });
    expect(getObject(model, paths, ['a', 'old', '', '["x,y"]'])).toEqual({
      metadata: { name: 'a' },
      spec: { age: 'old', tags: ['x,y'] },
    });
  });
});

describe('a file of objects', () => {
  it('is known by its name, or by its beginning', () => {
    expect(findFormat('a.csv', '{}')).toBe('csv');
    expect(findFormat('', '{"kind":"A"}\n{"kind":"A"}')).toBe('ndjson');
    expect(findFormat('', 'apiVersion: v1\nkind: A')).toBe('yaml');
    expect(findFormat('', '{\n  "kind": "A"\n}')).toBe('yaml');
    expect(findFormat('', 'name,age\na,3')).toBe('csv');
  });

  it('says what is wrong by line, and keeps the rest', async () => {
    const { objects, problems } = readNdjson('{"a":1}\n\n{"b":\n[1]\n{"c":3}');
    expect(objects.map(({ line }) => line)).toEqual([1, 5]);
    expect(problems.map(({ line }) => line)).toEqual([3, 4]);
    const yaml = await readYaml('kind: A\n---\nkind: [\n---\nitems:\n- kind: B\n- kind: C\n- 3\n');
    expect(yaml.objects.map(({ object }) => object)).toEqual([{ kind: 'A' }, { kind: 'B' }, { kind: 'C' }]);
    expect(yaml.problems).toHaveLength(2);
  });

  it('is text in UTF-8, or in UTF-16 with a mark; anything else is refused', () => {
    const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);
    expect(decode(bytes(0xef, 0xbb, 0xbf, 0x61))).toBe('a');
    expect(decode(bytes(0xff, 0xfe, 0x61, 0x00))).toBe('a');
    expect(() => decode(bytes(0x61, 0xe4, 0x62))).toThrow('UTF-8');
    expect(() => decode(bytes(0x61, 0x00))).toThrow('UTF-8');
  });
});
