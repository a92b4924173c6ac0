import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEventModel } from '../../src/events/model.js';
import { EVENTS } from '../../src/events/names.js';
import { EventRecorder, type EventSubject } from '../../src/events/recorder.js';
import { sweepEvents } from '../../src/events/sweep.js';
import type { Clock } from '../../src/lib/time/clock.js';
import type { Logger } from '../../src/lib/log/logger.js';
import type { ExtensionObject } from '../../src/model/object.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';

afterAll(removeDirectories);

/** A clock that tests set; timers run only when a test fires them. */
class TestClock implements Clock {
  ms = Date.parse('2026-01-01T00:00:00Z');
  #timers = new Set<() => void>();

  now(): number {
    return this.ms;
  }

  setTimer(_ms: number, call: () => void): () => void {
    this.#timers.add(call);
    return () => this.#timers.delete(call);
  }

  runTimers(): void {
    for (const call of [...this.#timers]) {
      this.#timers.delete(call);
      call();
    }
  }
}

const ADA: EventSubject = {
  apiVersion: 'demo.example.com/v1',
  kind: 'Person',
  metadata: { name: 'ada', uid: 'u-1' },
};

let t: TestService;
let clock: TestClock;
let warnings: string[];
let recorder: EventRecorder;

const recorderOn = (service: TestService['service']): EventRecorder => {
  const ignore = (): void => undefined;
  const logger: Logger = {
    debug: ignore,
    info: ignore,
    warn: (message) => void warnings.push(message),
    error: ignore,
  };
  return new EventRecorder({ service, clock, logger });
};

/** All events once those that wait are written. */
async function recorded(): Promise<readonly ExtensionObject[]> {
  await recorder.close();
  recorder = recorderOn(t.service);
  return (await t.service.list(EVENTS, { sort: ['reason'] })).items;
}

beforeEach(async () => {
  t = await openTestService();
  await openEventModel(t.service.models, t.registry);
  clock = new TestClock();
  warnings = [];
  recorder = recorderOn(t.service);
});

afterEach(async () => {
  await recorder.close();
  expect(await t.check()).toEqual([]);
  await t.close();
});

describe('an event', () => {
  it('records the event, its object and its time', async () => {
    recorder.record(ADA, 'Normal', 'Greeted', 'somebody said hello');
    const [event, ...others] = await recorded();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      apiVersion: 'events.platform.run/v1alpha1',
      kind: 'Event',
      involvedObject: { apiVersion: 'demo.example.com/v1', kind: 'Person', name: 'ada', uid: 'u-1' },
      type: 'Normal',
      reason: 'Greeted',
      message: 'somebody said hello',
      count: 1,
      firstTimestamp: '2026-01-01T00:00:00.000Z',
      lastTimestamp: '2026-01-01T00:00:00.000Z',
    });
  });

  it('that happens again is counted, before it is written and after', async () => {
    recorder.record(ADA, 'Warning', 'Failed', 'no');
    clock.ms += 1000;
    recorder.record(ADA, 'Warning', 'Failed', 'no');
    await recorded();
    clock.ms += 1000;
    recorder.record(ADA, 'Warning', 'Failed', 'no');
    expect(await recorded()).toMatchObject([
      {
        count: 3,
        firstTimestamp: '2026-01-01T00:00:00.000Z',
        lastTimestamp: '2026-01-01T00:00:02.000Z',
      },
    ]);
  });

  it('of another message, type, reason or object is another one', async () => {
    const other = { ...ADA, metadata: { name: 'ada', uid: 'u-2' } };
    recorder.record(ADA, 'Normal', 'A', 'x');
    recorder.record(ADA, 'Warning', 'A', 'x');
    recorder.record(ADA, 'Normal', 'B', 'x');
    recorder.record(ADA, 'Normal', 'A', 'y');
    recorder.record(other, 'Normal', 'A', 'x');
    expect(await recorded()).toHaveLength(5);
  });

