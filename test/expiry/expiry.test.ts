import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import type { OnBlocked } from '../../src/expiry/deletions.js';
import { Expiry } from '../../src/expiry/expiry.js';
import type { Logger } from '../../src/lib/log/logger.js';
import { EXPIRES_AT, TTL } from '../../src/model/expiration.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import { AUTHOR, BOOK } from '../helpers/library.js';
import { PERSON, PET, registerModels } from '../helpers/models.js';
import { makeUnexpiring } from '../helpers/older-store.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';

afterAll(removeDirectories);

const PAST = '2001-01-01T00:00:00Z';
const FUTURE = '2999-01-01T00:00:00Z';
const MINUTE = 60_000;

let t: TestService;
let stop: () => Promise<void>;
/** The time of the service, of which objects get their creation, after that of the machine. */
let createdMs: number;
/** The times that the expiry reads, after those of the machine. */
let ahead: { wall: number; steady: number };
let blocked: [string, string][];
let lines: string[];

beforeEach(async () => {
  [createdMs, ahead, blocked, lines] = [0, { wall: 0, steady: 0 }, [], []];
  t = await openTestService(undefined, {}, { now: () => Date.now() + createdMs });
  await registerModels(t);
  stop = () => Promise.resolve();
});

afterEach(async () => {
  await stop();
  expect(await t.check()).toEqual([]);
  await t.close();
});

const onBlocked: OnBlocked = ({ metadata }, reason) => void blocked.push([metadata.name, reason]);
const write = (text: string): void => void lines.push(text);
const logger: Logger = { debug: write, info: write, warn: write, error: write };

/** Begins to delete what has expired. */
function expire(): void {
  const ending = new AbortController();
  const running = new Expiry({
    service: t.service,
    logger,
    signal: ending.signal,
    admit: (run) => run(undefined),
    onBlocked,
    clocks: { wall: () => Date.now() + ahead.wall, steady: () => performance.now() + ahead.steady },
  }).run();
  stop = () => {
    ending.abort();
    return running;
  };
}

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

async function person(name: string, annotations: Record<string, string>, finalizers?: string[]) {
  const metadata = { name, annotations, ...(finalizers && { finalizers }) };
  return (await t.service.create(PERSON, { metadata, spec: {} })).object;
}

const annotate = (name: string, annotations: Record<string, string | null>): Promise<unknown> =>
  t.service.patch(PERSON, name, { metadata: { annotations } }, 'merge');

const namesOf = (model: ResourceRef = PERSON): Promise<string[]> => t.service.listNames(model);
const left = (names: string[], model = PERSON): Promise<void> =>
  expect.poll(() => namesOf(model)).toEqual(names);

/** After this, every object that had expired before was looked at. */
async function lookedThrough(): Promise<void> {
  await t.service.create(PET, {
    metadata: { name: 'last', annotations: { [EXPIRES_AT]: PAST } },
    spec: { species: 'cat' },
  });
  await left([], PET);
}

it('deletes an object at its time, as somebody whom the history names, and not before', async () => {
  const due = inMs(1_500);
  await person('ann', { [EXPIRES_AT]: due });
  await person('bob', { [EXPIRES_AT]: FUTURE });
  await person('cid', {});
  expire();
  await left(['bob', 'cid']);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(due));
  const { items } = await t.service.history(PERSON, 'ann');
  expect(items[0]).toMatchObject({ verb: 'delete', user: 'system:expiry' });
  expect(Date.parse(items[0]?.time ?? '')).toBeGreaterThanOrEqual(Date.parse(due));
});

it('counts a ttl from the creation, which later changes do not move', async () => {
  createdMs = -30_000 + 1_000;
  await person('ann', { [TTL]: '30s' });
  await person('bob', { [TTL]: '10m' });
  createdMs = 0;
  await t.service.patch(PERSON, 'ann', { spec: { age: 3 } }, 'merge');
  expire();
  await left(['bob']);
});

it('deletes what has expired before it began, what expires when it is created, and what is made to expire', async () => {
  await person('ann', { [EXPIRES_AT]: PAST });
  expire();
  await left([]);
  await person('bob', { [EXPIRES_AT]: PAST });
  await left([]);
  await person('cid', {});
  await annotate('cid', { [EXPIRES_AT]: PAST });
  await left([]);
});

