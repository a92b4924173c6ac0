import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { LANGUAGE_NAMES, preferredLanguage, type Language } from '../../src/console/texts/languages.js';
import { Writing } from '../../src/console/texts/writing.js';
import { english, german, GERMAN_TEXTS } from '../helpers/console.js';

const OTHERS = { de: GERMAN_TEXTS };
const SOURCES = new URL('../../src/console', import.meta.url).pathname;

/** Words, names and signs that several languages share. */
const TERMS = new Set(
  [
    'xsvc – API YAML NDJSON CSV UID B KiB MiB GiB TiB env=prod, team in (a, b) has(',
    'Plugin Plugins Controller Leader Watches Webhooks Position Kind Version Versions Revision Status Generation Labels Annotations',
    'Filter Markdown Code Link Name Normal Token Phase Type Message Conditions Migrations Actions Pages Verb Endpoints Heap resident No. Navigation Offline Live System Administration',
  ].flatMap((line) => line.toLowerCase().split(' ')),
);

/** Texts of the page, and words that it translates when the service sends them, such as states. */
function textsOfPage(): { readonly texts: ReadonlySet<string>; readonly words: ReadonlySet<string> } {
  const [texts, words] = [new Set<string>(), new Set<string>()];
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 't') texts.add(keyOf(node.template));
    if (ts.isStringLiteral(node)) words.add(node.text);
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) words.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }))
    if (/\.tsx?$/.test(file)) {
      const source = readFileSync(path.join(SOURCES, file), 'utf8');
      visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
    }
  return { texts, words };
}

function keyOf(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  return template.templateSpans.reduce(
    (key, { literal }, i) => `${key}{${i}}${literal.text}`,
    template.head.text,
  );
}

const { texts: TEXTS, words: WORDS } = textsOfPage();

/** The words of a text, without its values. */
function wordsIn(text: string): string[] {
  return text
    .replace(/\{\d\}/g, ' ')
    .toLowerCase()
    .split(/[\s:]+/)
    .filter((word) => /[a-z–]/.test(word));
}

const valuesIn = (text: string): string[] => (text.match(/\{\d\}/g) ?? []).sort();

describe.each(Object.entries(OTHERS))('the texts of the console in %s', (_, translations) => {
  const entries = Object.entries(translations);

  it('are all there, and none is empty', () => {
    expect([...TEXTS].filter((text) => !Object.hasOwn(translations, text))).toEqual([]);
    expect(entries.filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it('are all used', () => {
    expect(Object.keys(translations).filter((text) => !TEXTS.has(text) && !WORDS.has(text))).toEqual([]);
  });

  it('contain the values of the English ones', () => {
    const strange = entries.filter(([key, text]) => valuesIn(key).join() !== valuesIn(text).join());
    expect(strange).toEqual([]);
  });

  it('have a form of each word for one, and another one for many', () => {
    const forms = entries.flatMap(([key, text]) => `${key}${text}`.match(/\[[^\]]*\]/g) ?? []);
    expect(forms.length).toBeGreaterThan(20);
    expect(forms.filter((one) => one.split('|').length !== 2)).toEqual([]);
  });

  it('are not English, except words that are the same', () => {
    const left = entries.filter(
      ([key, text]) => key === text && wordsIn(text).some((word) => !TERMS.has(word)),
    );
    expect(left).toEqual([]);
  });
});

it('a text without a translation is in English', () => {
  const name = 'ann';
  expect(german`No language has ${name}`).toBe('No language has ann');
  expect(german('toString')).toBe('toString');
});

it('values are never parsed', () => {
  expect(english`Delete ${'{0} [a|b]'}?`).toBe('Delete {0} [a|b]?');
});

it('a count has the noun that goes with it', () => {
  const models = [1, 2, 5, 21].map((count) => english`${count} [model|models]`);
  expect(models).toEqual(['1 model', '2 models', '5 models', '21 models']);
  const inGerman = [1, 2, 5, 12_345].map((count) => german`${count} [model|models]`);
  expect(inGerman).toEqual(['1 Modell', '2 Modelle', '5 Modelle', '12.345 Modelle']);
  expect(german`${0} [change|changes]`).toBe('0 Änderungen');
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
