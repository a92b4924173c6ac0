import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import type { BatchItem, WatchEvent } from '../../src/service/verbs.js';
import type { ChangeBatch } from '../../src/store/log/change.js';
import { watchFormatFor } from '../../src/http/routes/watch-format.js';
import type { Subscription } from '../../src/watch/subscription.js';
import { removeDirectories } from '../helpers/store.js';
import { Thing, THING, thing } from '../store/helpers.js';
import { expectCode } from '../suites/verbs-helpers.js';
import { eventText, subscribe, takeUntil, textsOf, usePrograms, type Program } from './helpers.js';

afterAll(removeDirectories);
const programs = usePrograms();

/** Things by the first letter of their colour, so that old index values say nothing. */
const byInitial: DeclareIndexes = (specs) => {
  specs.add(IndexSpecs.single<Thing, string>('spec.color', 'string').indexFunc((o) => o.spec.color?.[0]));
};

async function paint(program: Program, name: string, color: string): Promise<void> {
  await program.service.patch(THING, name, { spec: { color } }, 'merge');
}

/** The first events of a watch, which is then ended. */
async function firstEvents(
  program: Program,
  count: number,
  options: { readonly resourceVersion: string; readonly fieldSelector?: string },
): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const event of program.service.watch(THING, options)) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

/** The next changes. */
async function nextOf(subscription: Subscription): Promise<ChangeBatch> {
  for (;;) {
    const taken = await subscription.next();
    if (taken === 'ended') throw new Error('the subscription ended');
    if (taken !== 'woken') return taken;
  }
}

function newThings(count: number, prefix = 't'): BatchItem[] {
  return Array.from({ length: count }, (_, i) => {
    return { verb: 'create', resource: THING, object: thing(`${prefix}-${i}`) };
  });
}

async function allTexts(subscription: Subscription, head: number): Promise<string[]> {
  const texts = (await takeUntil(subscription, head)).flatMap(textsOf);
  subscription.close();
  return texts;
}

describe('the log that watchers read', () => {
  it('tells states before a change also when the change that led to them was trimmed since', async () => {
    const program = await programs.start();
    await program.service.create(THING, thing('a', { color: 'red' }));
    await program.service.create(THING, thing('b', { color: 'red' }));
    await paint(program, 'a', 'blue');
    await paint(program, 'a', 'green');
    await program.service.delete(THING, 'b');
    const whole = await allTexts(subscribe(program, 0), 5);
    for (let trimmed = 1; trimmed < 5; trimmed++) {
      expect(await program.store.history.trim({ count: 5 - trimmed, ageMs: -60_000 })).toBe(1);
      expect(await allTexts(subscribe(program, trimmed), 5)).toEqual(whole.slice(trimmed));
    }
  });

  it('tells the state before a change that comes after everything was trimmed', async () => {
    const program = await programs.start();
    await program.service.create(THING, thing('a', { color: 'red' }));
    await program.store.history.trim({ count: 0, ageMs: -60_000 });
    await paint(program, 'a', 'blue');
    await program.service.delete(THING, 'a');
    expect(await allTexts(subscribe(program, 1), 3)).toEqual(['2 MODIFIED a red>blue', '3 DELETED a blue>-']);
  });

  it('cannot be read from a revision whose followers were trimmed: Expired', async () => {
    const program = await programs.start();
    await program.service.create(THING, thing('a'));
    await paint(program, 'a', 'red');
    await paint(program, 'a', 'blue');
    await program.store.history.trim({ count: 1, ageMs: -60_000 });
    const late = subscribe(program, 1);
    await expectCode('Expired', late.next());
    expect(program.service.hub.subscribers).toBe(0);
    await expectCode('Expired', firstEvents(program, 1, { resourceVersion: '1' }));
    expect((await firstEvents(program, 1, { resourceVersion: '2' })).map(eventText)).toEqual([
      'MODIFIED a 3',
    ]);
  });

  it('is read in parts, however many changes a commit has, and none is left out', async () => {
    const program = await programs.start();
    for (const count of [99, 1, 250, 3]) {
      await program.service.batch(newThings(count, `t${count}`));
    }
    const subscription = subscribe(program, 0);
    const batches = await takeUntil(subscription, 353);
    subscription.close();
    const revisions = batches.flatMap(({ changes }) => changes.map(({ revision }) => revision));
    expect(revisions).toEqual(Array.from({ length: 353 }, (_, i) => i + 1));
    // The changes are sent in steps of at most 200.
    expect(batches.map(({ changes }) => changes.length)).toEqual([200, 153]);
  });

  it('is sent in parts of bounded size', async () => {
    const program = await programs.start();
    const things = Array.from({ length: 100 }, (_, i): BatchItem => {
      const object = thing(`t-${i}`, { tags: ['x'.repeat(20_000)] });
      return { verb: 'create', resource: THING, object };
    });
    await program.service.batch(things);
    const subscription = subscribe(program, 0);
    const batches = await takeUntil(subscription, 100);
    subscription.close();
    expect(batches.map(({ changes }) => changes.length)).toEqual([50, 50]);
  });
});

