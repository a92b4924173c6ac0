import { expect, it } from 'vitest';
import { getBuilder, parsePlace } from '../../src/console/pages/builder/links.js';
import { EXAMPLES } from '../../src/console/pages/builder/examples/examples.js';
import { readDefinition } from '../../src/console/pages/builder/draft/read-definition.js';
import { checkDraft } from '../../src/console/pages/builder/draft/checks.js';
import { namesOf } from '../../src/console/pages/builder/draft/names.js';

it('the URL of the builder names a definition, or an example', () => {
  const names = ['things.example.com', 'a b/ü?x=1'];
  expect(names.map((name) => parsePlace(getBuilder(name)).name)).toEqual(names);
  expect(parsePlace(getBuilder())).toEqual({ name: undefined, example: undefined });
  expect(parsePlace('#/builder?example=shop')).toEqual({ name: undefined, example: 'shop' });
  expect(parsePlace('#/builder/%').name).toBe('%');
});

it('each example has models that the builder can draw, and ten objects of them', () => {
  for (const { name, definitions, objects } of EXAMPLES) {
    const drafts = definitions.map(readDefinition);
    expect(
      drafts.flatMap((draft) => checkDraft(draft, namesOf(draft, undefined))),
      name,
    ).toEqual([]);
    expect(objects, name).toHaveLength(10);
    const kinds = drafts.map(({ names }) => names.kind);
    expect(
      objects.filter(({ kind }) => !kinds.includes(String(kind))),
      name,
    ).toEqual([]);
  }
});
