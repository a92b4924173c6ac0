import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import { isOwnerAlive, ownerName } from '../../src/lib/process/process-identity.js';
import { Work } from '../../src/lib/work/work.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { ListOptions } from '../../src/query/list-options.js';
import { Queries } from '../../src/query/condition-builders.js';
import { iterateCopies } from '../../src/service/read/list.js';
import { LongObjects } from '../../src/service/read/listed-objects.js';
import { Models } from '../../src/service/models.js';
import { Service } from '../../src/service/service.js';
import { check } from '../../src/store/check.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { ModelLifecycle } from '../../src/lifecycle/model-lifecycle.js';
import { declarePersonIndexes, Person, PERSON } from '../helpers/models.js';
import { countSnapshots, type CountedSnapshots } from '../helpers/snapshots.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { person, refusal } from '../suites/verbs-helpers.js';

const OBJECTS = 3_000;
const CHARACTERS = '0123456789abcdefghijklmnopqrstuvwxyz';
/** Parts of the owners' names and of the objects' names, some of which none has. */
const PARTS = Array.from({ length: 50 }, (_, i) => `${CHARACTERS.charAt(i % 36)}${i % 7}`);

let service: Service;
let snapshots: CountedSnapshots;
let onRead = (): void => undefined;

beforeAll(async () => {
  snapshots = countSnapshots(await openLmdb(temporaryDirectory()), () => onRead());
  const lifecycle = await ModelLifecycle.open(snapshots.engine, {
    now: Date.now,
    owner: ownerName(),
    isAlive: isOwnerAlive,
  });
  const models = new Models(lifecycle);
  const { store } = lifecycle;
  service = new Service({ store, models });
  await models.open(new SchemeRegistry().register(Person, 'test', declarePersonIndexes));
  const objects = Array.from({ length: OBJECTS }, (_, i) => {
    const text = Math.imul(i + 1, 2_654_435_761)
      .toString(36)
      .replace('-', 'x');
    return person(`p${i}-${text}`, { owner: `${text} ${i}`, tags: [text, `t${i % 7}`], age: i % 90 });
  });
  await service.batch(objects.map((object) => ({ verb: 'create', resource: PERSON, object })));
});
afterAll(async () => {
  await service.close();
  removeDirectories();
});

function each(test: (part: string) => string, sign: '&&' | '||', parts = PARTS): string {
  return parts.map(test).join(` ${sign} `);
}

const FIFTY = each((part) => `spec.owner.contains("${part}")`, '||');
const LISTS: Readonly<Record<string, ListOptions>> = {
  'of 50 contains': { filter: FIFTY, size: 10 },
  'of 40 !contains': {
    filter: each((part) => `!spec.owner.contains("${part}")`, '&&', PARTS.slice(0, 40)),
    size: 10,
  },
  'of 50 contains on the name': {
    filter: each((part) => `metadata.name.contains("${part}")`, '||'),
    size: 10,
  },
  'of 25 exists': {
    filter: each((part) => `spec.tags.exists(t, t.endsWith("${part}"))`, '||', PARTS.slice(0, 25)),
    size: 10,
  },
  'with 10 facets': {
    facets: ['owner', 'tags', 'age', 'nick', 'serial', 'score', 'active', 'born', 'visits', 'emails'].map(
      (name) => `spec.${name}`,
    ),
    facetLimit: 1_000,
    size: 1,
  },
  'in an order of two fields': { sort: ['spec.age', 'spec.owner'] },
};

/** Drops what earlier lists left in memory, so that all is read again. */
async function forgetAll(): Promise<void> {
  await service.listCaches.idle();
  for (const { modelId } of service.store.allTables()) service.listCaches.forget(modelId);
}

/** A list whose client goes away at one of its reads. */
async function listLeftAt(read: number, options: ListOptions): Promise<unknown> {
  const client = new AbortController();
  let reads = 0;
  onRead = () => {
    if (++reads === read) client.abort();
  };
  try {
    return await service.list(PERSON, options, { work: new Work({ signal: client.signal }) });
  } catch (error) {
    return error;
  } finally {
    onRead = () => undefined;
  }
}

async function readsOf(options: ListOptions): Promise<number> {
  let reads = 0;
  onRead = () => reads++;
  await service.list(PERSON, options);
  onRead = () => undefined;
  return reads;
}

