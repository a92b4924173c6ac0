import { afterAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import type { Scheme } from '../../src/model/declare/scheme.js';
import type { ListOptions } from '../../src/query/list-options.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';
import {
  type CrateSpec,
  type CrateVersion,
  crateRef,
  FIRST_RELEASE,
  load,
  loadedScheme,
  migrationId,
  nextRelease,
  type Release,
  titleField,
  unload,
} from './crates.js';
import { type PageReader, readPage, servePages } from './page-reader.js';

afterAll(removeDirectories);

const seed = seedOfRun();
const QUESTIONS = 16;
/** More than two commits of any work on all objects. */
const OBJECTS = 150;
const VERSIONS = ['v1', 'v1alpha1'] as const;

interface Question {
  readonly ref: ResourceRef;
  readonly options: ListOptions;
}

function randomQuestion(random: Random): Question {
  const version = random.pick(VERSIONS);
  const sort = random.pick([
    'metadata.name',
    'metadata.name,desc',
    titleField(version),
    'spec.level,desc',
    'grade',
    'spec.tags',
  ]);
  const selector = random.pick([
    {},
    { labelSelector: `tier=${random.pick(['gold', 'iron'])}` },
    { fieldSelector: `spec.level>=${random.below(20)}` },
    { fieldSelector: `${titleField(version)}>=${random.pick(['f', 'm'])}` },
    { fieldSelector: `grade=${random.below(3)}` },
    { fieldSelector: 'spec.tags in (a,b)', labelSelector: 'tier=gold' },
  ]);
  const part = random.pick([
    { limit: 1 + random.below(8) },
    { page: 1 + random.below(6), size: 1 + random.below(8) },
    { page: 1, size: 5, facets: titleField(version) },
    { page: 1, size: 100 },
  ]);
  return { ref: crateRef(version), options: { ...(random.chance(0.8) && { sort }), ...selector, ...part } };
}

/** Crates of one store in two processes; the pages are those of the first. */
class Depot {
  readonly questions: Question[];
  latest: Release = FIRST_RELEASE;
  /** The processes that have loaded the latest release. */
  readonly current = new Set<TestService>();
  /** Number of pages that were compared while the store changed. */
  compared = 0;
  /** Number of times that a kept page outlived a change of its model's objects by a migration or the like. */
  renewedMeanwhile = 0;
  /** The steps so far. */
  readonly trail: string[] = [];

  /** How many questions are asked meanwhile depends on the time; the steps do not. */
  readonly #asking: Random;

  constructor(
    readonly random: Random,
    readonly reader: TestService,
    readonly other: TestService,
    readonly pages: PageReader,
  ) {
    this.#asking = new Random(random.seed + 1);
    this.questions = Array.from({ length: QUESTIONS }, () => randomQuestion(random));
  }

  async load(process: TestService, release: Release): Promise<void> {
    if (release !== this.latest) this.current.clear();
    this.latest = release;
    this.current.add(process);
    await load(process, release);
  }

  /** A process with the latest release. */
  anyCurrent(): TestService {
    return this.random.pick([...this.current]);
  }

  async write(): Promise<void> {
    const { random } = this;
    const process = random.pick([this.reader, this.other]);
    const version = random.pick(VERSIONS);
    const ref = crateRef(version);
    const name = `c${random.below(OBJECTS * 1.1)}`;
    const crate = randomCrate(random, version, name);
    const { service } = process;
    try {
      if (random.chance(0.1)) await service.delete(ref, name);
      else if (random.chance(0.8))
        await service.patch(ref, name, { spec: { level: random.below(20) } }, 'merge');
      else await service.create(ref, crate).catch(() => service.update(ref, name, crate));
    } catch (error) {
      // It does not exist, or the process has another release than the latest.
      expect(error).toBeInstanceOf(ServiceError);
    }
  }

  /** Asks while the store may change: what is refused before and after must be refused, too. */
  async #askOne(question: Question): Promise<void> {
    const { ref, options } = question;
    const before = await readPage(this.reader.service, ref, options);
    const kept = await this.pages.get(ref, options);
    const after = await readPage(this.reader.service, ref, options);
    if (kept === undefined) return;
    const same = [before, after].find((list) => list !== undefined && versionOf(list) === versionOf(kept));
    if (same === undefined) {
      expect(before ?? after, this.at(question)).toBeDefined();
      return;
    }
    this.compared++;
    expect(comparable(kept), this.at(question)).toEqual(comparable(same));
  }

  /** Asks a few questions again and again until the work is done. */
  async askDuring(work: Promise<unknown>): Promise<void> {
    const few = this.random.many(3, 6, () => this.random.pick(this.questions));
    const before = this.pages.renewed();
    const over = new AbortController();
    const done = work.finally(() => over.abort());
    // Awaited below.
    done.catch(() => undefined);
    while (!over.signal.aborted) await this.#askOne(this.#asking.pick(few));
    this.renewedMeanwhile += this.pages.renewed() - before;
    await done;
  }

  /** Asks everything while nothing changes. */
  async askAll(): Promise<void> {
    // A store is opened with the lock of writers: a commit of this process that holds it meanwhile would never end.
    for (const { store } of [this.reader, this.other]) await store.engine.commit(() => undefined);
    const fresh = await openTestService(this.reader.directory, {}, { cacheBytes: 0 });
    try {
      const scheme = loadedScheme(this.reader);
      if (scheme !== undefined && fresh.store.findTable(scheme.resource) !== undefined)
        await fresh.store.attachCode(scheme);
      fresh.service.models.openStored();
      for (const question of this.questions) {
        const { ref, options } = question;
        const kept = await this.pages.get(ref, options);
        expect(kept, this.at(question)).toBe(await readPage(this.reader.service, ref, options));
        const isStored = fresh.store.findTable(ref)?.resource.version === ref.version;
        if (isStored && kept !== undefined)
          expect(kept, this.at(question)).toBe(await readPage(fresh.service, ref, options));
        this.follow(question, kept);
      }
    } finally {
      await fresh.close();
    }
  }

  /** Asks for the rest of some lists later on. */
  private follow({ ref, options }: Question, page = ''): void {
    const token = /"continue":"([^"]+)"/.exec(page)?.[1];
    if (token === undefined || !this.random.chance(0.3)) return;
    this.questions[this.random.below(QUESTIONS)] = { ref, options: { ...options, continue: token } };
  }

  private at({ ref, options }: Question): string {
    return `SEED=${this.random.seed}, ${this.trail.join(', ')}: ${ref.version} ${JSON.stringify(options)}`;
  }
}

