import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ControllerBuilder } from '../../src/controller/builder.js';
import { RunningController } from '../../src/controller/running-controller.js';
import { WorkerScheduler } from '../../src/controller/queue/worker-scheduler.js';
import { conflict, ServiceError } from '../../src/errors.js';
import { SYSTEM_CLOCK, type Clock } from '../../src/lib/time/clock.js';
import { controllerOf, FakeClock, MemoryLog, MemorySource, thing, turn, until } from './helpers.js';

const running: RunningController[] = [];

/** The clock of the test, when it is not the machine's. */
let fakeClock = new FakeClock();

beforeEach(() => {
  fakeClock = new FakeClock();
});

afterEach(async () => {
  const stopped = running.splice(0).map((controller) => controller.stop(0));
  fakeClock.advance(0);
  await Promise.all(stopped);
});

interface Given {
  readonly reconcile: (name: string) => unknown;
  readonly describe?: (builder: ControllerBuilder) => ControllerBuilder;
  readonly source?: MemorySource;
  readonly clock?: Clock;
  readonly scheduler?: WorkerScheduler;
}

async function start({ source = new MemorySource(), clock = SYSTEM_CLOCK, ...given }: Given) {
  const log = new MemoryLog();
  const troubles: string[] = [];
  const controller = new RunningController(
    'plugin-thing',
    'plugin',
    controllerOf(given.reconcile, given.describe),
    {
      source,
      clock,
      logger: log,
      scheduler: given.scheduler ?? new WorkerScheduler(),
      onTrouble: (name, { reason, message }) => void troubles.push(`${name} ${reason}: ${message}`),
    },
  );
  running.push(controller);
  controller.start();
  await until('the controller has begun', () => controller.status().phase !== 'syncing');
  return { controller, source, log, troubles };
}

/** A promise that the test settles. */
function pending() {
  let settle = (): void => undefined;
  const promise = new Promise<void>((resolve) => (settle = resolve));
  return { promise, settle: () => settle() };
}

function sourceOf(...names: readonly string[]): MemorySource {
  const source = new MemorySource();
  for (const name of names) source.objects.set(name, thing(name));
  return source;
}

