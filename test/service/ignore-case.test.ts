import { describe, expect, it } from 'vitest';
import { planModel } from '../../src/lifecycle/model-plan.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import type { ListOptions } from '../../src/query/list-options.js';
import { temporaryDirectory, type TestService } from '../helpers/store.js';
import { byColorAndTags, thing, THING, Thing, useStores } from '../store/helpers.js';
import { refusal } from '../suites/verbs-helpers.js';

const stores = useStores();

const COLORS = ['Red', 'RED', 'blue', 'Éclair', 'ΟΔΟΣ', 'ΟΔΟΣΑ', 'İstanbul', 'Straße', '\u{10400}x'];

const ANSWERS: readonly (readonly [ListOptions, readonly string[]])[] = [
  [{ fieldSelector: 'spec.color=rED' }, ['Red', 'RED']],
  [{ fieldSelector: 'spec.color in (BLUE,éCLAIR)' }, ['blue', 'Éclair']],
  [{ fieldSelector: 'spec.color!=red,spec.color<S' }, ['blue', 'İstanbul']],
  [{ fieldSelector: 'spec.tags=BLUE' }, ['blue']],
  [{ filter: 'spec.color == "RED"' }, ['Red', 'RED']],
  [{ filter: 'lower(spec.color) == "RED"' }, ['Red', 'RED']],
  [{ filter: 'lower(spec.color) < "C"' }, ['blue']],
  [{ filter: '"CHESS" in spec.tags && "blue" in spec.tags' }, ['blue']],
  [{ filter: 'spec.tags.exists(x, lower(x).startsWith("BL"))' }, ['blue']],
  [{ filter: 'spec.color.startsWith("οδοσ")' }, ['ΟΔΟΣ', 'ΟΔΟΣΑ']],
  [{ filter: 'spec.color.endsWith("ΔΟΣ")' }, ['ΟΔΟΣ']],
  [{ filter: 'spec.color == "οδος"' }, ['ΟΔΟΣ']],
  [{ filter: 'spec.color.contains("STAN")' }, ['İstanbul']],
  [{ filter: 'spec.color == "strasse"' }, []],
  [{ filter: 'spec.color == "\u{10428}X"' }, ['\u{10400}x']],
];

const inAnyCase =
  (unique = false): DeclareIndexes =>
  (specs) => {
    const color = IndexSpecs.single<Thing, string>('spec.color', 'string').indexFunc((o) => o.spec.color);
    const tags = IndexSpecs.multi<Thing, string>('spec.tags', 'string').indexFunc((o) => o.spec.tags);
    specs.add(color.ignoreCase().unique(unique));
    specs.add(tags.ignoreCase());
  };

/** Things `t0`, `t1` and so on, one for each color. */
async function storeOf(declare: DeclareIndexes, directory = temporaryDirectory()): Promise<TestService> {
  const t = await stores.open(directory);
  await t.register(Thing, declare);
  const objects = COLORS.map((color, i) => thing(`t${i}`, { color, tags: [color, 'Chess'] }));
  await t.service.batch(objects.map((object) => ({ verb: 'create', resource: THING, object })));
  return t;
}

async function colors(t: TestService, options: ListOptions): Promise<(string | undefined)[]> {
  const { items } = await t.service.list(THING, options);
  return items.map(({ spec }) => (spec as Thing['spec']).color);
}

describe('an index that ignores case', () => {
  it('answers selectors and filters', async () => {
    const t = await storeOf(inAnyCase());
    for (const [options, expected] of ANSWERS)
      expect([options, await colors(t, options)]).toEqual([options, expected]);
  });

  it('sorts by the lower case, and parts of a list go on in that order', async () => {
    const t = await storeOf(inAnyCase());
    const sort = 'spec.color';
    const sorted = ['blue', 'İstanbul', 'Red', 'RED', 'Straße', 'Éclair', 'ΟΔΟΣ', 'ΟΔΟΣΑ', '\u{10400}x'];
    expect(await colors(t, { sort })).toEqual(sorted);
    const first = await t.service.list(THING, { sort, limit: 3 });
    const token = first.metadata.continue ?? '';
    expect(await colors(t, { sort, limit: 20, continue: token })).toEqual(sorted.slice(3));
  });

  it('counts values that differ in case as one, in the form of one of the objects', async () => {
    const t = await storeOf(inAnyCase());
    const { facets } = await t.service.list(THING, { facets: 'spec.color', facetLimit: 1 });
    expect(facets?.['spec.color']).toEqual([
      { value: expect.stringMatching(/^(Red|RED)$/) as string, count: 2 },
    ]);
  });

  it('that is unique refuses a value in another case', async () => {
    const t = await stores.open();
    await t.register(Thing, inAnyCase(true));
    await t.service.create(THING, thing('one', { color: 'Red' }));
    const error = await refusal(t.service.create(THING, thing('two', { color: 'rED' })));
    expect([error.code, error.details.causes?.[0]?.field]).toEqual(['AlreadyExists', 'spec.color']);
  });

  it('answers conditions in lower case from its keys, and other indexes from all their values', async () => {
    const filter = 'lower(spec.color) == "RED" || lower(spec.color).startsWith("b")';
    const explained = async (declare: DeclareIndexes): Promise<unknown> => {
      const { filters } = await (
        await storeOf(declare)
      ).service.explain(THING, { filter, sort: 'spec.color' });
      return filters.map(({ condition }) => condition);
    };
    expect(await explained(inAnyCase())).toEqual(['spec.color = "red"', 'spec.color starts with "b"']);
    expect(await explained(byColorAndTags)).toEqual([
      'lower(spec.color) = "red"',
      'lower(spec.color) startsWith "b"',
    ]);
  });

  it('is built again when it begins to ignore case, as the plan of the model says', async () => {
    const directory = temporaryDirectory();
    await (await storeOf(byColorAndTags, directory)).close();
    const t = await stores.open(directory);
    const next = new SchemeRegistry().register(Thing, 'test', inAnyCase());
    const { changes } = await planModel(t.service.models.lifecycle, next);
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'index-changed spec.color',
      'index-changed spec.tags',
    ]);
    await t.register(Thing, inAnyCase());
    expect(await colors(t, { fieldSelector: 'spec.color=red' })).toEqual(['Red', 'RED']);
    await t.close();
    const again = await stores.open(directory);
    await again.register(Thing, byColorAndTags);
    expect(await colors(again, { fieldSelector: 'spec.color=red' })).toEqual([]);
  });
});