function randomCrate(random: Random, version: CrateVersion, name: string) {
  const title = random.pick(['ax', 'bow', 'fig', 'map', 'oak', 'zinc']);
  return {
    metadata: { name, labels: { tier: random.pick(['gold', 'iron']) } },
    spec: {
      ...(version === 'v1' ? { title } : { subject: title }),
      level: random.below(20),
      tags: random.many(0, 2, () => random.pick(['a', 'b', 'c'])),
    },
  };
}

/** The resource version of a list comes before those of its objects. */
function versionOf(list: string): string | undefined {
  return /"resourceVersion":"(\d+)"/.exec(list)?.[1];
}

/** A rewrite changes no revision, but in which form an object is stored, and shown without code. */
function comparable(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => {
    if (key === 'apiVersion') return undefined;
    if (key !== 'spec') return value;
    const { title, subject, level, tags } = value as CrateSpec;
    return { title: title ?? subject, level, tags };
  });
}

async function fill({ service }: TestService, random: Random): Promise<void> {
  const items = Array.from({ length: OBJECTS }, (_, i) => {
    const object = randomCrate(random, 'v1', `c${i}`);
    return { verb: 'create', resource: crateRef('v1'), object } as const;
  });
  await service.batch(items);
}

async function openDepot(random: Random): Promise<Depot> {
  const reader = await openTestService(temporaryDirectory());
  const other = await openTestService(reader.directory);
  const depot = new Depot(random, reader, other, await servePages(reader.service));
  await depot.load(reader, FIRST_RELEASE);
  await depot.load(other, FIRST_RELEASE);
  await fill(reader, random);
  return depot;
}

async function closeDepot({ reader, other, pages }: Depot): Promise<void> {
  await pages.close();
  const found = await reader.check();
  await reader.close();
  await other.close();
  expect(found).toEqual([]);
}

