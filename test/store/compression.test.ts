import { describe, expect, it } from 'vitest';
import { CatalogEditor } from '../../src/store/catalog.js';
import { Dictionary, compress, decompress, textBytesIn } from '../../src/store/compression/lz.js';
import { DICTIONARY_OBJECTS_MIN } from '../../src/store/compression/dictionaries.js';
import type { StoredDictionary } from '../../src/store/compression/dictionaries.js';
import { fullLength } from '../../src/store/object-record.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { temporaryDirectory, type TestService } from '../helpers/store.js';
import { refusal } from '../suites/verbs-helpers.js';
import {
  byColor,
  byColorAndTags,
  bytesAt,
  recordKeyOf,
  tableOf,
  Thing,
  thing,
  THING,
  useStores,
} from './helpers.js';

const stores = useStores();
const ALPHABETS = ['a', 'ab', '{}":,', 'äöü€😀', 'abcdefghijklmnopqrstuvwxyz0123456789 '];

function randomText(random: Random, most: number): Buffer {
  if (random.chance(0.1)) return Buffer.from(random.many(0, most, () => random.below(256)));
  const letters = Array.from(random.pick(ALPHABETS));
  const words = random.many(1, 8, () => random.many(0, 40, () => random.pick(letters)).join(''));
  let text = '';
  while (text.length < most && !random.chance(0.02)) text += random.pick(words);
  return Buffer.from(text);
}

describe('compressed texts', () => {
  const seed = seedOfRun();
  it(`come back as they were, with any dictionary (SEED=${seed})`, () => {
    const random = new Random(seed);
    for (let round = 0; round < 3_000; round++) {
      const dictionary = new Dictionary(randomText(random, random.pick([0, 3, 4, 50, 4_000])));
      const size = random.pick([0, 1, 14, 15, 16, 200, 3_000]);
      const texts = [randomText(random, size), Buffer.concat([dictionary.bytes, randomText(random, size)])];
      for (const text of texts) {
        const compressed = Buffer.from(compress(dictionary, text));
        expect(textBytesIn(compressed)).toBe(text.length);
        expect(decompress(dictionary, compressed).equals(text), `round ${round}`).toBe(true);
      }
    }
  });

  it('may fill the window with the dictionary, and no more', () => {
    const dictionary = new Dictionary(Buffer.from('{"some":"text"}'));
    for (const text of [Buffer.alloc(dictionary.textBytesMax, 'x'), randomBytes(dictionary.textBytesMax)])
      expect(decompress(dictionary, Buffer.from(compress(dictionary, text))).equals(text)).toBe(true);
    expect(() => compress(dictionary, Buffer.alloc(dictionary.textBytesMax + 1))).toThrow(RangeError);
  });
});