  it('is written when its time has come, without anybody waiting', async () => {
    recorder.record(ADA, 'Normal', 'Greeted', 'hello');
    expect((await t.service.list(EVENTS)).total).toBe(0);
    clock.runTimers();
    await expect.poll(async () => (await t.service.list(EVENTS)).total).toBe(1);
  });

  it('loses no count when two processes record it at the same time', async () => {
    const recorders = Array.from({ length: 4 }, () => recorderOn(t.service));
    for (const one of recorders) one.record(ADA, 'Normal', 'Same', 'x');
    await Promise.all(recorders.map((one) => one.close()));
    expect(await recorded()).toMatchObject([{ count: 4 }]);
    expect(warnings).toEqual([]);
  });

  it('has a name that is valid, however the object is called', async () => {
    const long = { ...ADA, metadata: { name: `${'a'.repeat(199)}-${'b'.repeat(53)}`, uid: 'u' } };
    recorder.record(long, 'Normal', 'Long', 'x'.repeat(5_000));
    const [event] = await recorded();
    expect(event?.metadata.name).toMatch(/^a{199}--[0-9a-f]{16}$/);
    expect(event?.message).toHaveLength(1_024);
  });

  it('has a name that is valid, where an object is called so that it is cut at a dot', async () => {
    const dotted = { ...ADA, metadata: { name: `${'a'.repeat(199)}.${'b'.repeat(20)}`, uid: 'u' } };
    recorder.record(dotted, 'Normal', 'Dotted', 'x');
    expect((await recorded())[0]?.metadata.name).toMatch(/^a{199}-[0-9a-f]{16}$/);
  });

  it('has a message that is Unicode, cut or not', async () => {
    recorder.record(ADA, 'Normal', 'Cut', `${'x'.repeat(1_023)}\u{1F600}`);
    recorder.record(ADA, 'Normal', 'Half', 'a\ud83d b\u{1F600}');
    expect(await recorded()).toMatchObject([
      { message: `${'x'.repeat(1_023)}\ufffd` },
      { message: 'a\ufffd b\u{1F600}' },
    ]);
  });

  it('that cannot be written makes a line in the log, and disturbs nobody', async () => {
    const full = recorderOn({
      getMany: () => Promise.reject(new Error('the disk is full')),
    } as unknown as TestService['service']);
    for (let i = 0; i < 20; i++) full.record(ADA, 'Normal', 'Greeted', `hello ${i}`);
    await full.close();
    expect(warnings).toHaveLength(5);
    expect(warnings[0]).toBe('cannot record events: the disk is full');
  });

  it('is left out when a thousand others wait', async () => {
    for (let i = 0; i < 1_010; i++) recorder.record(ADA, 'Normal', 'Greeted', `hello ${i}`);
    expect(await recorded()).toHaveLength(1_000);
    expect(warnings[0]).toMatch('too many events at once');
  });

  it('waits when a thousand were written: ten a second follow, and later events are counted', async () => {
    const count = async (): Promise<number> => (await t.service.list(EVENTS)).total;
    for (let i = 0; i < 1_000; i++) recorder.record(ADA, 'Normal', 'First', `hello ${i}`);
    clock.runTimers();
    await expect.poll(count).toBe(1_000);
    const then = (): void => {
      for (let i = 0; i < 50; i++) recorder.record(ADA, 'Normal', 'Then', `hello ${i}`);
    };
    then();
    clock.ms += 200;
    clock.runTimers();
    await expect.poll(count).toBe(1_002);
    then();
    clock.ms += 3_000;
    clock.runTimers();
    await expect.poll(count).toBe(1_032);
    const found = (await recorded()).filter(({ reason }) => reason === 'Then');
    expect(found).toHaveLength(50);
    expect(found.map((event) => event.count)).toEqual(found.map(() => 2));
    expect(warnings).toEqual([]);
  });