/** Ways in which a model changes; pages are asked for meanwhile. */
const STEPS = Object.entries<(depot: Depot) => Promise<void>>({
  async release(depot) {
    const { random, latest, reader, other } = depot;
    await depot.askDuring(depot.load(random.pick([reader, other]), nextRelease(random, latest)));
  },
  async migration(depot) {
    const { random, latest, reader, other } = depot;
    const process = random.chance(0.2) ? reader : other;
    await depot.askDuring(depot.load(process, { ...latest, migrations: latest.migrations + 1 }));
  },
  async rewrite(depot) {
    const { random, latest, reader, other } = depot;
    const process = random.pick([reader, other]);
    await depot.load(process, { ...latest, stored: latest.stored === 'v1' ? 'v1alpha1' : 'v1' });
    await depot.askAll();
    const { lifecycle } = process.service.models;
    for (const table of lifecycle.mixedTables()) await depot.askDuring(lifecycle.rewrite(table));
  },
  async rollback(depot) {
    const { random, latest, reader, other } = depot;
    const process = random.pick([reader, other]);
    const { migrations } = latest;
    await depot.load(process, { ...latest, migrations: migrations + 1 });
    await depot.askAll();
    const { lifecycle } = process.service.models;
    await depot.askDuring(lifecycle.rollBack(schemeOf(process), { to: migrationId(migrations) }));
    await depot.askAll();
    await depot.askDuring(depot.load(random.pick([reader, other]), { ...latest, migrations }));
  },
  async reindex(depot) {
    const process = depot.anyCurrent();
    await depot.askDuring(process.service.models.lifecycle.reindex(schemeOf(process)));
  },
  /** The declaration is the same, so the store does not change. */
  async 'other code'(depot) {
    const { reader } = depot;
    await depot.load(reader, { ...depot.latest, stored: 'v1', suffix: '!' });
    const { lifecycle } = reader.service.models;
    for (const table of lifecycle.mixedTables()) await depot.askDuring(lifecycle.rewrite(table));
    await depot.askAll();
    await depot.load(reader, { ...depot.latest, suffix: '?' });
  },
  async 'no code'(depot) {
    unload(depot.reader);
    depot.current.delete(depot.reader);
    if (depot.current.size === 0) await depot.load(depot.other, depot.latest);
    depot.reader.service.models.openStored();
  },
  async 'new objects'(depot) {
    const process = depot.anyCurrent();
    const { service } = process;
    const table = service.models.table(crateRef(depot.latest.stored));
    await depot.askDuring(service.models.lifecycle.dropObjects(table));
    await depot.askAll();
    if (depot.random.chance(0.5)) {
      await service.models.lifecycle.forget(table);
      await depot.load(process, depot.latest);
    }
    await fill(process, depot.random);
  },
});

function schemeOf(process: TestService): Scheme {
  const scheme = loadedScheme(process);
  if (scheme === undefined) throw new Error('no crates are loaded');
  return scheme;
}

describe(`kept pages of a model that changes are the same as new ones (SEED=${seed})`, () => {
  it('after releases, migrations and rollbacks in two processes', async () => {
    const random = new Random(seed);
    const depot = await openDepot(random);
    try {
      await depot.askAll();
      for (const [name, step] of random.shuffled([
        ...STEPS,
        ...STEPS.filter(([name]) => name === 'release'),
      ])) {
        depot.trail.push(name);
        await step(depot);
        await depot.askAll();
        for (let i = 0; i < 2; i++) {
          await depot.write();
          await depot.askAll();
        }
      }
      expect(depot.compared).toBeGreaterThan(0);
      // Few steps leave a page that can be renewed, so some seeds have none.
      expect(depot.pages.sentAgain() + depot.pages.renewed()).toBeGreaterThan(0);
    } finally {
      await closeDepot(depot);
    }
  });

  it('in a process without its code, while objects are rewritten', async () => {
    const depot = await openDepot(new Random(seed));
    const { reader, other, pages } = depot;
    try {
      unload(reader);
      reader.service.models.openStored();
      await depot.load(other, { ...FIRST_RELEASE, stored: 'v1alpha1' });
      const page = { limit: 5 };
      for (const _ of [1, 2]) expect(await pages.get(crateRef('v1'), page)).toContain('"title"');
      const stop = new AbortController();
      await other.service.models.lifecycle.rewrite(other.service.models.table(crateRef('v1')), {
        signal: stop.signal,
        progress: () => stop.abort(),
      });
      expect(await pages.get(crateRef('v1'), page)).toBe(
        await readPage(reader.service, crateRef('v1'), page),
      );
    } finally {
      await closeDepot(depot);
    }
  });
});