describe('the hub', () => {
  it('tells commits of another program soon', async () => {
    const watcher = await programs.start();
    const writer = await programs.start();
    const subscription = subscribe(watcher, 0);
    const taken = nextOf(subscription);
    await sleep(20);
    await writer.service.create(THING, thing('a', { color: 'red' }));
    const began = performance.now();
    expect(textsOf(await taken)).toEqual(['1 ADDED a ->red']);
    expect(performance.now() - began).toBeLessThan(5_000);
    subscription.close();
  });

  it('cuts off a subscriber that takes nothing, with Expired, and goes on with the others', async () => {
    const program = await programs.start({ watch: { backlog: { changes: 5, bytes: 1_000_000 } } });
    const slow = subscribe(program, 0);
    const quick = subscribe(program, 0);
    const waiting = [nextOf(slow), nextOf(quick)];
    await program.service.create(THING, thing('a'));
    await Promise.all(waiting);
    for (let i = 1; i <= 7; i++) {
      await paint(program, 'a', `c${i}`);
      expect(await nextOf(quick)).toMatchObject({ revision: i + 1 });
    }
    await expectCode('Expired', slow.next());
    expect(program.service.hub.subscribers).toBe(1);
    quick.close();
    expect(await quick.next()).toBe('ended');
  });

  it('passes more changes than may wait to a subscriber that takes them', async () => {
    const program = await programs.start({ watch: { backlog: { changes: 5, bytes: 1 } } });
    const subscription = subscribe(program, 0);
    const taken = nextOf(subscription);
    await sleep(20);
    await program.service.batch(newThings(20));
    expect(await taken).toMatchObject({ revision: 20, changes: { length: 20 } });
    subscription.close();
  });

  it('gives the same parsed object to all, made once', async () => {
    const program = await programs.start();
    const [one, two] = [subscribe(program, 0), subscribe(program, 0)];
    const taken = Promise.all([nextOf(one), nextOf(two)]);
    await sleep(20);
    await program.service.create(THING, thing('a'));
    const objects = (await taken).map(({ changes }) => changes[0]?.object());
    expect(objects[0]).toMatchObject({ metadata: { name: 'a' } });
    expect(objects[0]).toBe(objects[1]);
    one.close();
    two.close();
  });

  it('has the bytes of events made once for all who watch with the same selector in the same format', async () => {
    const program = await programs.start();
    const parts = async (fieldSelector = ''): Promise<readonly Buffer[]> => {
      const watch = await program.service.watchRaw(THING, { sendInitialEvents: false, fieldSelector });
      for await (const part of watch.parts)
        if (part.kind === 'changes') return watchFormatFor({ headers: {} }).changes(part.events);
      throw new Error('the watch ended');
    };
    const all = Promise.all([parts(), parts(), parts('spec.color=red'), parts('spec.color=red')]);
    await sleep(50);
    const red = { verb: 'create', resource: THING, object: thing('red', { color: 'red' }) } as const;
    await program.service.batch([...newThings(3), red]);
    const [one, two, reds, others] = await all;
    const namesIn = (bytes: readonly Buffer[]): string[] =>
      Buffer.concat(bytes)
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => {
          const { object } = JSON.parse(line) as { object: { metadata: { name: string } } };
          return object.metadata.name;
        });
    expect(namesIn(one)).toEqual(['t-0', 't-1', 't-2', 'red']);
    expect(namesIn(reds)).toEqual(['red']);
    expect(one).toHaveLength(1);
    expect(one[0]).toBe(two[0]);
    expect(reds[0]).toBe(others[0]);
  });

  it('ends a subscription with its signal, and all of them when it is closed', async () => {
    const program = await programs.start();
    const ending = new AbortController();
    const one = subscribe(program, 0, ending.signal);
    const waiting = allTexts(one, 1);
    await sleep(5);
    ending.abort();
    await expect(waiting).rejects.toThrow('the subscription ended');
    const other = allTexts(subscribe(program, 0), 1);
    await program.close();
    await expect(other).rejects.toThrow('the subscription ended');
    expect(program.service.hub.subscribers).toBe(0);
  });

  it('loses nothing when subscribers come and go while others write', async () => {
    const program = await programs.start();
    const writes = (async () => {
      for (let i = 0; i < 150; i++) await program.service.create(THING, thing(`t${i}`));
    })();
    const watchers = Array.from({ length: 10 }, async (_, i) => {
      const reported: number[] = [];
      let position = 0;
      while (position < 150) {
        const subscription = subscribe(program, position);
        for (let taken = 0; taken <= i && subscription.position < 150; taken++) {
          const batch = await subscription.next();
          if (typeof batch !== 'string') reported.push(batch.revision);
        }
        ({ position } = subscription);
        subscription.close();
      }
      expect(reported).toEqual(Array.from({ length: 150 }, (_, n) => n + 1));
    });
    await Promise.all([writes, ...watchers]);
  });
});

