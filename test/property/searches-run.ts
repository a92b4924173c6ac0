import { expect } from 'vitest';
import type { ListOptions } from '../../src/query/list-options.js';
import { Random } from '../helpers/seed.js';
import { openTestService, temporaryDirectory, type TestService } from '../helpers/store.js';
import {
  makeSegments,
  NOTE,
  note,
  registerNotes,
  WRITER,
  type NoteDraft,
  type Texts,
} from '../helpers/notes.js';
import { search, type Ranked } from './search-reference.js';

const OWNERS = ['ann', 'bob', 'cid'];
const TEAMS = ['red', 'blue'];
const WRITERS = ['w0', 'w1', 'w2', 'w3'];
const WORDS = [
  ...[
    'disk',
    'diskette',
    'dismount',
    'full',
    'read',
    'only',
    'error',
    'a',
    'ab',
    'abc',
    'b',
    'x1',
    '42',
    '4',
  ],
  ...[
    'Café',
    'cafe\u0301',
    'ÅNGSTRÖM',
    'straße',
    'ﬁle',
    'Ⅳ',
    'Дом',
    'дома',
    '東京',
    '東',
    'كِتاب',
    'İstanbul',
    '²',
    'ǆ',
  ],
];
const BETWEEN = [' ', ' ', ' ', ', ', '-', '.', '\n', '\u00a0', '_', '\u0007', ' — '];

/** A run of random questions. */
export interface SearchesRun {
  readonly seed: number;
  readonly objects: number;
  readonly questions: number;
}

function randomWord(random: Random): string {
  // Frequent words come first.
  const word = WORDS[Math.floor(WORDS.length * random.next() ** 2)] ?? 'disk';
  return random.chance(0.1) ? word.toUpperCase() : word;
}

function randomText(random: Random, most: number): string {
  return random.many(0, most, () => `${randomWord(random)}${random.pick(BETWEEN)}`).join('');
}

function randomTexts(random: Random): Texts {
  return {
    ...(random.chance(0.8) && { title: randomText(random, 4) }),
    ...(random.chance(0.8) && { body: random.many(0, 3, () => randomText(random, 12)) }),
  };
}

function randomNote(random: Random, name: string): NoteDraft {
  const spec = {
    ...randomTexts(random),
    ...(random.chance(0.9) && { owner: random.pick(OWNERS) }),
    ...(random.chance(0.9) && { size: random.below(5) }),
    ...(random.chance(0.6) && { writer: random.pick(WRITERS) }),
  };
  return note(name, spec, random.chance(0.5) ? { labels: { kind: random.pick(['x', 'y']) } } : {});
}

function randomSearch(random: Random): string {
  const parts = random.many(1, 4, () => {
    const word = randomWord(random);
    const start = Array.from(word)
      .slice(0, 1 + random.below(3))
      .join('');
    return random.pick([
      word,
      word,
      start,
      `-${word}`,
      `"${word} ${randomWord(random)}"`,
      `-"${word} ${randomWord(random)}"`,
      `${word}-${randomWord(random)}`,
      `-${word}.${randomWord(random)}`,
      `"${word}`,
      '++',
      `"${word}"${start}`,
    ]);
  });
  const text = parts.join(random.pick([' ', ' ', '  ', '\t']));
  return random.chance(0.3) ? `${text}${random.pick([' ', '"', '.', ' -'])}` : text;
}

/** A condition beside a search. */
interface Choice {
  readonly options: ListOptions;
  readonly holds: (one: NoteDraft) => boolean;
}

function randomChoice(random: Random, teams: ReadonlyMap<string, string>): Choice {
  const [owner, size, team] = [random.pick(OWNERS), random.below(5), random.pick(TEAMS)];
  return random.pick<Choice>([
    { options: {}, holds: () => true },
    { options: {}, holds: () => true },
    { options: { fieldSelector: `spec.owner=${owner}` }, holds: ({ spec }) => spec.owner === owner },
    { options: { fieldSelector: `spec.owner!=${owner}` }, holds: ({ spec }) => spec.owner !== owner },
    { options: { labelSelector: 'kind=x' }, holds: ({ metadata }) => metadata?.labels?.kind === 'x' },
    {
      options: { filter: `spec.size >= ${size} || spec.owner == "${owner}"` },
      holds: ({ spec }) => (spec.size ?? -1) >= size || spec.owner === owner,
    },
    {
      options: { filter: `ref(spec.writer).spec.team == "${team}"` },
      holds: ({ spec }) => teams.get(spec.writer ?? '') === team,
    },
  ]);
}

/** Stores random notes, then compares random lists between random writes with a plain search. */
export async function checkSearches({ seed, objects, questions }: SearchesRun): Promise<void> {
  const random = new Random(seed);
  const t = await openTestService(temporaryDirectory());
  const other = await openTestService(t.directory);
  try {
    for (const one of [t, other]) await registerNotes(one);
    const teams = new Map(WRITERS.map((name) => [name, random.pick(TEAMS)]));
    for (const [name, team] of teams) await t.service.create(WRITER, { metadata: { name }, spec: { team } });
    const known = new Map<string, NoteDraft>();
    for (let i = 0; i < objects; i++) await write(random.pick([t, other]), random, known, objects);
    for (let i = 0; i < questions; i++) {
      if (random.chance(0.2)) await write(random.pick([t, other]), random, known, objects);
      if (random.chance(0.05)) await makeSegments(random.pick([t, other]));
      await ask(random.pick([t, other]), random, { known, teams }, `SEED=${seed}, question ${i}`);
    }
    expect(await t.check()).toEqual([]);
  } finally {
    await t.close();
    await other.close();
  }
}

