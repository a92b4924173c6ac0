import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEventModel } from '../../src/events/model.js';
import { EVENTS } from '../../src/events/names.js';
import { EventRecorder, type EventSubject } from '../../src/events/recorder.js';
import { sweepEvents } from '../../src/events/sweep.js';
import type { Clock } from '../../src/lib/clock.js';
import type { Logger } from '../../src/lib/logger.js';
import type { ExtensionObject } from '../../src/model/object.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';

afterAll(removeDirectories);

/** A time that tests set; timers run when they are told to. */
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
    for (const call of this.#timers) call();
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
  await openEventModel(t.service.context.models, t.registry);
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
  it('says what happened to which object, and when', async () => {
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

  it('that cannot be written is told in the log, and disturbs nobody', async () => {
    const full = recorderOn({
      getMany: () => Promise.reject(new Error('the disk is full')),
    } as unknown as TestService['service']);
    for (let i = 0; i < 20; i++) full.record(ADA, 'Normal', 'Greeted', `hello ${i}`);
    await full.close();
    expect(warnings).toHaveLength(5);
    expect(warnings[0]).toBe('events cannot be recorded: the disk is full');
  });

  it('is left out when a thousand others wait', async () => {
    for (let i = 0; i < 1_010; i++) recorder.record(ADA, 'Normal', 'Greeted', `hello ${i}`);
    expect(await recorded()).toHaveLength(1_000);
    expect(warnings[0]).toMatch('too many events at once');
  });

  it.each([
    ['no object', undefined, 'Normal', 'Reason', 'is about an object'],
    [
      'an object that was never stored',
      { ...ADA, metadata: { name: 'ada' } },
      'Normal',
      'Reason',
      'is about an object',
    ],
    [
      'another event',
      { ...ADA, apiVersion: 'events.platform.run/v1alpha1' },
      'Normal',
      'Reason',
      'about another event',
    ],
    ['a type that is none', ADA, 'Error', 'Reason', 'is Normal or Warning, not Error'],
    ['a reason of two words', ADA, 'Normal', 'Two Words', 'one word such as MailSent'],
    ['a reason that is too long', ADA, 'Normal', 'R'.repeat(129), 'at most 128'],
    ['a message that is no text', ADA, 'Normal', 'Reason', 'message of an event is a text', 7],
  ])('is refused for %s', (_, object, type, reason, message, text: unknown = 'x') => {
    expect(() => recorder.record(object as EventSubject, type as 'Normal', reason, text as string)).toThrow(
      message,
    );
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
