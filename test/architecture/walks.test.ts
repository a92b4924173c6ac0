import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const WALKS = new URL('../../docs/internals/walks.md', import.meta.url);

/** Functions and classes that a page links to. */
function linksIn(page: string): { readonly name: string; readonly target: string }[] {
  const found = page.matchAll(/\[`(\w+)`\]\((\.\.\/[^)]+\.ts)\)/g);
  return [...found].map(([, name = '', target = '']) => ({ name, target }));
}

function declares(source: string, name: string): boolean {
  const declared = new RegExp(
    `(?:function\\*?|class|interface|const) ${name}\\b|^ +(?:async |static )*\\*?${name}[(<]`,
    'm',
  );
  return declared.test(source);
}

it('the walks through the code link to functions that exist', () => {
  const links = linksIn(readFileSync(WALKS, 'utf8'));
  expect(links.length).toBeGreaterThan(30);
  const missing = links.filter(
    ({ name, target }) => !declares(readFileSync(new URL(target, WALKS), 'utf8'), name),
  );
  expect(missing).toEqual([]);
});

it('a function that is gone is noticed', () => {
  expect(declares('export function* walk<T>(): void {}', 'walk')).toBe(true);
  expect(declares('class A {\n  async walk(): void {}\n}', 'walk')).toBe(true);
  expect(declares('walk();\nconst walker = walk;', 'walk')).toBe(false);
});
