import { describe, expect, it, vi } from 'vitest';

interface FieldFilter {
  readonly field: string;
  readonly operator: string;
  readonly values: readonly string[];
}

interface Requirement {
  readonly of: string;
  readonly text: string;
}

/** Their files need the types of a browser. */
interface FilterModule {
  readonly parseRequirement: (requirement: Requirement) => FieldFilter | undefined;
  readonly getChips: (all: readonly Requirement[]) => readonly { readonly filter?: FieldFilter }[];
}

interface FormatModule {
  readonly formatFilter: (filter: FieldFilter, index: object | undefined) => readonly Requirement[];
}

interface RequirementsModule {
  readonly getRequirements: (parameters: URLSearchParams) => readonly Requirement[];
}

const LIST = '../../src/console/pages/list/filters';
const { parseRequirement, getChips } = await vi.importActual<FilterModule>(`${LIST}/filter.ts`);
const { formatFilter } = await vi.importActual<FormatModule>(`${LIST}/format-filter.ts`);
const { getRequirements } = await vi.importActual<RequirementsModule>(`${LIST}/requirements.ts`);

const label = (key: string): string => `metadata.labels[${JSON.stringify(key)}]`;
const index = (keyType: string, multi = false) => ({ name: 'spec.a', keyType, multi });
const filter = (field: string, operator: string, ...values: string[]): FieldFilter => ({
  field,
  operator,
  values,
});

describe('a condition', () => {
  it.each([
    ['labelSelector', 'a.b/c=d', filter(label('a.b/c'), 'is', 'd')],
    ['labelSelector', '!env', filter(label('env'), 'unset')],
    ['labelSelector', 'env', filter(label('env'), 'set')],
    ['labelSelector', 'env notin (a, b)', filter(label('env'), 'none of', 'a', 'b')],
    ['fieldSelector', 'spec.a >= 3', filter('spec.a', 'at least', '3')],
    ['fieldSelector', 'spec.a=x\\,y\\\\', filter('spec.a', 'is', 'x,y\\')],
    ['fieldSelector', 'spec.a in (x\\,y,z)', filter('spec.a', 'one of', 'x,y', 'z')],
    ['fieldSelector', 'spec.a=', filter('spec.a', 'is', '')],
    ['filter', 'lower(spec.a).contains("x \\"y\\"")', filter('spec.a', 'contains', 'x "y"')],
    ['filter', 'spec.a.exists(x, lower(x).startsWith("b"))', filter('spec.a', 'begins', 'b')],
    ['filter', '!has(spec.a)', filter('spec.a', 'unset')],
    ['filter', 'spec.a == 10', filter('spec.a', 'is', '10')],
    [
      'filter',
      'spec.a < timestamp("2026-01-01T00:00:00Z")',
      filter('spec.a', 'less', '2026-01-01T00:00:00Z'),
    ],
    ['filter', '"x" in spec.a', filter('spec.a', 'is', 'x')],
  ])('of %s %s is understood', (of, text, expected) => {
    expect(parseRequirement({ of, text })).toEqual(expected);
  });

  it.each([
    'a == 1 || b == 2',
    'spec.a + 1 == 2',
    'ref(spec.a).b == "x"',
    '"k" in metadata.labels',
    '(a',
    '',
  ])('of a filter %s is not simple', (text) => {
    expect(parseRequirement({ of: 'filter', text })).toBeUndefined();
  });

  it('is written so that it is understood again', () => {
    for (const values of [['a'], ['a,b=(c)\\d'], [' blank '], ['<img src="x">'], ['"'], ['ü😀']])
      for (const operator of ['is', 'is not', 'contains', 'begins', 'ends']) {
        const given = filter('spec.a', operator, ...values);
        const [requirement, ...more] = formatFilter(given, index('string'));
        expect(more).toEqual([]);
        expect(parseRequirement(requirement ?? { of: '', text: '' })).toEqual(given);
      }
    for (const operator of ['one of', 'none of'])
      expect(getChips(formatFilter(filter('spec.a', operator, 'a,b', 'c'), index('string')))).toMatchObject([
        { filter: filter('spec.a', operator, 'a,b', 'c') },
      ]);
  });

  it('of a range is one chip', () => {
    const given = filter('spec.a', 'between', '1', '5');
    expect(formatFilter(given, index('number')).map(({ text }) => text)).toEqual(['spec.a>=1', 'spec.a<=5']);
    const parameters = new URLSearchParams({ fieldSelector: 'spec.a>=1,spec.a<=5,spec.b<=3' });
    expect(getChips(getRequirements(parameters)).map((chip) => chip.filter)).toEqual([
      given,
      filter('spec.b', 'at most', '3'),
    ]);
  });

  it('of a field with several values is about one of them', () => {
    const written = formatFilter(filter('spec.a', 'contains', 'x'), index('string', true));
    expect(written).toEqual([{ of: 'filter', text: 'spec.a.exists(x, lower(x).contains("x"))' }]);
  });
});