it('takes a value that was changed in time, or removed, or added', async () => {
  const due = inMs(900);
  await person('later', { [EXPIRES_AT]: due });
  await person('never', { [EXPIRES_AT]: due });
  await person('both', { [EXPIRES_AT]: FUTURE, [TTL]: '10000h' });
  await person('sooner', { [TTL]: '1h' });
  expire();
  await annotate('later', { [EXPIRES_AT]: FUTURE });
  await annotate('never', { [EXPIRES_AT]: null });
  await annotate('sooner', { [EXPIRES_AT]: PAST });
  await left(['both', 'later', 'never']);
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(due));
  await lookedThrough();
  await left(['both', 'later', 'never']);
  await annotate('both', { [EXPIRES_AT]: PAST });
  await left(['later', 'never']);
});

it('does all that a deletion does with other objects', async () => {
  await t.service.create(AUTHOR, { metadata: { name: 'eco', annotations: { [EXPIRES_AT]: PAST } } });
  const book = (name: string, spec: object): Promise<unknown> =>
    t.service.create(BOOK, { metadata: { name }, spec });
  await book('rose', { owner: 'eco' });
  await book('island', { editor: 'eco' });
  expire();
  await left(['island'], BOOK);
  await left([], AUTHOR);
  expect((await t.service.get(BOOK, 'island')).spec).toEqual({});
});

it('reports what a reference restricts, and tries it again every minute', async () => {
  const annotations = { [EXPIRES_AT]: PAST };
  await t.service.create(AUTHOR, { metadata: { name: 'eco', annotations } });
  await t.service.create(AUTHOR, { metadata: { name: 'free', annotations } });
  await t.service.create(BOOK, { metadata: { name: 'rose' }, spec: { author: 'eco' } });
  expire();
  await left(['eco'], AUTHOR);
  await expect.poll(() => blocked).toEqual([['eco', expect.stringContaining('1 object refers to it')]]);
  await t.service.delete(BOOK, 'rose');
  await lookedThrough();
  expect(await namesOf(AUTHOR)).toEqual(['eco']);
  expect(blocked).toHaveLength(1);
  ahead.steady += MINUTE;
  ahead.wall = ahead.steady;
  await left([], AUTHOR);
  expect(blocked).toHaveLength(1);
});

