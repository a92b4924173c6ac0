import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type * as Backup from '../../src/admin/backup.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { ObjectDraft } from '../../src/model/object.js';
import type { ListOptions } from '../../src/query/list-options.js';
import { readUndoing, writeUndone } from '../../src/cli/past/undo.js';
import { Thing, thing, THING } from '../store/helpers.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';
import { type PageReader, readPage, servePages } from './page-reader.js';

// As it was built: it starts another process.
const { backUpStore, restoreStore } = (await import(
  new URL('../../dist/admin/backup.js', import.meta.url).href
)) as typeof Backup;

afterAll(removeDirectories);

const seed = seedOfRun();
const NAMES = Array.from({ length: 60 }, (_, i) => `t${i}`);

function randomPage(random: Random): ListOptions {
  return {
    ...random.pick([{}, { sort: 'spec.size' }, { sort: 'spec.size,desc' }, { sort: 'metadata.name,desc' }]),
    ...random.pick([
      {},
      { fieldSelector: `spec.size>=${random.below(90)}` },
      { labelSelector: `tier=${random.pick(['gold', 'iron'])}` },
    ]),
    ...random.pick([
      { limit: 1 + random.below(6) },
      { page: 1 + random.below(5), size: 1 + random.below(6) },
    ]),
  };
}

function randomThing(random: Random, name: string): ObjectDraft {
  const draft = thing(name, { size: random.below(90) });
  return { ...draft, metadata: { name, labels: { tier: random.pick(['gold', 'iron']) } } };
}

const bySize: DeclareIndexes = (specs) => {
  specs.add(IndexSpecs.single<Thing, number>('spec.size', 'integer').indexFunc((o) => o.spec.size));
};

async function open(directory: string, cacheBytes?: number): Promise<TestService> {
  const t = await openTestService(directory, {}, cacheBytes === undefined ? {} : { cacheBytes });
  await t.register(Thing, bySize);
  return t;
}

/** A daemon, and another process that writes; both are started again after each restore. */
class House {
  readonly dataDir = path.join(temporaryDirectory(), 'data');
  readonly backup = path.join(temporaryDirectory(), 'backup');
  readonly questions: readonly ListOptions[];
  readonly trail: string[] = [];
  sentAgain = 0;
  renewed = 0;
  #running:
    { readonly daemon: TestService; readonly other: TestService; readonly pages: PageReader } | undefined;

  constructor(readonly random: Random) {
    this.questions = random.many(16, 16, () => randomPage(random));
  }

  get running() {
    if (this.#running === undefined) throw new Error('no daemon runs');
    return this.#running;
  }

  async start(): Promise<void> {
    const daemon = await open(this.dataDir);
    const other = await open(this.dataDir);
    this.#running = { daemon, other, pages: await servePages(daemon.service) };
  }

  async stop(): Promise<void> {
    const { daemon, other, pages } = this.running;
    this.#running = undefined;
    this.sentAgain += pages.sentAgain();
    this.renewed += pages.renewed();
    await pages.close();
    await daemon.close();
    await other.close();
  }

  /** Twice: the first answer may be kept, and the second is then sent from it. */
  async ask(): Promise<void> {
    const fresh = await open(this.dataDir, 0);
    try {
      for (const options of [...this.questions, ...this.questions]) {
        const kept = await this.running.pages.get(THING, options);
        const where = `SEED=${this.random.seed}, ${this.trail.join(', ')}: ${JSON.stringify(options)}`;
        expect(kept, where).toBeDefined();
        expect(kept, where).toBe(await readPage(fresh.service, THING, options));
      }
    } finally {
      await fresh.close();
    }
  }
}

const STEPS = Object.entries<(house: House) => Promise<void>>({
  async patch({ random, running: { daemon, other } }) {
    const { service } = random.pick([daemon, other]);
    const size = random.below(90);
    await service.patch(THING, random.pick(await service.listNames(THING)), { spec: { size } }, 'merge');
  },
  async batch({ random, running: { other } }) {
    const names = new Set(random.many(1, 4, () => random.pick(NAMES)));
    const present = new Set(await other.service.listNames(THING));
    await other.service.batch(
      [...names].map((name) => {
        const object = randomThing(random, name);
        return present.has(name)
          ? { verb: 'update', resource: THING, name, object }
          : { verb: 'create', resource: THING, object };
      }),
    );
  },
  /** Of a change or, after the delete, of an object. */
  async undo(house) {
    const { random, running } = house;
    const { service } = running.other;
    const name = random.pick(await service.listNames(THING));
    if (random.chance(0.5)) await service.delete(THING, name);
    else await service.patch(THING, name, { spec: { size: 7 } }, 'merge');
    await house.ask();
    const target = { resource: service.models.table(THING).resource, name };
    await writeUndone(service, target, await readUndoing(service, target, undefined), {});
  },
  async backup({ dataDir, backup }) {
    await backUpStore(dataDir, backup, { force: true });
  },
  async restore(house) {
    await house.stop();
    await restoreStore(house.backup, house.dataDir, { force: true });
    await house.start();
  },
});

describe(`kept pages are those of the store through restores (SEED=${seed})`, () => {
  it('after backups, restores, and undone changes by another process', async () => {
    const random = new Random(seed);
    const house = new House(random);
    await house.start();
    try {
      const { daemon } = house.running;
      await daemon.service.batch(
        NAMES.map((name) => ({ verb: 'create', resource: THING, object: randomThing(random, name) })),
      );
      await backUpStore(house.dataDir, house.backup, { force: true });
      for (const [name, step] of random.shuffled([...STEPS, ...STEPS])) {
        house.trail.push(name);
        await step(house);
        await house.ask();
      }
    } finally {
      await house.stop();
    }
    expect(house.sentAgain).toBeGreaterThan(0);
    expect(house.renewed).toBeGreaterThan(0);
  });
});
