import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setCondition, type NewCondition } from '../../src/controller/conditions.js';
import { AbstractExtension, GVK, Schema, type StatusCondition } from '../../src/index.js';
import { startTestService } from '../../src/testing/index.js';

const BEFORE = '2026-11-20T08:00:00.000Z';
const NOW = '2026-11-24T09:30:00.123Z';

interface Conditioned {
  status?: { conditions?: StatusCondition[]; words?: number };
}

const ready = (status: StatusCondition['status'], lastTransitionTime = BEFORE): StatusCondition => ({
  type: 'Ready',
  status,
  lastTransitionTime,
});

describe('a condition', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(NOW) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is added with the time of now, with status and conditions where they are absent', () => {
    for (const object of [{}, { status: {} }, { status: { conditions: [] } }] as Conditioned[]) {
      expect(setCondition(object, { type: 'Ready', status: 'True' })).toBe(true);
      expect(object).toEqual({ status: { conditions: [ready('True', NOW)] } });
    }
  });

  it('keeps its time while its status stays, and its other members are the given ones', () => {
    const old = { ...ready('False'), reason: 'Waits', message: 'no disk', observedGeneration: 1 };
    const object: Conditioned = { status: { conditions: [old] } };
    expect(setCondition(object, { type: 'Ready', status: 'False', message: '', observedGeneration: 2 })).toBe(
      true,
    );
    expect(object.status?.conditions).toEqual([{ ...ready('False'), message: '', observedGeneration: 2 }]);
  });

  it('gets the time of now when its status changes, and when it had no time', () => {
    const object: Conditioned = { status: { conditions: [ready('False')] } };
    setCondition(object, { type: 'Ready', status: 'Unknown', reason: 'Lost' });
    expect(object.status?.conditions).toEqual([{ ...ready('Unknown', NOW), reason: 'Lost' }]);
    const timeless = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    expect(setCondition(timeless, { type: 'Ready', status: 'True' })).toBe(true);
    expect(timeless.status.conditions).toEqual([ready('True', NOW)]);
  });

  it('leaves other conditions, their order and the rest of the status alone', () => {
    const [first, last] = [
      { ...ready('True'), type: 'Stored' },
      { ...ready('True'), type: 'Backed' },
    ];
    const object: Conditioned = { status: { words: 2, conditions: [first, ready('False'), last] } };
    setCondition(object, { type: 'Ready', status: 'True' });
    setCondition(object, { type: 'Old', status: 'False' });
    const old = { ...ready('False', NOW), type: 'Old' };
    expect(object.status).toEqual({ words: 2, conditions: [first, ready('True', NOW), last, old] });
  });

  it('that says the same again changes nothing', () => {
    const conditions = [{ ...ready('True'), reason: 'Done' }];
    const object: Conditioned = { status: { conditions } };
    const same: NewCondition = { type: 'Ready', status: 'True', reason: 'Done', message: undefined };
    expect(setCondition(object, same)).toBe(false);
    expect(object.status?.conditions).toBe(conditions);
  });

  it.each<[string, unknown, RegExp]>([
    ['has no type', { status: 'True' }, /type of the condition must be a text that is not empty/],
    ['has an empty type', { type: '', status: 'True' }, /type .* not empty, got ""/],
    ['has no status', { type: 'Ready' }, /status of the condition must be True, False or Unknown/],
    ['has a boolean status', { type: 'Ready', status: true }, /True, False or Unknown, got true/],
    ['has a status in lower case', { type: 'Ready', status: 'true' }, /True, False or Unknown, got "true"/],
    [
      'has a reason that is no text',
      { ...ready('True'), reason: 1 },
      /reason of the condition must be a text/,
    ],
    ['has a message of null', { ...ready('True'), message: null }, /message .* must be a text, got null/],
    ['has a generation as text', { ...ready('True'), observedGeneration: '1' }, /an integer of at least 0/],
    [
      'has its own time',
      ready('True'),
      /a condition has no member "lastTransitionTime"; it has type, status/,
    ],
    ['is no object', 'Ready', /the condition must be an object, got "Ready"/],
    ['is absent', undefined, /the condition must be an object, got undefined/],
  ])('is refused, and the object stays, when it %s', (_name, condition, message) => {
    const object: Conditioned = {};
    expect(() => setCondition(object, condition as NewCondition)).toThrow(message);
    expect(object).toEqual({});
  });

  it.each([
    [{ status: 'done' }, /status of the object must be an object, got "done"/],
    [{ status: { conditions: {} } }, /status\.conditions of the object must be a list, got \{\}/],
  ])('is refused for the object %j', (object, message) => {
    expect(() => setCondition(object, { type: 'Ready', status: 'True' })).toThrow(message);
  });
});

class Status {
  @Schema({ type: 'array', items: { type: 'object', additionalProperties: true } })
  conditions?: StatusCondition[];
}

@GVK({ group: 'test.example.com', version: 'v1', kind: 'Job', plural: 'jobs', singular: 'job' })
class Job extends AbstractExtension {
  @Schema({ type: Status }) status?: Status;
}

it('a condition of a stored object is stored with its status', async () => {
  await using service = await startTestService({ models: [Job] });
  const job = await service.client.create(Job, { metadata: { name: 'a' } });
  setCondition(job, { type: 'Ready', status: 'True', observedGeneration: job.metadata.generation });
  const stored = await service.client.updateStatus(job);
  expect(stored.status?.conditions).toEqual([
    {
      ...ready('True', expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string),
      observedGeneration: 1,
    },
  ]);
  expect(setCondition(stored, { type: 'Ready', status: 'True', observedGeneration: 1 })).toBe(false);
});
