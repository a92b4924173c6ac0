import { afterEach, describe, expect, it } from 'vitest';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import { Models } from '../../src/service/models.js';
import { Service } from '../../src/service/service.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { ModelLifecycle } from '../../src/lifecycle/model-lifecycle.js';
import type { Store } from '../../src/store/store.js';
import { disagreements, removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { namesOf, person } from '../suites/verbs-helpers.js';
import { declarePersonIndexes, Person, PERSON } from '../helpers/models.js';
import { byColor, byColorAndTags, expectUnavailable, Thing, thing, THING } from '../store/helpers.js';

/** The same values as {@link byColor} by a function of another text, so that the index is built again. */
const byOwnColor: DeclareIndexes = (specs) => {
  specs.add(IndexSpecs.single<Thing, string>('spec.color', 'string').indexFunc((own) => own.spec.color));
};

/** One of several programs on the same directory; each is alive until it is closed. */
interface Program {
  readonly store: Store;
  readonly service: Service;
  attach(declare: DeclareIndexes): Promise<void>;
}

const alive = new Set<string>();
const programs: Program[] = [];

async function start(directory: string, owner: string): Promise<Program> {
  const engine = await openLmdb(directory);
  alive.add(owner);
  const lifecycle = await ModelLifecycle.open(engine, {
    now: Date.now,
    owner,
    isAlive: (other) => alive.has(other),
  });
  const { store } = lifecycle;
  const models = new Models(lifecycle);
  models.openStored();
  const registry = new SchemeRegistry();
  const program: Program = {
    store,
    service: new Service({ store, models }),
    attach: (declare) => models.open(registry.register(Thing, 'test', declare)),
  };
  programs.push(program);
  return program;
}

afterEach(async () => {
  const found: string[] = [];
  for (const { store } of programs) found.push(...(await disagreements(store)));
  for (const { store } of programs.splice(0)) await store.close();
  alive.clear();
  removeDirectories();
  expect(found).toEqual([]);
});

describe('two programs on one store', () => {
  it('see each other’s writes at once, and number them together', async () => {
    const directory = temporaryDirectory();
    const a = await start(directory, 'a');
    await a.attach(byColor);
    const b = await start(directory, 'b');
    await b.attach(byColor);
    for (let i = 0; i < 5; i++) {
      const first = await a.service.create(THING, thing(`a${i}`, { color: 'red' }));
      expect((await b.service.get(THING, `a${i}`)).metadata.resourceVersion).toBe(String(2 * i + 1));
      const second = await b.service.create(THING, thing(`b${i}`, { color: 'red' }));
      expect(Number(second.object.metadata.resourceVersion)).toBe(
        Number(first.object.metadata.resourceVersion) + 1,
      );
      expect((await a.service.list(THING, { fieldSelector: 'spec.color=red' })).total).toBe(2 * i + 2);
    }
  });

  it('lose no change when both write the same object', async () => {
    const directory = temporaryDirectory();
    const a = await start(directory, 'a');
    await a.attach(byColor);
    const b = await start(directory, 'b');
    await b.attach(byColor);
    await a.service.create(THING, thing('one'));
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => {
        const patch = { metadata: { labels: { [`l${i}`]: 'x' } } };
        return (i % 2 === 0 ? a : b).service.patch(THING, 'one', patch, 'merge');
      }),
    );
    const { metadata } = await a.service.get(THING, 'one');
    expect(metadata.version).toBe(40);
    expect(Object.keys(metadata.labels ?? {})).toHaveLength(40);
  });

  it('go on when the other one declares a model', async () => {
    const directory = temporaryDirectory();
    const a = await start(directory, 'a');
    await a.attach(byColor);
    const b = await start(directory, 'b');
    await b.service.models.lifecycle.attach(
      new SchemeRegistry().register(Person, 'test', declarePersonIndexes),
    );
    await a.service.create(THING, thing('one'));
    expect((await a.service.list(THING)).total).toBe(1);
    const c = await start(directory, 'c');
    expect(await namesOf(c.service)).toEqual([]);
    await expectUnavailable(c.service.create(PERSON, person('ann')));
  });

  it('are refused writes when the other one has declared other indexes, and may still read and delete', async () => {
    const directory = temporaryDirectory();
    const a = await start(directory, 'a');
    await a.attach(byColor);
    await a.service.create(THING, thing('one', { color: 'red' }));
    await a.service.create(THING, thing('two', { color: 'red', tags: ['x'] }));
    const b = await start(directory, 'b');
    await b.attach(byColorAndTags);
    const error = await expectUnavailable(a.service.create(THING, thing('three')));
    expect(error.message).toContain('Thing');
    await expectUnavailable(a.service.update(THING, 'one', thing('one', { color: 'blue' })));
    await a.service.delete(THING, 'two');
    expect((await a.service.list(THING, { fieldSelector: 'spec.color=red' })).total).toBe(1);
    expect((await b.service.list(THING, { fieldSelector: 'spec.tags=x' })).total).toBe(0);
    await b.service.create(THING, thing('three', { tags: ['x'] }));
    expect((await b.service.list(THING, { fieldSelector: 'spec.tags=x' })).total).toBe(1);
  });

  it('answer lists by the indexes that the other one has declared, even without a write in between', async () => {
    const directory = temporaryDirectory();
    const a = await start(directory, 'a');
    await a.attach(byColor);
    await a.service.create(THING, thing('one', { color: 'red' }));
    const red = { fieldSelector: 'spec.color=red' };
    expect((await a.service.list(THING, red)).total).toBe(1);
    const b = await start(directory, 'b');
    await b.attach(byOwnColor);
    await b.service.create(THING, thing('two', { color: 'red' }));
    expect((await a.service.list(THING, red)).total).toBe(2);
    expect(await disagreements(a.store)).toEqual([]);
  });

  it('cannot list while the other one builds, but read by name', async () => {
    const directory = temporaryDirectory();
    const a = await start(directory, 'a');
    await a.attach(byColor);
    await a.service.batch(
      Array.from({ length: 350 }, (_, i) => {
        return { verb: 'create', resource: THING, object: thing(`t${i}`, { color: 'red' }) } as const;
      }),
    );
    const b = await start(directory, 'b');
    const listed: Promise<unknown>[] = [];
    await b.service.models.lifecycle.attach(new SchemeRegistry().register(Thing, 'test', byOwnColor), {
      progress: () => {
        listed.push(
          a.service.list(THING, { fieldSelector: 'spec.color=red' }).then(({ total }) => total, codeOf),
        );
        listed.push(a.service.get(THING, 't1').then(({ metadata }) => metadata.name));
      },
    });
    expect(new Set(await Promise.all(listed))).toEqual(new Set(['ServiceUnavailable', 't1']));
    expect((await a.service.list(THING, { fieldSelector: 'spec.color=red' })).total).toBe(350);
  });

  it('wait for the one that builds, and are refused writes meanwhile', async () => {
    const directory = temporaryDirectory();
    const a = await start(directory, 'a');
    await a.attach(byColor);
    await a.service.batch(
      Array.from({ length: 350 }, (_, i) => {
        return { verb: 'create', resource: THING, object: thing(`t${i}`, { tags: ['x'] }) } as const;
      }),
    );
    const b = await start(directory, 'b');
    const building = b.service.models.lifecycle.attach(
      new SchemeRegistry().register(Thing, 'test', byColorAndTags),
      {
        progress: () => {
          refused.push(
            a.service.create(THING, thing(`during${refused.length}`)).then(() => 'stored', codeOf),
          );
        },
      },
    );
    const refused: Promise<string>[] = [];
    await building;
    const outcomes = await Promise.all(refused);
    expect(outcomes.length).toBeGreaterThan(2);
    expect(new Set(outcomes)).toEqual(new Set(['ServiceUnavailable']));
  });

  it('may delete objects while the other one builds: nothing of them is left in the new index', async () => {
    const directory = temporaryDirectory();
    const a = await start(directory, 'a');
    await a.attach(byColor);
    await a.service.batch(
      Array.from({ length: 350 }, (_, i) => {
        return { verb: 'create', resource: THING, object: thing(`t${i}`, { tags: ['x'] }) } as const;
      }),
    );
    const b = await start(directory, 'b');
    const { engine } = b.store;
    const commit = engine.commit.bind(engine);
    let deleted: Promise<unknown> | undefined;
    engine.commit = async (body, options) => {
      await deleted;
      return commit(body, options);
    };
    // The records have the new values then, and their entries are yet to be written.
    await b.service.models.lifecycle.attach(new SchemeRegistry().register(Thing, 'test', byColorAndTags), {
      progress: ({ done }) => {
        if (done === 350) deleted ??= a.service.delete(THING, 't7');
      },
    });
    await deleted;
    expect((await b.service.list(THING, { fieldSelector: 'spec.tags=x' })).total).toBe(349);
    expect(await disagreements(b.store)).toEqual([]);
  });

  it('take over a build whose program is gone, and the first one cannot go on', async () => {
    const directory = temporaryDirectory();
    const a = await start(directory, 'a');
    await a.attach(byColor);
    await a.service.batch(
      Array.from({ length: 350 }, (_, i) => {
        return { verb: 'create', resource: THING, object: thing(`t${i}`, { tags: ['x'] }) } as const;
      }),
    );
    const b = await start(directory, 'b');
    let takenOver: Promise<void> | undefined;
    const announced = firstCommitOf(b);
    const { engine } = a.store;
    const commit = engine.commit.bind(engine);
    // However fast it is: the first one is still building when the other one begins.
    engine.commit = async (body, options) => {
      if (takenOver !== undefined) await announced;
      return commit(body, options);
    };
    const scheme = new SchemeRegistry().register(Thing, 'test', byColorAndTags);
    const building = a.service.models.lifecycle.attach(scheme, {
      progress: () => {
        alive.delete('a');
        takenOver ??= b.attach(byColorAndTags);
      },
    });
    await expectUnavailable(building);
    await takenOver;
    expect((await b.service.list(THING, { fieldSelector: 'spec.tags=x' })).total).toBe(350);
  });

  it('finish what the other one could not build and has given up, though it goes on', async () => {
    const directory = temporaryDirectory();
    const a = await start(directory, 'a');
    await a.attach(byColor);
    await a.service.create(THING, thing('one', { tags: ['x'] }));
    const failing: DeclareIndexes = (specs) => {
      specs.add(
        IndexSpecs.single<Thing, string>('spec.size', 'string').indexFunc(() => {
          throw new Error('not computed here');
        }),
      );
    };
    const scheme = new SchemeRegistry().register(Thing, 'test', failing);
    await expect(a.service.models.lifecycle.attach(scheme)).rejects.toThrow('not computed here');
    const b = await start(directory, 'b');
    expect(await b.service.models.lifecycle.cluster.findHolder(THING)).toBeUndefined();
    await b.attach(byColorAndTags);
    expect((await b.service.list(THING, { fieldSelector: 'spec.tags=x' })).total).toBe(1);
  });
});

/** Resolves when the program has committed something from now on. */
function firstCommitOf({ store: { engine } }: Program): Promise<void> {
  const commit = engine.commit.bind(engine);
  return new Promise((resolve) => {
    engine.commit = (body, options) => commit(body, options).finally(resolve);
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
