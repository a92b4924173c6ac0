import { describe, expect, it, vi } from 'vitest';

interface Column {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly isUsual: boolean;
  readonly sort?: string;
}

interface Choice {
  readonly shown: readonly string[] | undefined;
  readonly pinned: readonly string[];
  readonly widths: Readonly<Record<string, number>>;
}

interface ColumnsModule {
  readonly getColumns: (
    model: object,
    defined: readonly object[],
    chosen: readonly string[],
  ) => readonly Column[];
  readonly needsObjects: (model: object, shown: readonly string[]) => boolean;
  readonly getCell: (column: { id: string; at: number | undefined }, row: object) => unknown;
  readonly getNameSort: (model: object) => string;
}

interface ChoiceModule {
  readonly NO_CHOICE: Choice;
  readonly parseChoice: (text: string | undefined) => Choice;
  readonly getShown: (columns: readonly Column[], choice: Choice) => readonly Column[];
  readonly withMove: (choice: Choice, shown: readonly string[], id: string, step: number) => Choice;
}

interface DecimalsModule {
  readonly getDecimals: (values: readonly unknown[]) => number;
  readonly formatDecimal: (value: number, decimals: number | undefined) => string;
}

const FOLDER = '../../src/console/pages/list/columns';
const { getColumns, needsObjects, getCell, getNameSort } = await vi.importActual<ColumnsModule>(
  `${FOLDER}/columns.ts`,
);
const { NO_CHOICE, parseChoice, getShown, withMove } = await vi.importActual<ChoiceModule>(
  `${FOLDER}/choice.ts`,
);

const { getDecimals, formatDecimal } = await vi.importActual<DecimalsModule>(
  '../../src/console/pages/list/table/decimals.ts',
);

const index = (name: string) => ({ name, keyType: 'string', multi: false, unique: false, sparse: false });
const column = (name: string, path: string, type = 'string') => ({ name, jsonPath: path, type });
const defined = (name: string, type = 'string', priority = 0) => ({ name, type, priority, description: '' });

/** Its column of titles has the name of the first column. */
const model = {
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          state: { type: 'string', enum: ['a', 'b'] },
          owner: { type: 'string', 'x-xsvc-reference': { group: '', kind: 'User' } },
          lines: { type: 'array', items: { type: 'object', properties: { count: { type: 'integer' } } } },
        },
      },
    },
  },
  columns: [column('Name', '.spec.name'), column('state', '.spec.state'), column('Owners', '.spec.owner')],
  indexes: [index('metadata.name'), index('spec.name'), index('spec.state')],
};
const answer = [
  defined('Name'),
  defined('Name'),
  defined('state'),
  defined('Owners'),
  defined('Age', 'date'),
  defined('Updated', 'date', 1),
];

describe('the columns of a list', () => {
  it('are of fields, so that two of one name differ', () => {
    const columns = getColumns(model, answer, []);
    expect(columns.map(({ id }) => id)).toEqual([
      'metadata.name',
      'spec.name',
      'spec.state',
      'spec.owner',
      'metadata.creationTimestamp',
      'metadata.updateTimestamp',
    ]);
    expect(columns.map(({ title }) => title)).toEqual(['Name', 'Name', 'State', 'Owners', 'Age', 'Updated']);
    expect(columns.map(({ kind }) => kind).slice(1, 5)).toEqual(['text', 'enum', 'reference', 'date']);
    expect(getNameSort(model)).toBe('spec.name');
  });

  it('are usual, except the one of titles, which the first one has, and unimportant ones', () => {
    const shown = getShown(getColumns(model, answer, []), NO_CHOICE);
    expect(shown.map(({ id }) => id)).toEqual([
      'metadata.name',
      'spec.state',
      'spec.owner',
      'metadata.creationTimestamp',
    ]);
  });

  it('are those that the user chose, in that order, the pinned ones first', () => {
    const choice = {
      shown: ['spec.lines.count', 'spec.state', 'metadata.labels["a"]'],
      pinned: ['spec.state'],
      widths: {},
    };
    const shown = getShown(getColumns(model, answer, choice.shown), choice);
    expect(shown.map(({ id }) => id)).toEqual([
      'metadata.name',
      'spec.state',
      'spec.lines.count',
      'metadata.labels["a"]',
    ]);
    expect(shown.map(({ title }) => title).slice(2)).toEqual(['Count', 'a']);
  });

  it('need whole objects only for fields that the service has no column of', () => {
    expect(needsObjects(model, ['spec.state', 'metadata.labels["a"]'])).toBe(false);
    expect(needsObjects(model, ['spec.lines.count'])).toBe(true);
    expect(needsObjects({ ...model, columns: [] }, [])).toBe(true);
  });

  it('have the values of all items of an array', () => {
    const object = {
      metadata: { name: 'x', labels: { constructor: 'y' } },
      spec: { lines: [{ count: 1 }, {}, { count: 3 }] },
    };
    const row = { cells: ['x', 'n'], object };
    expect(getCell({ id: 'spec.lines.count', at: undefined }, row)).toEqual([1, 3]);
    expect(getCell({ id: 'spec.name', at: 1 }, row)).toBe('n');
    expect(getCell({ id: 'metadata.labels["constructor"]', at: undefined }, row)).toBe('y');
    expect(getCell({ id: 'spec.toString', at: undefined }, row)).toBeUndefined();
  });
});

describe('the kept choice of columns', () => {
  it('is none when the text is damaged', () => {
    for (const text of [undefined, '', '{', 'null', '[]', '3']) expect(parseChoice(text)).toEqual(NO_CHOICE);
    expect(parseChoice('{"shown":[1,"a"],"pinned":"b","widths":{"a":1e9,"b":"x","c":null}}')).toEqual({
      shown: ['a'],
      pinned: [],
      widths: { a: 900 },
    });
  });

  it('moves a column over its neighbour, and not over the end', () => {
    const ids = ['metadata.name', 'a', 'b'];
    expect(withMove(NO_CHOICE, ids, 'b', -1).shown).toEqual(['b', 'a']);
    expect(withMove(NO_CHOICE, ids, 'b', 1)).toBe(NO_CHOICE);
    expect(withMove(NO_CHOICE, ids, 'a', -1)).toBe(NO_CHOICE);
  });
});

describe('the numbers of a column', () => {
  it('have as many decimals as the longest of them, except those with very many', () => {
    expect(getDecimals([1, 2.5, -0.25, null, '1.234', 0.1 + 0.2])).toBe(2);
    expect([1, 2.5, -0.25, 0.1 + 0.2, 1e21].map((one) => formatDecimal(one, 2))).toEqual([
      '1.00',
      '2.50',
      '-0.25',
      '0.30000000000000004',
      '1e+21',
    ]);
  });

  it('stay as they are in other columns', () => {
    expect(formatDecimal(2.5, undefined)).toBe('2.5');
    expect(getDecimals([])).toBe(0);
  });
});