function randomBytes(length: number): Buffer {
  const random = new Random(1);
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

/** A text that no other object has. */
const secretOf = (n: number): string => `${Math.imul(n + 1, 0x9e3779b1).toString(36)}-😀`;
const COLOR = 'a color that many things have';

async function openMany(
  directory = temporaryDirectory(),
  count = DICTIONARY_OBJECTS_MIN + 10,
): Promise<TestService> {
  const t = await stores.open(directory);
  await t.register(Thing, byColorAndTags);
  for (let n = 0; n < count; n++)
    await t.service.create(THING, thing(`t${n}`, { color: COLOR, size: n, tags: [secretOf(n)] }));
  return t;
}

function dictionariesOf(t: TestService): readonly StoredDictionary[] {
  return t.store.findRecord(THING)?.dictionaries ?? [];
}

/** True when the record of an object is compressed. */
async function isCompressed(t: TestService, name: string): Promise<boolean> {
  const record = await t.store.engine.commit((tx) => bytesAt(tx, recordKeyOf(tx, t, name)));
  return fullLength(record) > record.length;
}

describe('the objects of a model', () => {
  it('are compressed once they are enough for a dictionary, and answered as before', async () => {
    const t = await openMany();
    await t.store.reload();
    expect(dictionariesOf(t)).toHaveLength(1);
    expect(await isCompressed(t, 't0')).toBe(false);
    expect(await isCompressed(t, `t${DICTIONARY_OBJECTS_MIN + 5}`)).toBe(true);
    await t.service.patch(THING, 't0', { spec: { size: 1_000 } }, 'merge');
    expect(await isCompressed(t, 't0')).toBe(true);
    const list = await t.service.list(THING, { sort: 'metadata.name', size: 1_000 });
    expect(list.items).toHaveLength(DICTIONARY_OBJECTS_MIN + 10);
    for (const { metadata, spec } of list.items) {
      const n = Number(metadata.name.slice(1));
      expect(spec).toEqual({ color: COLOR, size: n === 0 ? 1_000 : n, tags: [secretOf(n)] });
      expect((await t.service.get(THING, metadata.name)).spec).toEqual(spec);
    }
  });

  it('leave nothing in the dictionary that only one of them has', async () => {
    const t = await openMany();
    await t.store.reload();
    const [dictionary] = dictionariesOf(t);
    const text = Buffer.from(dictionary?.bytes ?? '', 'base64').toString();
    expect(text).toContain(COLOR);
    for (let n = 0; n < DICTIONARY_OBJECTS_MIN + 10; n++) expect(text).not.toContain(secretOf(n));
  });

  it('are read at once by a process that did not know the dictionary', async () => {
    const directory = temporaryDirectory();
    const writer = await openMany(directory, DICTIONARY_OBJECTS_MIN - 1);
    const reader = await stores.open(directory);
    await reader.register(Thing, byColorAndTags);
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await writer.service.create(THING, thing(name, { color: COLOR, tags: [name] }));
    expect(await isCompressed(writer, 'd')).toBe(true);
    expect(dictionariesOf(reader)).toEqual([]);
    for (const name of names)
      expect((await reader.service.get(THING, name)).spec).toMatchObject({ tags: [name] });
    await reader.service.patch(THING, 'd', { spec: { size: 7 } }, 'merge');
    expect((await writer.service.get(THING, 'd')).spec).toMatchObject({ size: 7 });
  });

  it('have their past in the log', async () => {
    const t = await openMany();
    const before = await t.service.get(THING, 't70');
    await t.service.patch(THING, 't70', { spec: { color: 'other' } }, 'merge');
    await t.service.delete(THING, 't70');
    const { items } = await t.service.history(THING, 't70', {});
    expect(items.map(({ verb }) => verb)).toEqual(['delete', 'patch', 'create']);
    const at = await t.service.getAt(THING, 't70', before.metadata.resourceVersion);
    expect(at.spec).toEqual(before.spec);
  });

  it('stay as they are when their indexes are built again', async () => {
    const directory = temporaryDirectory();
    const first = await openMany(directory);
    const before = (await first.service.list(THING, { size: 1_000 })).items;
    await first.close();
    const t = await stores.open(directory);
    await t.register(Thing, byColor);
    await t.close();
    const again = await stores.open(directory);
    await again.register(Thing, byColorAndTags);
    expect((await again.service.list(THING, { size: 1_000 })).items).toEqual(before);
    expect(await isCompressed(again, `t${DICTIONARY_OBJECTS_MIN + 5}`)).toBe(true);
  });

  it.each([3, 100, 70_000, 300_000])('may have a text of %i letters', async (length) => {
    const t = await openMany();
    await t.service.create(THING, thing('long', { color: 'x'.repeat(length) }));
    expect((await t.service.get(THING, 'long')).spec).toEqual({ color: 'x'.repeat(length) });
  });
});

describe('a dictionary that is lost or damaged', () => {
  it.each([
    ['lost', () => []],
    [
      'damaged',
      ([one]: readonly StoredDictionary[]) => (one ? [{ ...one, checksum: one.checksum ^ 1 }] : []),
    ],
  ])('is named by the check, when it is %s, and other objects are served', async (_how, change) => {
    const t = await openMany();
    stores.damaged(t);
    const key = await t.store.engine.commit((tx) => {
      new CatalogEditor(tx).update(tableOf(t).modelId, (record) => ({
        ...record,
        dictionaries: change(record.dictionaries ?? []),
      }));
      return recordKeyOf(tx, t, 't70');
    });
    await t.store.reload();
    const found = await t.check();
    expect(found).toContain(
      'Thing t70 its record needs dictionary 1 of its model, which is missing or damaged; restore a backup',
    );
    expect(found.filter((line) => line.includes(' t1 '))).toEqual([]);
    const error = await refusal(t.service.get(THING, 't70'));
    expect([error.code, error.message]).toEqual([
      'ServiceUnavailable',
      'dictionary 1 of Thing, which "t70" needs, is missing; try again, and run `xsvc check` when it stays away',
    ]);
    expect((await t.service.get(THING, 't1')).metadata.name).toBe('t1');
    expect(key.length).toBeGreaterThan(0);
  });
});