describe.each(Object.entries(LISTS))('a list %s', (_name, options) => {
  it('ends where its client leaves, gives its snapshot back, and spoils no later list', async () => {
    const expected = await service.list(PERSON, options);
    await forgetAll();
    const reads = await readsOf(options);
    const places = [1, 2, Math.ceil(reads / 3), Math.ceil(reads / 2), reads - 1, reads];
    for (const read of places) {
      await forgetAll();
      const left = await listLeftAt(read, options);
      // At its last read it may be complete.
      if (read <= reads / 2) expect(left).toMatchObject({ code: 'ServiceUnavailable' });
      if (left instanceof ServiceError) expect(left.message).toBe('the request was cancelled');
      else expect(left).toEqual(expected);
      expect(snapshots.open()).toBe(0);
      expect(await service.list(PERSON, options)).toEqual(expected);
    }
  });

  it('may read as many entries as its limit, and no more', async () => {
    await forgetAll();
    const free = new Work();
    const expected = await service.list(PERSON, options, { work: free });
    await forgetAll();
    const enough = new Work({ entriesMax: free.entries });
    expect(await service.list(PERSON, options, { work: enough })).toEqual(expected);
    expect(enough.entries).toBe(free.entries);
    await forgetAll();
    // A streamed list is refused before it begins, by the least that it reads.
    const entriesMax = options.size === undefined ? OBJECTS - 1 : free.entries - 1;
    const error = await refusal(service.list(PERSON, options, { work: new Work({ entriesMax }) }));
    expect(error.code).toBe('RequestEntityTooLarge');
    expect(error.message).toContain(`more than ${entriesMax} index entries`);
    expect(snapshots.open()).toBe(0);
  });
});

describe('conditions on one index', () => {
  it.each(['of 50 contains', 'of 40 !contains', 'of 50 contains on the name'])(
    'are decided in one pass: %s',
    async (name) => {
      await forgetAll();
      const { entriesRead, filters } = await service.explain(PERSON, LISTS[name]);
      // The index once, all names for what is excluded, and the names of the page.
      expect(entriesRead).toBeLessThan(2.5 * OBJECTS);
      expect(filters.filter(({ from }) => from === 'index').length).toBeGreaterThanOrEqual(40);
    },
  );

  it('share a pass by the part of the index that they look at', async () => {
    await forgetAll();
    const query = Queries.or(
      ...Array.from({ length: 130 }, (_, i) => Queries.contains('spec.owner', `${i}`)),
    );
    const expected = await service.count(PERSON, { filter: 'spec.owner.contains("0") || true' });
    const work = new Work();
    expect(await service.count(PERSON, { query }, { work })).toBe(expected);
    // 64 conditions a pass.
    expect(work.entries).toBe(3 * OBJECTS);
  });

  it('are in memory for the next list', async () => {
    await forgetAll();
    await service.list(PERSON, { filter: FIFTY, size: 1 });
    const one = await service.explain(PERSON, { filter: `spec.owner.contains("${PARTS[7] ?? ''}")` });
    expect(one.filters).toMatchObject([{ from: 'memory' }]);
  });
});

describe('two lists that ask for the same at once', () => {
  it('are answered each by itself: when one client leaves, the other gets its answer', async () => {
    const options: ListOptions = { filter: FIFTY, size: 10 };
    const expected = await service.list(PERSON, options);
    await forgetAll();
    const client = new AbortController();
    const left = refusal(service.list(PERSON, options, { work: new Work({ signal: client.signal }) }));
    const stayed = service.list(PERSON, options, { work: new Work() });
    let reads = 0;
    onRead = () => {
      if (++reads === 5) client.abort();
    };
    expect((await left).code).toBe('ServiceUnavailable');
    expect(await stayed).toEqual(expected);
    onRead = () => undefined;
    expect(snapshots.open()).toBe(0);
  });
});