describe('a watch with a field selector', () => {
  it('judges old changes by the index as it is declared now', async () => {
    const program = await programs.start();
    await program.service.create(THING, thing('a', { color: 'red' }));
    await paint(program, 'a', 'blue');
    await paint(program, 'a', 'rose');
    await program.serve(byInitial);
    const events = await firstEvents(program, 2, { resourceVersion: '1', fieldSelector: 'spec.color=r' });
    expect(events.map(eventText)).toEqual(['DELETED a 2', 'ADDED a 3']);
  });

  it('ends with Expired when old values of an index are unknown without its code', async () => {
    const program = await programs.start();
    await program.service.create(THING, thing('a', { color: 'red' }));
    await paint(program, 'a', 'blue');
    await program.serve(byInitial);
    await program.close();
    const reader = await programs.start({ bare: true });
    const options = { resourceVersion: '1', fieldSelector: 'spec.color=b' };
    await expectCode('Expired', firstEvents(reader, 1, options));
    expect((await firstEvents(reader, 1, { resourceVersion: '1' })).map(eventText)).toEqual(['MODIFIED a 2']);
  });
});

describe('a watch of a model', () => {
  it('ends with NotFound when the model is taken away', async () => {
    const program = await programs.start();
    const { service } = program;
    const watching = firstEvents(program, 1, { resourceVersion: '' });
    await expect.poll(() => service.hub.subscribers).toBe(1);
    const resource = service.models.find(THING.group, THING.version, THING.plural);
    if (resource === undefined) throw new Error('things are not served');
    service.models.close(resource);
    await expectCode('NotFound', watching);
  });

  it('ends without an error when its time is over, or its signal says so', async () => {
    const { service } = await programs.start();
    for await (const _ of service.watch(THING, { timeoutMs: 20 })) throw new Error('nothing has happened');
    const aborted = AbortSignal.abort();
    for await (const _ of service.watch(THING, { signal: aborted })) throw new Error('it was ended');
  });

  it('streams many objects in parts before the first change', async () => {
    const program = await programs.start();
    await program.service.batch(newThings(2_500));
    const names = new Set<string>();
    for await (const event of program.service.watch(THING, { sendInitialEvents: true })) {
      if (event.type === 'BOOKMARK') break;
      names.add(event.object.metadata.name);
    }
    expect(names.size).toBe(2_500);
  });
});
