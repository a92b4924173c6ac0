import { describe, expect, it } from 'vitest';
import { describeSearch, parseSearch, SEARCH_WORDS_MAX } from '../../src/query/search/search-text.js';
import { readListOptions, readListQuery } from '../../src/query/list-request.js';
import { PERSON } from './helpers.js';

function shown(text: string): string[] | undefined {
  const search = parseSearch(text);
  return search && describeSearch(search);
}

const TEXTED = {
  ...PERSON,
  indexes: [
    ...PERSON.indexes,
    { name: 'words', keyType: 'text', multi: true, unique: false, order: 'ASC', sparse: true } as const,
  ],
};

describe('the text of a search', () => {
  it.each([
    ['disk', ['disk*']],
    ['disk ', ['disk']],
    ['disk\u00a0', ['disk']],
    ['disk"', ['disk']],
    ['disk,', ['disk*']],
    ['disk ,', ['disk']],
    ['Disk full', ['disk', 'full*']],
    ['disk disk', ['disk', 'disk*']],
    ['"read  only"', ['read', 'only', '"read only"']],
    ['"read only', ['read', 'only', '"read only"']],
    ['"read-only" x ', ['read', 'only', 'x', '"read only"']],
    ['"read"', ['read']],
    ['a"b c"d', ['a', 'b', 'c', 'd*', '"b c"']],
    ['disk -full', ['disk', '-full']],
    ['disk -full ', ['disk', '-full']],
    ['-full disk', ['disk*', '-full']],
    ['disk --full', ['disk', '-full']],
    ['disk - full', ['disk', 'full*']],
    ['disk -', ['disk']],
    ['disk -"read only"', ['disk', '-"read only"']],
    ['disk -"read', ['disk', '-read']],
    ['disk -read-only', ['disk', '-"read only"']],
    ['x -a -a -"a"', ['x', '-a']],
    ['read-only', ['read', 'only*']],
    ['C++ x ', ['c', 'x']],
    ['Café ÉCOLE ', ['cafe', 'ecole']],
    ['ﬁle ² Ⅳ ', ['file', '2', 'iv']],
    ['東京 ', ['東京']],
    ['a\u0000b\u001b[1m ', ['a', 'b', '1m']],
    ['\ud800x ', ['x']],
  ])('%j', (text, parts) => {
    expect(shown(text)).toEqual(parts);
  });

  it.each(['', '  ', '""', '"', '++', '-', '- ', '-"', '-++', '\u0301', '\u0000', '--""'])(
    'has no word: %j',
    (text) => {
      expect(parseSearch(text)).toBeUndefined();
    },
  );

  it('must not be of exclusions alone', () => {
    for (const text of ['-disk', '-"read only"', ' -a -b ++ ""'])
      expect(() => parseSearch(text)).toThrow('search: there are only excluded words');
  });

  it('has at most 100 different words, however often', () => {
    const words = (count: number): string => Array.from({ length: count }, (_, i) => `w${i % 150}`).join(' ');
    expect(shown(`${words(SEARCH_WORDS_MAX)} ${words(50)} `)).toHaveLength(SEARCH_WORDS_MAX);
    expect(() => parseSearch(words(SEARCH_WORDS_MAX + 1))).toThrow('at most 100 different words');
    expect(() => parseSearch(words(10_000))).toThrow('at most 100 different words are possible, got 150');
    expect(() => parseSearch(`x ${'-y'.repeat(10_000)} -${words(200).replaceAll(' ', ' -')}`)).toThrow('got');
    expect(shown('a '.repeat(500_000))).toEqual(['a']);
  });

  it('takes the last word as a whole when it is longer than the index keeps', () => {
    const long = 'x'.repeat(500);
    expect(parseSearch(long)).toMatchObject({ prefix: undefined, words: [expect.any(String)] });
    expect(parseSearch(long.slice(0, 200))).toMatchObject({ prefix: long.slice(0, 200), words: [] });
  });
});

describe('the search of a list', () => {
  it('needs a text index', () => {
    expect(() => readListOptions({ search: 'x' }, PERSON)).toThrow('search: Person has no text index');
    expect(readListOptions({ search: ' ' }, PERSON).search).toBeUndefined();
    expect(readListOptions({ search: 'x' }, TEXTED).search).toMatchObject({ prefix: 'x' });
  });

  it('is given once', () => {
    expect(readListQuery({ search: 'a b' })).toEqual({ search: 'a b' });
    expect(() => readListQuery({ search: ['a', 'b'] })).toThrow('search occurs more than once');
  });

  it.each([
    { fieldSelector: 'words=a' },
    { fieldSelector: '!words' },
    { filter: 'words == "a"' },
    { filter: 'has(words)' },
    { sort: 'words' },
    { facets: 'words' },
    { aggregates: 'max(words)' },
    { aggregates: 'count', groupBy: 'words' },
  ])('is the only use of a text index: %j', (options) => {
    expect(() => readListOptions(options, TEXTED)).toThrow(/"words" is a text index, and not a field/);
  });

  it('leaves the text index out where indexed fields are named', () => {
    expect(() => readListOptions({ sort: 'spec.x' }, TEXTED)).toThrow(
      /indexed fields: (?!.*words).*spec\.serial$/,
    );
  });
});
