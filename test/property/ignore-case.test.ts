import { afterAll, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { openTestService, removeDirectories } from '../helpers/store.js';

afterAll(removeDirectories);

const WORD = { group: 'words.example.com', version: 'v1', kind: 'Word', plural: 'words', singular: 'word' };

@GVK(WORD)
class Word extends AbstractExtension {
  static readonly schema = { type: 'object', properties: { spec: { type: 'object' } } };
  declare spec: { text?: string };
}

const LETTERS = [
  'a',
  'A',
  'é',
  'É',
  'e\u0301',
  'Σ',
  'σ',
  'ς',
  'İ',
  'i',
  'I',
  'ß',
  'ẞ',
  'Ǆ',
  'ǅ',
  'K',
  '\u{10400}',
  ' ',
];
const OBJECTS = 120;
const LISTS = 100;
const seed = seedOfRun();

/** The definition of the guide, for one text. */
const lower = (text: string): string =>
  Array.from(text, (char) => char.toLowerCase().replace('ς', 'σ')).join('');

it(`finds and sorts in any case as a scan of all texts, with and without an index for it (SEED=${seed})`, async () => {
  const random = new Random(seed);
  const textOf = (most: number): string => random.many(0, most, () => random.pick(LETTERS)).join('');
  const t = await openTestService();
  try {
    await t.register(Word, (specs) => {
      const plain = IndexSpecs.single<Word, string>('plain', 'string').indexFunc((o) => o.spec.text);
      const folded = IndexSpecs.single<Word, string>('folded', 'string').indexFunc((o) => o.spec.text);
      specs.add(plain).add(folded.ignoreCase());
    });
    const words = Array.from({ length: OBJECTS }, (_, i) => ({
      metadata: { name: `w${String(i).padStart(3, '0')}` },
      spec: random.chance(0.9) ? { text: textOf(4) } : {},
    }));
    await t.service.batch(words.map((object) => ({ verb: 'create', resource: WORD, object })));
    const namesOf = async (options: { filter?: string; sort?: string }): Promise<string[]> =>
      (await t.service.list(WORD, options)).items.map(({ metadata }) => metadata.name);
    for (let i = 0; i < LISTS; i++) {
      const wanted = textOf(3);
      const value = JSON.stringify(wanted);
      const [test, holds] = random.pick<[string, (own: string) => boolean]>([
        [`lower(F) == ${value}`, (own) => own === lower(wanted)],
        [`lower(F) in [${value}, "A"]`, (own) => own === lower(wanted) || own === 'a'],
        ...(['startsWith', 'endsWith', 'contains'] as const).map(
          (call): [string, (own: string) => boolean] => [
            `lower(F).${call}(${value})`,
            (own) => own[call === 'contains' ? 'includes' : call](lower(wanted)),
          ],
        ),
      ]);
      const isNot = random.chance(0.3);
      const expected = words
        .filter(({ spec: { text } }) => (text !== undefined && holds(lower(text))) !== isNot)
        .map(({ metadata }) => metadata.name);
      for (const field of ['plain', 'folded']) {
        const filter = (isNot ? `!(${test})` : test).replaceAll('F', field);
        expect(await namesOf({ filter }), `SEED=${seed}, list ${i}: ${filter}`).toEqual(expected);
      }
    }
    const sorted = [...words].sort((a, b) => {
      if (a.spec.text === undefined || b.spec.text === undefined)
        return Number(a.spec.text !== undefined) - Number(b.spec.text !== undefined);
      return Buffer.compare(Buffer.from(lower(a.spec.text)), Buffer.from(lower(b.spec.text)));
    });
    expect(await namesOf({ sort: 'folded' })).toEqual(sorted.map(({ metadata }) => metadata.name));
    expect(await t.check()).toEqual([]);
  } finally {
    await t.close();
  }
});
