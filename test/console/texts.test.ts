import { describe, expect, it } from 'vitest';
import { english, type Texts } from '../../src/console/texts.js';
import { texts as german } from '../../src/console/texts/de.js';
import { LANGUAGE_NAMES, preferredLanguage, type Language } from '../../src/console/texts/languages.js';
import { Writing } from '../../src/console/texts/writing.js';

const OTHERS: Readonly<Record<Exclude<Language, 'en'>, Texts>> = {
  de: german,
};

/** Words, names and signs that several languages share. */
const TERMS = new Set(
  [
    'xsvc – API YAML NDJSON CSV UID B KiB MiB GiB TiB env=prod, team in (a, b) has(',
    'Plugin Plugins Controller Leader Watches Kind Version Versions Revision Status Generation Labels Annotations',
    'Filter Name Normal Token Phase Type Message Conditions Migrations Actions Pages Verb Endpoints Heap resident No.',
  ].flatMap((line) => line.toLowerCase().split(' ')),
);

type Say = (...given: readonly number[]) => string;
type Leaf = string | Say;

/** Every text by its path. */
function leavesOf(value: unknown, path = ''): [path: string, leaf: Leaf][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') return [[path, value as Say]];
  if (typeof value !== 'object' || value === null) throw new Error(`${path} is no text`);
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, `${path}.${name}`));
}

/** The arguments of a text. The numbers are below 1,000, so that no language groups their digits. */
const GIVEN = [701, 702, 703] as const;
const said = (leaf: Leaf): string => (typeof leaf === 'string' ? leaf : leaf(...GIVEN.slice(0, leaf.length)));

const ENGLISH = new Map(leavesOf(english));

/** Its words in English, without what it was given. */
function wordsOf(leaf: Leaf): string[] {
  const bare = GIVEN.reduce((text, one) => text.replaceAll(String(one), ' '), said(leaf));
  return bare
    .toLowerCase()
    .split(/[\s:]+/)
    .filter((word) => /[a-z–]/.test(word));
}

describe.each(Object.entries(OTHERS))('the texts of the console in %s', (_, texts) => {
  const leaves = leavesOf(texts);

  it('are all there, and none is empty', () => {
    expect(leaves.map(([path]) => path).sort()).toEqual([...ENGLISH.keys()].sort());
    expect(leaves.filter(([, leaf]) => said(leaf).trim() === '')).toEqual([]);
  });

  it('take the arguments of the English ones, and contain all of them', () => {
    const strange = leaves.filter(([path, leaf]) => {
      const taken = typeof leaf === 'function' ? leaf.length : -1;
      const other = ENGLISH.get(path);
      const isAsEnglish = taken === (typeof other === 'function' ? other.length : -1);
      return (
        !isAsEnglish || GIVEN.slice(0, Math.max(taken, 0)).some((one) => !said(leaf).includes(String(one)))
      );
    });
    expect(strange.map(([path]) => path)).toEqual([]);
  });

  it('say something for any number', () => {
    for (const count of [0, 1, 2, 5, 11, 21, 1_000_000])
      for (const [path, leaf] of leaves)
        if (typeof leaf === 'function')
          expect(leaf(count, count, count), path).not.toMatch(/undefined|NaN|\[object/);
  });

  it('are not English, except words that are the same', () => {
    const left = leaves.filter(([path, leaf]) => {
      const other = ENGLISH.get(path) ?? '';
      return said(leaf) === said(other) && wordsOf(leaf).some((word) => !TERMS.has(word));
    });
    expect(left.map(([path, leaf]) => `${path}: ${said(leaf)}`)).toEqual([]);
  });
});

it('a count has the noun that goes with it', () => {
  const models = (texts: Texts) => [1, 2, 5, 21].map((count) => texts.plugins.manyModels(count));
  expect(models(english)).toEqual(['1 model', '2 models', '5 models', '21 models']);
  expect(models(german)).toEqual(['1 Modell', '2 Modelle', '5 Modelle', '21 Modelle']);
  expect(german.access.days(0)).toBe('0 Tage');
});

it('numbers, durations and distances are written as the language has them', () => {
  const write = (language: Language) => {
    const { number, fixed, measured, duration, ago, distance, seconds } = new Writing(language);
    return [
      number(12_345),
      fixed(7.71, 1),
      measured(0.012345),
      duration(185),
      ago(7_200),
      distance(30),
      seconds(0.0123),
    ].map((one) => one.replace(/\s/g, ' '));
  };
  expect(write('en')).toEqual(['12,345', '7.7', '0.0123', '3m', '2h', 'in 30 sec.', '12.3 ms']);
  expect(write('de')).toEqual(['12.345', '7,7', '0,0123', '3 Min.', 'vor 2 Std.', 'in 30 Sek.', '12,3 ms']);
});

it('the language is the first that the browser asks for and the page can speak', () => {
  expect(preferredLanguage(['pt-BR', 'de-AT', 'en'])).toBe('de');
  expect(preferredLanguage(['DE-Latn-CH', 'en'])).toBe('de');
  expect(preferredLanguage(['constructor', 'tlh'])).toBe('en');
  expect(preferredLanguage([])).toBe('en');
  expect(Object.keys(LANGUAGE_NAMES).sort()).toEqual(['en', ...Object.keys(OTHERS)].sort());
});