  it('waits while the disk is slow, and no more than a thousand do', async () => {
    let reads = 0;
    let answer = (): void => undefined;
    const slow = recorderOn({
      getMany: () => {
        reads += 1;
        return new Promise((_, reject) => (answer = () => reject(new Error('slow'))));
      },
    } as unknown as TestService['service']);
    slow.record(ADA, 'Normal', 'Slow', 'x');
    clock.runTimers();
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 300; i++) slow.record(ADA, 'Normal', 'Slow', `${round} ${i}`);
      clock.runTimers();
    }
    expect(reads).toBe(1);
    expect(warnings[0]).toMatch('too many events at once');
    answer();
  });

  it.each([
    ['no object', undefined, 'Normal', 'Reason', 'needs an object of the service'],
    [
      'an object that was never stored',
      { ...ADA, metadata: { name: 'ada' } },
      'Normal',
      'Reason',
      'needs an object of the service',
    ],
    [
      'another event',
      { ...ADA, apiVersion: 'events.platform.run/v1alpha1', kind: 'Event' },
      'Normal',
      'Reason',
      'about another event',
    ],
    ['a type that is none', ADA, 'Error', 'Reason', 'must be Normal or Warning, not "Error"'],
    [
      'a type that cannot be shown',
      ADA,
      Object.create(null),
      'Reason',
      'must be Normal or Warning, not a value of type object',
    ],
    ['a reason that cannot be shown', ADA, 'Normal', Object.create(null), 'not a value of type object'],
    [
      'an object of a name that no object has',
      { ...ADA, metadata: { name: 'n'.repeat(3_000_000), uid: 'u' } },
      'Normal',
      'Reason',
      'needs an object of the service',
    ],
    ['a reason of two words', ADA, 'Normal', 'Two Words', 'one word such as MailSent'],
    ['a reason that is too long', ADA, 'Normal', 'R'.repeat(129), 'at most 128'],
    ['a message that is no text', ADA, 'Normal', 'Reason', 'message of an event must be a string', 7],
  ])('is refused for %s', (_, object, type, reason, message, text: unknown = 'x') => {
    const record = (): void =>
      recorder.record(object as EventSubject, type as 'Normal', reason as string, text as string);
    expect(record).toThrow(message);
  });
});

it('events are taken away an hour after they happened last', async () => {
  for (let i = 0; i < 600; i++) recorder.record(ADA, 'Normal', 'Old', `old ${i}`);
  await recorded();
  clock.ms += 30 * 60_000;
  recorder.record(ADA, 'Normal', 'Young', 'x');
  recorder.record(ADA, 'Normal', 'Old', 'old 7');
  await recorded();
  await sweepEvents(t.service, clock.ms + 30 * 60_000 - 1);
  expect((await t.service.list(EVENTS)).total).toBe(601);
  await sweepEvents(t.service, clock.ms + 30 * 60_000);
  expect((await t.service.list(EVENTS, { sort: ['reason'] })).items).toMatchObject([
    { reason: 'Old', message: 'old 7', count: 2 },
    { reason: 'Young' },
  ]);
});

it('events that are kept by finalizers do not keep the sweep from ending', async () => {
  const metadata = { finalizers: ['demo.example.com/keep'] };
  const time = '2020-01-01T00:00:00.000Z';
  const event = {
    type: 'Normal',
    reason: 'Kept',
    message: 'x',
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
  };
  const involvedObject = { apiVersion: ADA.apiVersion, kind: ADA.kind, ...ADA.metadata };
  const create = (name: string, more: object): Promise<unknown> =>
    t.service.create(EVENTS, { ...event, involvedObject, metadata: { name, ...more } });
  await Promise.all(Array.from({ length: 500 }, (_, i) => create(`kept-${i}`, metadata)));
  await create('swept', {});
  await sweepEvents(t.service);
  expect((await t.service.list(EVENTS)).total).toBe(500);
});
