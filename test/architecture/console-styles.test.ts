import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const CONSOLE = new URL('../../src/console/', import.meta.url).pathname;

const all = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' });
const read = (file: string): string => readFileSync(path.join(CONSOLE, file), 'utf8');
const styles = all.filter((file) => file.endsWith('.css') && file !== 'console.css');
/** Styles of one component, beside it; those in `styles/` are of the whole page. */
const ofComponents = styles.filter((file) => !file.startsWith('styles/'));

/** The selectors of a sheet, without those of keyframes. */
function selectorsIn(css: string): string[] {
  const plain = css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/@keyframes [^{]+\{(?:[^{}]*\{[^}]*\})*\s*\}/g, '');
  return [...plain.matchAll(/([^{};]+)\{/g)]
    .map(([, selector = '']) => selector.trim())
    .filter((selector) => !selector.startsWith('@'))
    .flatMap((selector) => selector.split(/,(?![^(]*\))/))
    .map((selector) => selector.trim());
}

const classesIn = (text: string): string[] =>
  [...text.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name);

/** The names of the files in the folder of a sheet, and in those below. */
function namesAround(file: string): string[] {
  const folder = `${path.dirname(file)}/`;
  return all.filter((one) => one.startsWith(folder)).map((one) => path.basename(one).replace(/\.\w+$/, ''));
}

it('each rule of a component has a class that begins with the name of a file beside it, so that no other place is meant', () => {
  const strange = ofComponents.flatMap((file) => {
    const names = namesAround(file);
    const isOwn = (one: string): boolean => names.some((name) => one === name || one.startsWith(`${name}-`));
    return selectorsIn(read(file))
      .filter((selector) => !classesIn(selector).some(isOwn))
      .map((selector) => `${file}: ${selector}`);
  });
  expect(strange).toEqual([]);
});

it('each sheet is loaded once', () => {
  const loaded = [...read('console.css').matchAll(/'\.\/([^']+)'/g)].map(([, file = '']) => file);
  expect([...loaded].sort()).toEqual([...styles].sort());
});

it('each class of the whole page is used', () => {
  const sources = all
    .filter((file) => /\.tsx?$/.test(file))
    .map(read)
    .join('\n');
  const isUsed = (name: string): boolean =>
    new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(sources) ||
    // `badge-${tone}`
    sources.includes(`${name.replace(/-[^-]*$/, '-')}$\{`);
  const names = styles
    .filter((file) => file.startsWith('styles/'))
    .flatMap((file) => selectorsIn(read(file)));
  expect([...new Set(names.flatMap(classesIn))].filter((name) => !isUsed(name))).toEqual([]);
});
