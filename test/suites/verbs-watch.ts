import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Verbs, WatchEvent, WatchOptions } from '../../src/service/verbs.js';
import { PERSON, PET } from '../helpers/models.js';
import { created, expectCode, person, pet, revisionOf, type DoorVerbs } from './verbs-helpers.js';

/** A watch whose events a test takes as it needs them. */
class Watching {
  readonly #controller = new AbortController();
  readonly #events: AsyncIterator<WatchEvent>;

  constructor(verbs: Verbs, options: WatchOptions = {}) {
    const { signal } = this.#controller;
    this.#events = verbs.watch(PERSON, { ...options, signal })[Symbol.asyncIterator]();
  }

  /** The next event. @throws when the watch ends instead */
  async next(): Promise<WatchEvent> {
    const result = await this.#events.next();
    if (result.done === true) throw new Error('the watch ended');
    return result.value;
  }

  /** The next events, each as its type, the object's name and revision. */
  async take(count: number): Promise<string[]> {
    const found: string[] = [];
    while (found.length < count) found.push(textOf(await this.next()));
    return found;
  }

  /** True when it has ended. */
  async isOver(): Promise<boolean> {
    return (await this.#events.next()).done === true;
  }

  async stop(): Promise<void> {
    this.#controller.abort();
    while (!(await this.isOver())) continue;
  }
}

function textOf(event: WatchEvent): string {
  const name = event.type === 'BOOKMARK' ? '-' : event.object.metadata.name;
  return `${event.type} ${name} ${event.object.metadata.resourceVersion}`;
}

/** Watching, through every door. */
export function watchCases(verbs: DoorVerbs): void {
  const watching = async (options: WatchOptions, work: (watch: Watching) => Promise<void>): Promise<void> => {
    const watch = new Watching(verbs(), options);
    try {
      await work(watch);
    } finally {
      await watch.stop();
    }
  };
  /** The revision plus so many. */
  const after = (revision: string, more: number): string => String(Number(revision) + more);

  it('watch tells the objects there are, then every change, in the order of revisions', async () => {
    await created(verbs(), person('bob'));
    const start = (await created(verbs(), person('ann'))).metadata.resourceVersion;
    await watching({}, async (watch) => {
      expect(await watch.take(2)).toEqual([`ADDED bob ${after(start, -1)}`, `ADDED ann ${start}`]);
      await verbs().create(PET, pet('rex'));
      await verbs().create(PERSON, person('cid'));
      await verbs().patch(PERSON, 'ann', { spec: { age: 3 } }, 'merge');
      await verbs().delete(PERSON, 'bob');
      expect(await watch.take(3)).toEqual([
        `ADDED cid ${after(start, 2)}`,
        `MODIFIED ann ${after(start, 3)}`,
        `DELETED bob ${after(start, 4)}`,
      ]);
    });
  });

  it('watch gives whole objects, a deleted one as it was left', async () => {
    const start = await revisionOf(verbs());
    const ann = await created(verbs(), person('ann', { age: 1 }));
    const { object: deleted } = await verbs().delete(PERSON, 'ann');
    await watching(
      { resourceVersion: start === '0' ? ann.metadata.resourceVersion : start },
      async (watch) => {
        if (start !== '0') expect(await watch.next()).toEqual({ type: 'ADDED', object: ann });
        expect(await watch.next()).toEqual({ type: 'DELETED', object: deleted });
      },
    );
  });

  it('watch goes on after any revision that it is given', async () => {
    const first = (await created(verbs(), person('ann'))).metadata.resourceVersion;
    for (let age = 1; age <= 5; age++) await verbs().patch(PERSON, 'ann', { spec: { age } }, 'merge');
    for (let done = 0; done < 5; done++) {
      await watching({ resourceVersion: after(first, done) }, async (watch) => {
        const rest = Array.from({ length: 5 - done }, (_, i) => `MODIFIED ann ${after(first, done + i + 1)}`);
        expect(await watch.take(5 - done)).toEqual(rest);
      });
    }
  });

  it('watch tells all changes of a batch, each with its own revision', async () => {
    const start = (await created(verbs(), person('old'))).metadata.resourceVersion;
    await watching({ resourceVersion: start }, async (watch) => {
      await verbs().batch([
        { verb: 'create', resource: PERSON, object: person('b') },
        { verb: 'create', resource: PERSON, object: person('a') },
        { verb: 'patch', resource: PERSON, name: 'b', patch: { spec: { age: 2 } }, type: 'merge' },
        { verb: 'delete', resource: PERSON, name: 'old' },
        { verb: 'delete', resource: PERSON, name: 'b' },
      ]);
      expect(await watch.take(5)).toEqual([
        `ADDED b ${after(start, 1)}`,
        `ADDED a ${after(start, 2)}`,
        `MODIFIED b ${after(start, 3)}`,
        `DELETED old ${after(start, 4)}`,
        `DELETED b ${after(start, 5)}`,
      ]);
    });
  });

  it('watch with a label selector adds objects that begin to match and deletes those that stop, as they were', async () => {
    await created(verbs(), person('ann', {}, { labels: { team: 'red' } }));
    const bob = await created(verbs(), person('bob', { age: 1 }, { labels: { team: 'blue' } }));
    const start = bob.metadata.resourceVersion;
    await watching({ resourceVersion: start, labelSelector: 'team=blue' }, async (watch) => {
      await verbs().patch(PERSON, 'ann', { metadata: { labels: { team: 'blue' } } }, 'merge');
      await verbs().patch(PERSON, 'ann', { spec: { age: 2 } }, 'merge');
      const patch = { metadata: { labels: { team: 'red' } }, spec: { age: 9 } };
      await verbs().patch(PERSON, 'bob', patch, 'merge');
      await verbs().delete(PERSON, 'bob');
      await verbs().delete(PERSON, 'ann');
      expect(await watch.take(2)).toEqual([
        `ADDED ann ${after(start, 1)}`,
        `MODIFIED ann ${after(start, 2)}`,
      ]);
      const metadata = { ...bob.metadata, resourceVersion: after(start, 3) };
      expect(await watch.next()).toEqual({ type: 'DELETED', object: { ...bob, metadata } });
      expect(await watch.take(1)).toEqual([`DELETED ann ${after(start, 5)}`]);
    });
  });

  it.each([
    ['spec.age=30', [1, 30, 31], ['ADDED 30', 'DELETED 30']],
    ['spec.age!=30', [30, 31, 30], ['ADDED 31', 'DELETED 31']],
    ['spec.age>=30', [1, 30, 31, 29], ['ADDED 30', 'MODIFIED 31', 'DELETED 31']],
    ['spec.age in (30,31)', [30, 31, 32], ['ADDED 30', 'MODIFIED 31', 'DELETED 31']],
  ])('watch with the field selector %s follows the field', async (fieldSelector, ages, expected) => {
    const start = (await created(verbs(), person('other', { age: 30 }))).metadata.resourceVersion;
    await watching({ resourceVersion: start, fieldSelector }, async (watch) => {
      await verbs().create(PERSON, person('ann', { age: 0 }));
      await verbs().delete(PERSON, 'ann');
      const [first, ...rest] = ages;
      await verbs().create(PERSON, person('ann', { age: first ?? 0 }));
      for (const age of rest) await verbs().patch(PERSON, 'ann', { spec: { age } }, 'merge');
      const found: string[] = [];
      while (found.length < expected.length) {
        const { type, object } = await watch.next();
        if (type === 'BOOKMARK') continue;
        const { age } = object.spec as { age: number };
        if (age !== 0) found.push(`${type} ${age}`);
      }
      expect(found).toEqual(expected);
    });
  });

  it('watch with a filter adds objects that begin to match and deletes those that stop', async () => {
    const { metadata } = await created(verbs(), person('other', { age: 30 }));
    const filter = '(spec.age >= 30 && spec.age < 40) || "vip" in spec.tags';
    await watching({ resourceVersion: metadata.resourceVersion, filter }, async (watch) => {
      await verbs().create(PERSON, person('ann', { age: 20 }));
      for (const spec of [{ age: 30 }, { age: 31 }, { age: 50 }, { tags: ['vip'] }, { tags: [] }])
        await verbs().patch(PERSON, 'ann', { spec }, 'merge');
      const reported: string[] = [];
      while (reported.length < 5) {
        const { type, object } = await watch.next();
        if (type !== 'BOOKMARK')
          reported.push(`${type} ${JSON.stringify({ ...Object(object.spec), role: undefined })}`);
      }
      expect(reported).toEqual([
        'ADDED {"age":30}',
        'MODIFIED {"age":31}',
        'DELETED {"age":31}',
        'ADDED {"age":50,"tags":["vip"]}',
        'DELETED {"age":50,"tags":["vip"]}',
      ]);
    });
  });

  it('watch of one object says nothing of others, and waits for one that is not there yet', async () => {
    const start = (await created(verbs(), person('bob'))).metadata.resourceVersion;
    for (const options of [{ name: 'ann' }, { fieldSelector: 'metadata.name=ann' }]) {
      await watching({ ...options, resourceVersion: await revisionOf(verbs()) }, async (watch) => {
        const begun = Number(await revisionOf(verbs()));
        await verbs().patch(PERSON, 'bob', { spec: { age: begun } }, 'merge');
        await verbs().create(PERSON, person('ann'));
        await verbs().delete(PERSON, 'ann');
        expect(await watch.take(2)).toEqual([`ADDED ann ${begun + 2}`, `DELETED ann ${begun + 3}`]);
      });
    }
    expect(Number(await revisionOf(verbs()))).toBe(Number(start) + 6);
  });

  it('watch says where the objects there are end when it is asked to', async () => {
    await created(verbs(), person('ann'));
    await verbs().create(PET, pet('rex'));
    const revision = await revisionOf(verbs());
    await watching({ sendInitialEvents: true, resourceVersion: after(revision, -1) }, async (watch) => {
      expect(await watch.take(1)).toEqual([`ADDED ann ${after(revision, -1)}`]);
      expect(await watch.next()).toEqual({
        type: 'BOOKMARK',
        object: {
          apiVersion: 'demo.example.com/v1',
          kind: 'Person',
          metadata: { resourceVersion: revision, annotations: { 'k8s.io/initial-events-end': 'true' } },
        },
      });
    });
  });

  it('watch without the objects there are begins with what changes from now on', async () => {
    await created(verbs(), person('ann'));
    await watching({ sendInitialEvents: false }, async (watch) => {
      const state = { isOpen: false };
      const first = watch.next().finally(() => (state.isOpen = true));
      // Nothing tells when a watch has begun that has nothing to say: something changes until it says so.
      for (let age = 1; !state.isOpen; age++) {
        await verbs().patch(PERSON, 'ann', { spec: { age } }, 'merge');
        await sleep(10);
      }
      expect((await first).type).toBe('MODIFIED');
    });
  });

  it.each([
    [{ resourceVersion: 'new' }, 'BadRequest'],
    [{ resourceVersion: '-1' }, 'BadRequest'],
    [{ resourceVersion: '99999999999' }, 'Expired'],
    [{ labelSelector: 'a in (' }, 'BadRequest'],
    [{ fieldSelector: 'spec.nothing=1' }, 'BadRequest'],
    [{ filter: 'spec.nothing == 1' }, 'BadRequest'],
    [{ filter: 'spec.age ==' }, 'BadRequest'],
    [{ fieldSelector: 'spec.age=old' }, 'BadRequest'],
  ] as const)('watch refuses %j as %s', async (options, code) => {
    await expectCode(code, new Watching(verbs(), options).next());
  });
}