type Known = Map<string, NoteDraft>;

async function write({ service }: TestService, random: Random, known: Known, most: number): Promise<void> {
  const name = `n${random.below(most * 2)}`;
  const draft = randomNote(random, name);
  if (!known.has(name)) {
    await service.create(NOTE, draft);
    known.set(name, draft);
  } else if (random.chance(0.3)) {
    await service.delete(NOTE, name);
    known.delete(name);
  } else {
    await service.update(NOTE, name, draft);
    known.set(name, draft);
  }
}

async function ask(
  t: TestService,
  random: Random,
  { known, teams }: { readonly known: Known; readonly teams: ReadonlyMap<string, string> },
  where: string,
): Promise<void> {
  const text = randomSearch(random);
  const { options, holds } = randomChoice(random, teams);
  const objects = [...known.values()].map(({ metadata, spec }) => {
    return { name: metadata?.name ?? '', texts: [spec.title ?? '', ...(spec.body ?? [])] };
  });
  const ranked = search(objects, text).filter(({ name }) => {
    const one = known.get(name);
    return one !== undefined && holds(one);
  });
  const isSorted = random.chance(0.3);
  const sort = isSorted ? { sort: random.pick(['spec.size,desc', 'metadata.name', 'spec.owner']) } : {};
  const asked: ListOptions = { search: text, ...options, ...sort };
  const about = `${where}: ${JSON.stringify(asked)}`;
  if (/^[^"]*-\S/u.test(text) && (await isRefused(t, asked))) return;
  const expected = isSorted
    ? sortedNames(ranked, known, asked.sort as string)
    : ranked.map(({ name }) => name);
  const isEmpty = !/[\p{L}\p{N}]/u.test(text);
  if (isEmpty) return;
  await checkPages(t, random, { asked, expected, about });
  if (random.chance(0.3)) await checkCounts(t, { asked, expected, known, about });
}

/** True for a search of exclusions alone. */
async function isRefused({ service }: TestService, asked: ListOptions): Promise<boolean> {
  const refusal = await service.count(NOTE, asked).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  if (refusal !== undefined) expect(refusal).toContain('only excluded words');
  return refusal !== undefined;
}

function sortedNames(ranked: readonly Ranked[], known: Known, sort: string): string[] {
  const [field = '', direction = 'asc'] = sort.replace('spec.', '').split(',');
  const keyOf = (name: string): string | number => {
    const spec = known.get(name)?.spec;
    if (field === 'metadata.name') return name;
    return field === 'size' ? (spec?.size ?? -1) : (spec?.owner ?? '');
  };
  return ranked
    .map(({ name }) => ({ name, key: keyOf(name) }))
    .sort((a, b) => {
      if (a.key === b.key) return a.name < b.name ? -1 : 1;
      return a.key < b.key === (direction === 'asc') ? -1 : 1;
    })
    .map(({ name }) => name);
}

interface Expected {
  readonly asked: ListOptions;
  /** Names of all matches, in order. */
  readonly expected: readonly string[];
  readonly about: string;
}

async function checkPages(
  t: TestService,
  random: Random,
  { asked, expected, about }: Expected,
): Promise<void> {
  const namesOfPage = async (more: ListOptions) => {
    const { items, total, metadata } = await t.service.list(NOTE, { ...asked, ...more });
    expect(total, about).toBe(expected.length);
    return { names: items.map((one) => one.metadata.name), metadata };
  };
  if (random.chance(0.5)) {
    const [page, size] = [1 + random.below(4), random.below(6)];
    const wanted = size === 0 ? (page === 1 ? expected : []) : expected.slice((page - 1) * size, page * size);
    expect((await namesOfPage({ page, size })).names, `${about}, page ${page} of ${size}`).toEqual(wanted);
    return;
  }
  const limit = 1 + random.below(7);
  const names: string[] = [];
  let token: string | undefined;
  do {
    const part = await namesOfPage({ limit, ...(token !== undefined && { continue: token }) });
    names.push(...part.names);
    token = part.metadata.continue;
  } while (token !== undefined);
  expect(names, `${about}, by ${limit}`).toEqual(expected);
}

async function checkCounts(
  { service }: TestService,
  { asked, expected, known, about }: Expected & { readonly known: Known },
): Promise<void> {
  const page = await service.list(NOTE, {
    ...asked,
    size: 1,
    facets: 'spec.owner',
    aggregates: 'count,sum(spec.size)',
  });
  const counts: Record<string, number> = {};
  let sum = 0;
  for (const name of expected) {
    const { owner, size } = known.get(name)?.spec ?? {};
    if (owner !== undefined) counts[owner] = (counts[owner] ?? 0) + 1;
    if (size !== undefined) sum += size;
  }
  const facet = page.facets?.['spec.owner'] ?? [];
  expect(Object.fromEntries(facet.map(({ value, count }) => [value, count])), about).toEqual(counts);
  const [group] = page.groups ?? [];
  expect(group?.count, about).toBe(expected.length);
  expect(group?.['sum(spec.size)'] ?? 0, about).toBe(sum);
}