describe('a running controller', () => {
  it('reconciles every object when it starts, and later changes', async () => {
    const seen: string[] = [];
    const { source, controller } = await start({
      reconcile: (name) => void seen.push(name),
      source: sourceOf('b', 'a'),
    });
    await until('all are reconciled', () => seen.length === 2);
    source.put('c');
    await until('the new one is', () => seen.length === 3);
    source.remove('a');
    await until('the removed one is', () => seen.length === 4);
    expect(seen).toEqual(['a', 'b', 'c', 'a']);
    expect(controller.status()).toMatchObject({
      phase: 'running',
      queueDepth: 0,
      counts: { reconciled: 4, failed: 0, retried: 0, conflicts: 0, synced: 2 },
    });
  });

  it('omits the sync on request, and limits it to matching objects', async () => {
    const { source } = await start({
      reconcile: () => undefined,
      describe: (builder) => builder.syncAllOnStart(false),
      source: sourceOf('a'),
    });
    expect(source.listed).toEqual([]);
    const limited = await start({
      reconcile: () => undefined,
      describe: (builder) => builder.syncAllListOptions({ labelSelector: 'k=v' }),
    });
    expect(limited.source.listed).toEqual([{ labelSelector: 'k=v' }]);
  });

  it('merges a burst of changes to one name', async () => {
    const gate = pending();
    let count = 0;
    const { source, controller } = await start({
      reconcile: () => {
        count++;
        return gate.promise;
      },
    });
    for (let i = 0; i < 50; i++) source.put('a');
    // On a slow machine each change takes a separate turn; the first reconcile lasts until all have been taken.
    await turn(60);
    expect(count).toBe(1);
    gate.settle();
    await until('all is done', () => controller.requestStatus('a') === undefined);
    expect(count).toBeLessThan(3);
  });

  it('never reconciles one name twice at the same time, and others beside it', async () => {
    const gate = pending();
    const atOnce = new Map<string, number>();
    let most = 0;
    let calls = 0;
    const { source, controller } = await start({
      reconcile: async (name) => {
        calls++;
        atOnce.set(name, (atOnce.get(name) ?? 0) + 1);
        most = Math.max(most, ...atOnce.values());
        await gate.promise;
        atOnce.set(name, (atOnce.get(name) ?? 0) - 1);
      },
      describe: (builder) => builder.workerCount(3),
    });
    for (const name of ['a', 'b', 'a', 'a', 'b']) {
      source.put(name);
      await turn(3);
    }
    expect(controller.status().inWork.map(({ name }) => name)).toEqual(['a', 'b']);
    gate.settle();
    await until(
      'both were reconciled once more',
      () => calls === 4 && controller.status().inWork.length === 0,
    );
    expect(most).toBe(1);
  });

  it('works with as many workers as it is given, not more', async () => {
    const gate = pending();
    const { controller } = await start({
      reconcile: () => gate.promise,
      describe: (builder) => builder.workerCount(2),
      source: sourceOf('a', 'b', 'c', 'd'),
    });
    await until('two are in work', () => controller.status().inWork.length === 2);
    await turn(5);
    expect(controller.status()).toMatchObject({ queueDepth: 2, inWork: [{ name: 'a' }, { name: 'b' }] });
    expect(controller.status().oldestWaitingSince).toMatch(/^\d{4}-.*Z$/);
    gate.settle();
  });

  it('keeps the error of a failed reconcile, and tries it again until it succeeds', async () => {
    const clock = fakeClock;
    let fails = true;
    const { controller, log } = await start({
      reconcile: (name) => {
        if (fails) throw new Error(`${name} is not ready`);
      },
      source: sourceOf('a'),
      clock,
    });
    await until('it failed', () => controller.status().retries.total === 1);
    const time = new Date(clock.now()).toISOString();
    expect(controller.status().lastError).toEqual({ name: 'a', message: 'a is not ready', time });
    expect(controller.requestStatus('a')).toMatchObject({
      controller: 'plugin-thing',
      owner: 'plugin',
      state: 'delayed',
      attempts: 1,
      error: 'a is not ready',
    });
    expect(controller.status().retries.next).toMatchObject([{ name: 'a', attempts: 1 }]);
    expect(log.matching('could not reconcile "a"')).toHaveLength(1);
    const stack = expect.stringContaining(import.meta.filename) as string;
    expect(log.matching('could not reconcile "a"')[0]).toMatchObject({
      text: expect.stringMatching(/^warn /) as string,
      fields: { stack },
    });
    clock.advance(10);
    await until(
      'it failed again',
      () => controller.status().retries.total === 1 && log.matching('again in').length === 1,
    );
    expect(log.matching('could not reconcile "a"')[1]?.fields).not.toHaveProperty('stack');
    expect(log.matching('failed again in')[0]).toMatchObject({
      text: expect.stringMatching(/^debug /) as string,
      fields: { stack },
    });
    fails = false;
    clock.advance(1000);
    await until('it succeeded', () => controller.status().counts.reconciled === 1);
    expect(controller.requestStatus('a')).toBeUndefined();
    expect(controller.status().counts).toMatchObject({ failed: 2, retried: 2 });
  });

  it.each<[string, () => unknown, string]>([
    ['a rejection', () => Promise.reject(new Error('later')), 'later'],
    ['a thrown text', () => thrown('text'), 'text'],
    ['what has no message', () => thrown(Object.create(null)), 'a value without a message was thrown'],
    ['a result that cannot be read', () => unreadable(), 'unreadable'],
    ['a promise of such a result', () => Promise.resolve(unreadable()), 'unreadable'],
    ['a long message', () => thrown(new Error('x'.repeat(2000))), 'x'.repeat(500)],
  ])('outlives %s', async (_, reconcile, message) => {
    const { controller } = await start({ reconcile, source: sourceOf('a'), clock: fakeClock });
    await until('it failed', () => controller.status().retries.total === 1);
    expect(controller.status().lastError?.message).toBe(message);
  });

  it.each<[string, unknown]>([
    ['a text', 'done'],
    ['a number', 7],
    ['a requeue that is no boolean', { requeue: 'yes' }],
    ['a time that is none', { requeue: true, retryAfterMs: NaN }],
    ['a time in the past', { requeue: true, retryAfterMs: -1 }],
    ['a promise of nonsense', Promise.resolve(true)],
  ])('takes %s for done, and warns', async (_, answer) => {
    const { controller, log } = await start({ reconcile: () => answer, source: sourceOf('a') });
    await until('it is done', () => controller.status().counts.reconciled === 1);
    expect(controller.requestStatus('a')).toBeUndefined();
    expect(log.matching('counts as done')).toHaveLength(1);
  });

  it.each<[string, unknown, object | undefined]>([
    ['nothing', undefined, undefined],
    ['null', null, undefined],
    ['an empty result', {}, undefined],
    ['no requeue, with a time', { requeue: false, retryAfterMs: 50 }, undefined],
    ['requeue', { requeue: true }, { attempts: 1, state: 'delayed' }],
    ['requeue after a time', { requeue: true, retryAfterMs: 1500 }, { attempts: 0, nextAttempt: in1500() }],
    ['only a time', { retryAfterMs: 1500 }, { attempts: 0, nextAttempt: in1500() }],
  ])('understands %s', async (_, answer, expected) => {
    const { controller, log } = await start({
      reconcile: () => answer,
      source: sourceOf('a'),
      clock: fakeClock,
    });
    await until('it was reconciled', () => controller.status().counts.reconciled === 1);
    if (expected === undefined) expect(controller.requestStatus('a')).toBeUndefined();
    else expect(controller.requestStatus('a')).toMatchObject(expected);
    expect(controller.requestStatus('a')?.error).toBeUndefined();
    expect(log.matching('warn')).toEqual([]);
  });

  it('retries a conflict quietly', async () => {
    const clock = fakeClock;
    const { controller, log } = await start({
      reconcile: () => Promise.reject(conflict('changed meanwhile')),
      source: sourceOf('a'),
      clock,
    });
    await until('it is retried', () => controller.status().retries.total === 1);
    expect(controller.status().counts).toMatchObject({ conflicts: 1, failed: 0, retried: 1 });
    expect(controller.status().lastError).toBeUndefined();
    expect(log.lines.map(({ text }) => text.split(' ')[0])).toEqual(['debug']);
    clock.advance(10);
    await until('it is retried again', () => controller.requestStatus('a')?.attempts === 2);
  });

  it('reconciles no state from before a change that was delivered', async () => {
    const reconciled: string[] = [];
    const { controller, source } = await start({
      reconcile: (name) => void reconciled.push(name),
      clock: fakeClock,
    });
    source.revision = 2;
    source.readable = 1;
    source.put('a');
    await until('it is tried again', () => controller.requestStatus('a')?.attempts === 1);
    expect(reconciled).toEqual([]);
    source.readable = 2;
    fakeClock.advance(10);
    await until('it is reconciled', () => controller.requestStatus('a') === undefined);
    expect(reconciled).toEqual(['a']);
  });

  it('reconciles again what may have been read from before a change', async () => {
    const reconciled: string[] = [];
    const source = new MemorySource();
    const { controller } = await start({
      reconcile: (name) => {
        if (reconciled.push(name) === 1) source.setbackCount++;
      },
      source,
      clock: fakeClock,
    });
    source.put('a');
    await until('it is tried again', () => controller.requestStatus('a')?.attempts === 1);
    fakeClock.advance(10);
    await until('it is done', () => controller.requestStatus('a') === undefined);
    expect(reconciled).toEqual(['a', 'a']);
  });

  it('does not fill the log with failures', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `n${i}`);
    const clock = fakeClock;
    const { controller, log, source } = await start({
      reconcile: () => thrown(new Error('no')),
      source: sourceOf(...names),
      clock,
    });
    await until('all failed', () => controller.status().retries.total === 100);
    expect(log.matching('could not reconcile')).toHaveLength(20);
    expect(controller.status().retries.next).toHaveLength(100);
    clock.advance(60_000);
    source.put('last');
    await until('a line says how many there were', () => log.matching('could not reconcile').length > 20);
    expect(log.matching('could not reconcile')[20]?.fields).toMatchObject({ error: 'no', heldBack: 80 });
  });

  it('calls matchers, and reconciles names for which they throw, with a log entry once a minute', async () => {
    const clock = fakeClock;
    const seen: string[] = [];
    const { source, log } = await start({
      reconcile: (name) => void seen.push(name),
      describe: (builder) =>
        builder.onAddMatcher(({ metadata: { name } }) => {
          if (name.startsWith('bad')) throw new Error('no such field');
          return name !== 'other';
        }),
      clock,
    });
    for (const name of ['other', 'bad-1', 'bad-2', 'good']) source.put(name);
    await until('three are reconciled', () => seen.length === 3);
    expect(seen).toEqual(['bad-1', 'bad-2', 'good']);
    const stack = expect.stringContaining(import.meta.filename) as string;
    expect(log.matching('matcher')).toMatchObject([{ fields: { error: 'no such field', stack } }]);
    clock.advance(60_000);
    source.put('bad-3');
    await until('it is reconciled', () => seen.length === 4);
    expect(log.matching('matcher')[1]?.fields).toMatchObject({ heldBack: 1 });
  });

  it('opens a stream again that ended, and syncs all, also objects that it did not sync at its start', async () => {
    const clock = fakeClock;
    const seen: string[] = [];
    const { source, controller, log } = await start({
      reconcile: (name) => void seen.push(name),
      describe: (builder) => builder.syncAllOnStart(false),
      source: sourceOf('a'),
      clock,
    });
    source.put('lost', {}, { lost: true });
    source.streams[0]?.end(new ServiceError('Expired', 'too slow'));
    await until('it is noticed', () => controller.status().phase === 'recovering');
    expect(controller.status().message).toBe('too slow');
    expect(log.matching('lost the changes')).toHaveLength(1);
    source.openErrors = [new Error('the store is away')];
    clock.advance(200);
    await until('it failed again', () => controller.status().message === 'the store is away');
    expect(seen).toEqual([]);
    clock.advance(400);
    await until('it runs again', () => controller.status().phase === 'running');
    expect(controller.status().message).toBeUndefined();
    source.put('new');
    await until('all are reconciled', () => seen.length === 3);
    expect(seen).toEqual(['a', 'lost', 'new']);
    expect(source.listed).toEqual([{}]);
    expect(source.streams).toHaveLength(2);
  });

  it('opens a stream again that ends without an error', async () => {
    const clock = fakeClock;
    const { source, controller } = await start({ reconcile: () => undefined, clock });
    source.streams[0]?.end();
    await until('it is noticed', () => controller.status().message === 'the stream of changes has ended');
    clock.advance(200);
    await until('it runs again', () => controller.status().phase === 'running');
  });

  it('reads all names when a limited sync failed: changes may have been missed since', async () => {
    const clock = fakeClock;
    const source = sourceOf('a');
    source.listErrors = [new Error('cannot be read')];
    const { controller } = await start({
      reconcile: () => undefined,
      describe: (builder) => builder.syncAllListOptions({ labelSelector: 'k=v' }),
      source,
      clock,
    });
    expect(controller.status()).toMatchObject({ phase: 'recovering', message: 'cannot be read' });
    clock.advance(200);
    await until('it runs', () => controller.status().phase === 'running');
    expect(source.listed).toEqual([{ labelSelector: 'k=v' }, {}]);
    expect(controller.status().counts.synced).toBe(1);
  });

  it('does not read further names of a sync while many wait, and goes on when there is room', async () => {
    const gate = pending();
    let isOpen = false;
    let last = '';
    const names = Array.from({ length: 5000 }, (_, i) => `n${String(i).padStart(4, '0')}`);
    const source = sourceOf(...names);
    const log = new MemoryLog();
    const controller = new RunningController(
      'plugin-thing',
      'plugin',
      controllerOf((name) => {
        last = name;
        return isOpen ? undefined : gate.promise;
      }),
      {
        source,
        clock: SYSTEM_CLOCK,
        logger: log,
        scheduler: new WorkerScheduler(),
        onTrouble: () => undefined,
      },
    );
    running.push(controller);
    controller.start();
    await until('names wait', () => controller.status().queueDepth >= 2000);
    await turn(20);
    expect(source.namesRead).toBeLessThan(2100);
    expect(controller.status().phase).toBe('syncing');
    source.put('live');
    isOpen = true;
    gate.settle();
    await until('all are reconciled', () => controller.status().counts.reconciled === 5001);
    expect(last).toBe('n4999');
    expect(controller.status().phase).toBe('running');
  });

  it('warns once of a reconcile that does not end, and shows since when', async () => {
    const clock = fakeClock;
    const seen: string[] = [];
    const since = new Date(clock.now()).toISOString();
    const { controller, log } = await start({
      reconcile: (name) => {
        seen.push(name);
        return name === 'a' ? new Promise(() => undefined) : undefined;
      },
      describe: (builder) => builder.workerCount(2),
      source: sourceOf('a', 'b', 'c'),
      clock,
    });
    await until('the others are reconciled', () => seen.length === 3);
    clock.advance(59_000);
    expect(log.lines).toEqual([]);
    clock.advance(60_000);
    expect(log.lines.map(({ text }) => text)).toEqual([
      'warn Controller "plugin-thing" has been reconciling "a" for 60 s and still occupies a worker',
    ]);
    expect(controller.status().inWork).toEqual([{ name: 'a', since }]);
  });

  it('leaves the event loop and other controllers their time when reconcilers ask for more at once', async () => {
    const scheduler = new WorkerScheduler();
    const flood = { requeue: true, retryAfterMs: 0 };
    const sync = await start({ reconcile: () => flood, source: sourceOf('a', 'b'), scheduler });
    const async = await start({ reconcile: async () => flood, source: sourceOf('a', 'b'), scheduler });
    let healthy = 0;
    const { source } = await start({
      reconcile: () => {
        healthy++;
      },
      scheduler,
    });
    const turnsMs: number[] = [];
    let began = performance.now();
    await until('all of them had their time', () => {
      const now = performance.now();
      turnsMs.push(now - began);
      began = now;
      source.put('x');
      const flooded = [sync, async].every(({ controller }) => controller.status().counts.reconciled > 100);
      return turnsMs.length > 10 && healthy > 2 && flooded;
    });
    // Most of the scheduler: in one or two of them the machine may have stood still.
    const [median = Infinity] = turnsMs.sort((a, b) => a - b).slice(turnsMs.length >> 1);
    expect(median).toBeLessThan(100);
  });

  it('does not hear of throwers and hangers beside it', async () => {
    const scheduler = new WorkerScheduler();
    const source = sourceOf('a', 'b', 'c');
    await start({ reconcile: () => thrown(new Error('no')), source: sourceOf('a', 'b', 'c'), scheduler });
    await start({ reconcile: () => new Promise(() => undefined), source: sourceOf('a'), scheduler });
    const seen: string[] = [];
    await start({ reconcile: (name) => void seen.push(name), source, scheduler });
    await until('all are reconciled', () => seen.length === 3);
    source.put('d');
    await until('the change is too', () => seen.length === 4);
  });

  describe('that is stopped', () => {
    it('waits for running reconciles, and starts no other', async () => {
      const gate = pending();
      let calls = 0;
      const { controller, source } = await start({
        reconcile: async () => {
          calls++;
          await gate.promise;
        },
        source: sourceOf('a', 'b'),
      });
      await until('one is in work', () => controller.status().inWork.length === 1);
      const stopped = controller.stop(60_000);
      source.put('c');
      await turn(5);
      expect(controller.status()).toMatchObject({
        phase: 'stopping',
        queueDepth: 0,
        inWork: [{ name: 'a' }],
      });
      gate.settle();
      await expect(stopped).resolves.toEqual([]);
      expect(controller.status()).toMatchObject({ phase: 'stopped', inWork: [] });
      expect(calls).toBe(1);
    });

    it('abandons a reconcile that runs longer than the deadline, and names it', async () => {
      const clock = fakeClock;
      const gate = pending();
      const { controller, log } = await start({
        reconcile: async () => {
          await gate.promise;
          throw new Error('too late');
        },
        describe: (builder) => builder.workerCount(2),
        source: sourceOf('a', 'b', 'c'),
        clock,
      });
      await until('two are in work', () => controller.status().inWork.length === 2);
      const stopped = controller.stop(5000);
      clock.advance(4999);
      await turn(3);
      expect(controller.status().phase).toBe('stopping');
      clock.advance(1);
      await expect(stopped).resolves.toEqual(['a', 'b']);
      expect(log.matching('abandoned')).toMatchObject([{ fields: { names: ['a', 'b'], deadlineMs: 5000 } }]);
      gate.settle();
      await turn(5);
      expect(controller.status()).toMatchObject({ inWork: [], retries: { total: 0 } });
      expect(clock.pending).toBe(0);
    });

    it('stops once, and sets no timers after that', async () => {
      const clock = fakeClock;
      const { controller } = await start({
        reconcile: () => thrown(new Error('no')),
        source: sourceOf('a'),
        clock,
      });
      await until('it failed', () => controller.status().retries.total === 1);
      const [first, second] = [controller.stop(10), controller.stop(99)];
      expect(second).toBe(first);
      await first;
      expect(clock.pending).toBe(0);
    });

    it('while it waits to read the changes again stops at once', async () => {
      const clock = fakeClock;
      const { controller, source } = await start({ reconcile: () => undefined, clock });
      source.streams[0]?.end();
      await until('it is noticed', () => controller.status().phase === 'recovering');
      await controller.stop(60_000);
      expect(clock.pending).toBe(0);
      expect(source.streams).toHaveLength(1);
    });

    it('in the middle of a sync that waits for room stops at once', async () => {
      const names = Array.from({ length: 3000 }, (_, i) => `n${i}`);
      const source = sourceOf(...names);
      const gate = pending();
      const controller = new RunningController(
        'plugin-thing',
        'plugin',
        controllerOf(() => gate.promise),
        {
          source,
          clock: SYSTEM_CLOCK,
          logger: new MemoryLog(),
          scheduler: new WorkerScheduler(),
          onTrouble: () => undefined,
        },
      );
      controller.start();
      await until('names wait', () => controller.status().queueDepth >= 1999);
      await turn(5);
      const stopped = controller.stop(60_000);
      gate.settle();
      expect(await stopped).toEqual([]);
      expect(source.namesRead).toBeLessThan(2100);
    });
  });
});

function thrown(error: unknown): never {
  // Code of others throws whatever it likes.
  throw error;
}

function unreadable(): object {
  return {
    get requeue(): boolean {
      throw new Error('unreadable');
    },
  };
}

function in1500(): string {
  return new Date(new FakeClock().now() + 1500).toISOString();
}