it('marks what finalizers hold, reports it every minute, and does not mark it twice', async () => {
  await person('ann', { [EXPIRES_AT]: PAST }, ['example.com/a', 'example.com/b']);
  expire();
  const reason = 'the deletion waits for finalizers: example.com/a, example.com/b';
  await expect.poll(() => blocked).toEqual([['ann', reason]]);
  const { metadata } = await t.service.get(PERSON, 'ann');
  expect(metadata.deletionTimestamp).toBeDefined();
  await lookedThrough();
  expect(blocked).toHaveLength(1);
  for (const times of [2, 3]) {
    ahead.steady += MINUTE;
    await expect.poll(() => blocked).toHaveLength(times);
  }
  expect((await t.service.get(PERSON, 'ann')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  await t.service.patch(PERSON, 'ann', { metadata: { finalizers: null } }, 'merge');
  expect(await namesOf()).toEqual([]);
});

it('tries an object that was held again at its new time', async () => {
  await t.service.create(AUTHOR, { metadata: { name: 'eco', annotations: { [EXPIRES_AT]: PAST } } });
  await t.service.create(BOOK, { metadata: { name: 'rose' }, spec: { author: 'eco' } });
  expire();
  await expect.poll(() => blocked).toHaveLength(1);
  await t.service.delete(BOOK, 'rose');
  await t.service.patch(AUTHOR, 'eco', { metadata: { annotations: { [EXPIRES_AT]: inMs(300) } } }, 'merge');
  await left([], AUTHOR);
});

it('is not held up by those that stay, however many they are', async () => {
  const items = Array.from({ length: 600 }, (_, i) => ({
    verb: 'create' as const,
    resource: PERSON,
    object: {
      metadata: {
        name: `p${i}`,
        annotations: { [EXPIRES_AT]: PAST },
        ...(i < 500 && { finalizers: ['example.com/a'] }),
      },
      spec: {},
    },
  }));
  await t.service.batch(items);
  expire();
  await expect.poll(async () => (await namesOf()).length).toBe(500);
  await expect.poll(() => new Set(blocked.map(([name]) => name)).size).toBe(500);
  expect(blocked).toHaveLength(500);
  await lookedThrough();
});

it('does not believe a clock that jumps ahead, and catches up with one that was set back', async () => {
  await person('ann', { [EXPIRES_AT]: inMs(60 * MINUTE) });
  await person('bob', { [EXPIRES_AT]: inMs(-1_000) });
  ahead.wall = -10 * MINUTE;
  expire();
  await lookedThrough();
  expect(await namesOf()).toEqual(['ann', 'bob']);
  ahead.wall = 365 * 24 * 60 * MINUTE;
  await person('cid', {});
  await lookedThrough();
  expect(await namesOf()).toEqual(['ann', 'bob', 'cid']);
  // After ten minutes the clock is believed.
  ahead.steady = 10 * MINUTE;
  await left(['cid']);
});

it('leaves an object that changes at its time to the next turn, and loses none', async () => {
  const random = new Random(seedOfRun());
  console.log(`SEED=${random.seed}`);
  const names = Array.from({ length: 40 }, (_, i) => `p${i}`);
  const kept = names.filter(() => random.chance(0.5)).sort();
  for (const name of names) await person(name, { [EXPIRES_AT]: inMs(400 + random.below(600)) });
  expire();
  await Promise.all(
    names.map(async (name) => {
      for (let age = 0; age < 10; age++)
        await t.service.patch(PERSON, name, { spec: { age } }, 'merge').catch(() => undefined);
      if (kept.includes(name)) await annotate(name, { [EXPIRES_AT]: FUTURE }).catch(() => undefined);
    }),
  );
  const saved = (await t.service.list(PERSON)).items
    .filter(({ metadata }) => metadata.annotations?.[EXPIRES_AT] === FUTURE)
    .map(({ metadata }) => metadata.name);
  await left(saved);
  await lookedThrough();
  expect(await namesOf()).toEqual(saved);
});

it('does not delete an object whose end was changed while it waited for its turn', async () => {
  const names = Array.from({ length: 250 }, (_, i) => `p${i}`);
  const object = (name: string, due: string) => ({
    verb: 'create' as const,
    resource: PERSON,
    object: { metadata: { name, annotations: { [EXPIRES_AT]: due } }, spec: {} },
  });
  // The last one comes last, as it expired last.
  await t.service.batch([...names.map((name) => object(name, PAST)), object('last', '2002-01-01T00:00:00Z')]);
  expire();
  await expect.poll(() => t.service.count(PERSON), { interval: 1 }).toBeLessThan(251);
  await annotate('last', { [EXPIRES_AT]: FUTURE });
  await left(['last']);
  await lookedThrough();
  expect(await namesOf()).toEqual(['last']);
});

it('deletes 1,000 objects that expire at one time, and answers others meanwhile', async () => {
  const items = Array.from({ length: 1_000 }, (_, i) => ({
    verb: 'create' as const,
    resource: PERSON,
    object: { metadata: { name: `p${i}`, annotations: { [EXPIRES_AT]: PAST } }, spec: { age: i } },
  }));
  await t.service.batch(items);
  await person('ann', {});
  await t.service.create(PET, {
    metadata: { name: 'rex', annotations: { [EXPIRES_AT]: PAST } },
    spec: { species: 'cat' },
  });
  let [reads, before] = [0, 1_001];
  let petGoneAt: number | undefined;
  expire();
  while (before > 1) {
    expect((await t.service.get(PERSON, 'ann')).metadata.name).toBe('ann');
    reads += 1;
    before = await t.service.count(PERSON);
    if (petGoneAt === undefined && (await t.service.count(PET)) === 0) petGoneAt = before;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(reads).toBeGreaterThan(100);
  // Objects of other models need not wait for all of them.
  expect(petGoneAt).toBeGreaterThan(500);
});

it('expires objects of a store whose program neither knew nor checked the annotations', async () => {
  for (const name of ['due', 'later', 'wrong', 'half', 'plain']) await person(name, { [EXPIRES_AT]: FUTURE });
  const { directory } = t;
  await t.close();
  const values: Record<string, Record<string, unknown> | undefined> = {
    due: { [EXPIRES_AT]: PAST },
    wrong: { [EXPIRES_AT]: 'soon', [TTL]: '' },
    half: { [EXPIRES_AT]: PAST, [TTL]: ['1h'] },
    plain: undefined,
  };
  await makeUnexpiring(directory, ({ metadata }: ExtensionObject) => {
    if (metadata.name in values) Object.assign(metadata, { annotations: values[metadata.name] });
  });
  t = await openTestService(directory);
  await registerModels(t);
  expire();
  await left(['later', 'plain', 'wrong']);
  const { warnings } = await t.service.patch(PERSON, 'wrong', { spec: { age: 1 } }, 'merge');
  expect(warnings.join()).toContain('an error from before this write');
});

it('leaves a model whose code is not loaded, and goes on when it is', async () => {
  await person('ann', { [EXPIRES_AT]: PAST });
  const { directory } = t;
  await t.close();
  t = await openTestService(directory);
  expire();
  await registerModels(t);
  await left([]);
  expect(lines.filter((line) => line.startsWith('cannot'))).toEqual([]);
});
