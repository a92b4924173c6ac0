import { afterAll, expect, it } from 'vitest';
import type { ExtensionObject } from '../../src/model/object.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import { AUTHOR, BOOK, named, registerLibrary } from '../helpers/library.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';

afterAll(removeDirectories);

const seed = seedOfRun();
const AUTHORS = Array.from({ length: 12 }, (_, i) => `author${i}`);
const BOOKS = Array.from({ length: 30 }, (_, i) => `book${i}`);
const TEAMS = ['red', 'blue', 'green'];

/** All objects of the library, by name. */
type Library = Readonly<Record<'authors' | 'books', ReadonlyMap<string, ExtensionObject>>>;

/** A filter on books, and the books for which it is true. */
interface Filter {
  readonly text: string;
  readonly holds: (book: ExtensionObject, library: Library) => boolean;
}

interface Book {
  readonly author?: string;
  readonly editor?: string;
  readonly readers?: readonly string[];
  readonly sequelOf?: string;
}

function specOf({ spec }: ExtensionObject): Book {
  return spec as Book;
}

/** The values of a path, and its objects. */
function valuesOf(book: ExtensionObject, field: string): readonly string[] {
  return [specOf(book)[field as keyof Book] ?? []].flat();
}

function found(names: readonly string[], objects: ReadonlyMap<string, ExtensionObject>): ExtensionObject[] {
  return names.flatMap((name) => objects.get(name) ?? []);
}

function ofAuthors(random: Random, field: string): Filter {
  const team = random.pick(TEAMS);
  const name = random.pick(AUTHORS);
  const ref = `ref(${field === 'of' ? 'ref(spec.sequelOf).spec.author' : `spec.${field}`})`;
  const targets: (book: ExtensionObject, library: Library) => ExtensionObject[] = (book, library) =>
    field === 'of'
      ? found(valuesOf(book, 'sequelOf'), library.books).flatMap((before) =>
          found(valuesOf(before, 'author'), library.authors),
        )
      : found(valuesOf(book, field), library.authors);
  const teamOf = ({ metadata }: ExtensionObject): string | undefined => metadata.labels?.team;
  const some =
    (meets: (author: ExtensionObject) => boolean): Filter['holds'] =>
    (book, library) =>
      targets(book, library).some(meets);
  return random.pick<() => Filter>([
    () => ({
      text: `${ref}.metadata.labels["team"] == "${team}"`,
      holds: some((author) => teamOf(author) === team),
    }),
    () => ({
      text: `${ref}.metadata.labels["team"] != "${team}"`,
      holds: (book, library) => !some((author) => teamOf(author) === team)(book, library),
    }),
    () => ({
      text: `${ref}.metadata.name <= "${name}"`,
      holds: some((author) => author.metadata.name <= name),
    }),
    () => ({
      text: `"team" in ${ref}.metadata.labels`,
      holds: some((author) => teamOf(author) !== undefined),
    }),
  ])();
}

function ofBooks(random: Random): Filter {
  const name = random.pick(AUTHORS);
  const before = (book: ExtensionObject, library: Library): ExtensionObject[] =>
    found(valuesOf(book, 'sequelOf'), library.books);
  return random.pick<() => Filter>([
    () => ({
      text: `has(ref(spec.sequelOf).spec.readers)`,
      holds: (book, library) => before(book, library).some((one) => valuesOf(one, 'readers').length > 0),
    }),
    () => ({
      text: `"${name}" in ref(spec.sequelOf).spec.readers`,
      holds: (book, library) => before(book, library).some((one) => valuesOf(one, 'readers').includes(name)),
    }),
    () => ({
      text: `spec.author == "${name}"`,
      holds: (book) => valuesOf(book, 'author').includes(name),
    }),
  ])();
}

function randomFilter(random: Random, depth = 0): Filter {
  const chosen = random.next();
  if (depth < 3 && chosen < 0.45) {
    const parts = random.many(2, 3, () => randomFilter(random, depth + 1));
    const isAnd = random.chance(0.5);
    return {
      text: `(${parts.map(({ text }) => text).join(isAnd ? ' && ' : ' || ')})`,
      holds: (...of) =>
        isAnd ? parts.every((part) => part.holds(...of)) : parts.some((part) => part.holds(...of)),
    };
  }
  if (depth < 3 && chosen < 0.55) {
    const { text, holds } = randomFilter(random, depth + 1);
    return { text: `!(${text})`, holds: (...of) => !holds(...of) };
  }
  return chosen < 0.75
    ? ofBooks(random)
    : ofAuthors(random, random.pick(['author', 'editor', 'readers', 'of']));
}

function randomSpec(random: Random, books: readonly string[]): Book {
  return {
    ...(random.chance(0.8) && { author: random.pick(AUTHORS) }),
    ...(random.chance(0.4) && { editor: random.pick(AUTHORS) }),
    readers: random.many(0, 3, () => random.pick(AUTHORS)),
    ...(random.chance(0.6) && { sequelOf: random.pick(books) }),
  };
}

const randomLabels = (random: Random) => (random.chance(0.8) ? { labels: { team: random.pick(TEAMS) } } : {});

async function fill({ service }: TestService, random: Random): Promise<void> {
  await service.batch([
    ...AUTHORS.map((name) => {
      return { verb: 'create', resource: AUTHOR, object: named(name, {}, randomLabels(random)) } as const;
    }),
    ...BOOKS.map((name) => {
      return { verb: 'create', resource: BOOK, object: named(name, randomSpec(random, BOOKS)) } as const;
    }),
  ]);
}

async function change({ service }: TestService, random: Random): Promise<void> {
  const labels = random.chance(0.5) ? { team: random.pick(TEAMS) } : { team: null };
  await service.patch(AUTHOR, random.pick(AUTHORS), { metadata: { labels } }, 'merge');
  await service.patch(BOOK, random.pick(BOOKS), { spec: randomSpec(random, BOOKS) }, 'merge');
}

async function libraryOf({ service }: TestService): Promise<Library> {
  const all = async (model: ResourceRef): Promise<ReadonlyMap<string, ExtensionObject>> =>
    new Map((await service.list(model)).items.map((one) => [one.metadata.name, one]));
  return { authors: await all(AUTHOR), books: await all(BOOK) };
}

it(`1,000 random filters through references match as each object says (SEED=${seed})`, async () => {
  const random = new Random(seed);
  const t = await openTestService();
  await registerLibrary(t);
  await fill(t, random);
  for (let round = 0; round < 20; round += 1) {
    const library = await libraryOf(t);
    for (const { text, holds } of random.many(50, 50, () => randomFilter(random))) {
      const { items } = await t.service.list(BOOK, { filter: text });
      const expected = [...library.books.values()].filter((book) => holds(book, library));
      expect([text, items.map(({ metadata }) => metadata.name)]).toEqual([
        text,
        expected.map(({ metadata }) => metadata.name),
      ]);
    }
    await change(t, random);
  }
  await t.close();
});