describe('a streamed list', () => {
  it('ends where its client leaves', async () => {
    const client = new AbortController();
    const raw = await service.listRaw(PERSON, {}, { work: new Work({ signal: client.signal }) });
    expect(raw.objects).toBeInstanceOf(LongObjects);
    const objects = iterateCopies(raw);
    let chunks = 0;
    const reading = (async () => {
      for await (const _ of objects) if (++chunks === 2) client.abort();
    })();
    expect((await refusal(reading)).code).toBe('ServiceUnavailable');
    expect(chunks).toBe(2);
    expect(snapshots.open()).toBe(0);
  });

  it('is read to its end once it has begun, and refused before when it would read too much', async () => {
    const most = new Work({ entriesMax: OBJECTS });
    expect((await service.list(PERSON, {}, { work: most })).items).toHaveLength(OBJECTS);
    const error = await refusal(service.list(PERSON, {}, { work: new Work({ entriesMax: OBJECTS - 1 }) }));
    expect(error.code).toBe('RequestEntityTooLarge');
    expect(snapshots.open()).toBe(0);
  });

  it('ends with the reason of its time limit when that is one of the service', async () => {
    const reason = new ServiceError('ServiceUnavailable', 'the time is over');
    const work = new Work({ signal: AbortSignal.abort(reason) });
    expect(await refusal(service.list(PERSON, {}, { work }))).toBe(reason);
    expect(snapshots.open()).toBe(0);
  });
});

describe('a list that would read too much', () => {
  it('reports the reads of each condition and facet', async () => {
    await forgetAll();
    const options = { filter: FIFTY, facets: ['spec.tags'], size: 1 };
    const work = new Work({ entriesMax: 2 * OBJECTS });
    const { message } = await refusal(service.list(PERSON, options, { work }));
    expect(message).toContain('narrow it');
    expect(message).toMatch(
      /read so far: .*3000 for spec\.owner contains "\w+" and 49 other conditions of that field/,
    );
    expect(message).toContain('for the facet spec.tags');
  });

  it('is refused as names, number, explanation and facets too', async () => {
    const options = { filter: 'spec.owner.contains("zz9") || spec.owner.endsWith("q")' };
    const tooMuch = (): Work => new Work({ entriesMax: OBJECTS - 1 });
    for (const ask of [
      () => service.listNames(PERSON, options, { work: tooMuch() }),
      () => service.count(PERSON, options, { work: tooMuch() }),
      () => service.explain(PERSON, options, { work: tooMuch() }),
      () => service.list(PERSON, { facets: ['spec.owner'], size: 1 }, { work: tooMuch() }),
      () => service.eachName(PERSON, options, tooMuch()).next(),
    ]) {
      await forgetAll();
      expect((await refusal(Promise.resolve(ask()))).code).toBe('RequestEntityTooLarge');
      expect(snapshots.open()).toBe(0);
    }
  });
});

describe('other long reads', () => {
  it('the check of a store is refused before it begins, and ends where its client leaves', async () => {
    const found = async (work: Work): Promise<number> => {
      let disagreements = 0;
      for await (const _ of check(service.store, work)) disagreements++;
      return disagreements;
    };
    const free = new Work();
    expect(await found(free)).toBe(0);
    const tooMuch = new Work({ entriesMax: 2 * OBJECTS });
    expect((await refusal(found(tooMuch))).code).toBe('RequestEntityTooLarge');
    expect(tooMuch.entries).toBe(0);
    // Only some entries are counted beforehand; a check that has begun is not cut off for the others.
    expect(await found(new Work({ entriesMax: free.entries - 1 }))).toBe(0);

    const client = new AbortController();
    let reads = 0;
    onRead = () => {
      if (++reads === 100) client.abort();
    };
    expect((await refusal(found(new Work({ signal: client.signal })))).code).toBe('ServiceUnavailable');
    onRead = () => undefined;
    expect(snapshots.open()).toBe(0);
  });

  it('a history, what refers to an object and what it owns end with their work', async () => {
    await service.create(PERSON, person('gone'));
    await service.delete(PERSON, 'gone');
    const ended = (): Work => new Work({ signal: AbortSignal.abort() });
    for (const ask of [
      () => service.history(PERSON, 'gone', {}, { work: ended() }),
      () => service.history(PERSON, 'gone', {}, { work: new Work({ entriesMax: 0 }) }),
      () => service.listNames(PERSON, {}, { work: ended() }),
    ]) {
      await refusal(ask());
      expect(snapshots.open()).toBe(0);
    }
    expect((await service.history(PERSON, 'gone', {}, { work: new Work() })).items).toHaveLength(2);
  });
});
