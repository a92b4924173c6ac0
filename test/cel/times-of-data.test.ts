import { describe, expect, it } from 'vitest';
import { valueOfData } from '../../src/cel/data.js';
import { CutOff, Failure } from '../../src/cel/failure.js';
import { compileExpression } from '../../src/cel/program.js';
import { limits, STEPS, typeOfSchema } from './helpers.js';

const TYPE = typeOfSchema({
  type: 'object',
  properties: {
    when: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    span: { type: 'string', format: 'duration' },
    items: { type: 'array', items: { type: 'integer' } },
    times: { type: 'array', items: { type: 'string', format: 'date-time' } },
    named: { type: 'object', additionalProperties: { type: 'string', format: 'date-time' } },
  },
});
const TIME = '2026-01-01T00:00:00Z';
const digits = (count: number): string => `2026-01-01T00:00:00.${'1'.repeat(count)}Z`;
const ITEMS = Array.from({ length: 250_000 }, (_, i) => i);

interface Outcome {
  readonly error: unknown;
  readonly spent: number;
}

function evaluate(text: string, self: object, steps = STEPS): Outcome {
  const program = compileExpression(text, { self: TYPE });
  const given = limits(steps);
  const before = given.allowance.steps;
  let error: unknown;
  try {
    program.evaluate([valueOfData(self, TYPE)], given);
  } catch (thrown) {
    error = thrown;
  }
  return { error, spent: before - given.allowance.steps };
}

describe('a time or duration of the data', () => {
  it.each([
    ['when', digits(450_000), 'is not a time'],
    ['when', digits(45), 'is not a time'],
    ['day', '1'.repeat(400_000), 'is not a time'],
    ['span', `PT${'1'.repeat(400_000)}S`, 'has no fixed length'],
    ['span', '1'.repeat(65), 'has no fixed length'],
  ])('of more than 64 characters is not read: %s', (field, text, reason) => {
    const { error } = evaluate(`self.${field} == self.${field}`, { [field]: text });
    expect(error).toBeInstanceOf(Failure);
    const { message } = error as Failure;
    expect(message).toContain(`, of more than 64 characters, ${reason}`);
    expect(message.length).toBeLessThan(200);
  });

  it.each([
    ['when', digits(9)],
    ['day', '2026-01-01'],
    ['span', 'P1W'],
    ['span', '1h30m'],
  ])('is read as before: %s %s', (field, text) => {
    expect(evaluate(`self.${field} == self.${field}`, { [field]: text }).error).toBeUndefined();
  });

  it('is no time either when a function reads it', () => {
    const { error } = evaluate('timestamp(self.items.map(i, string(i)).join("")) > self.when', {
      items: ITEMS.slice(0, 100),
      when: TIME,
    });
    expect(error).toBeInstanceOf(Failure);
  });

  it.each([
    `self.when < timestamp("${TIME}")`,
    `self.day < timestamp("${TIME}")`,
    'self.span < duration("1s")',
    `self.times[0] < timestamp("${TIME}")`,
    `self.named.a < timestamp("${TIME}")`,
    `self.named["a"] < timestamp("${TIME}")`,
  ])('takes steps at each read: %s', (text) => {
    const self = { when: TIME, day: '2026-01-01', span: '1s', times: [TIME], named: { a: TIME } };
    const [read, bare] = [evaluate(text, self), evaluate('1 < 2', self)];
    expect(read.error).toBeUndefined();
    expect(read.spent - bare.spent).toBeGreaterThanOrEqual(15);
  });

  it.each([
    'self.times.all(t, true)',
    'self.times.isSorted()',
    'self.times.max() == self.when',
    'self.times.indexOf(timestamp("1970-01-01T00:00:00Z")) == -1',
    '!(timestamp("1970-01-01T00:00:00Z") in self.times)',
    'self.times == self.times',
  ])('takes steps for each item of a list: %s', (text) => {
    const of = (count: number): number => {
      const { error, spent } = evaluate(text, {
        when: TIME,
        times: Array.from({ length: count }, () => TIME),
      });
      expect(error).toBeUndefined();
      return spent;
    };
    expect(of(101) - of(1)).toBeGreaterThanOrEqual(100 * 15);
  });

  it.each([
    ['times that can be read', 'when', TIME],
    ['times that are too long', 'when', digits(450_000)],
    ['durations that are too long', 'span', `PT${'1'.repeat(400_000)}S`],
  ])('ends a rule that reads it for each of 250,000 items: %s', (_what, field, text) => {
    const limit = field === 'when' ? 'timestamp("2020-01-01T00:00:00Z")' : 'duration("-1s")';
    const { error, spent } = evaluate(`self.items.all(i, self.${field} > ${limit})`, {
      items: ITEMS,
      [field]: text,
    });
    expect(error).toBeInstanceOf(CutOff);
    expect(spent).toBe(STEPS);
  });

  it('and a text that is made a number: each of ten characters is a step', () => {
    const text = compileExpression('double(self) > 1.0', { self: { kind: 'string' } });
    const given = limits();
    const before = given.allowance.steps;
    text.evaluate(['9'.repeat(10_000)], given);
    expect(before - given.allowance.steps).toBeGreaterThanOrEqual(1_000);
  });
});
