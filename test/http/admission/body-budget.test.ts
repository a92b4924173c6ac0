import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../../src/errors.js';
import { ArrivingBody, BodyBudget } from '../../../src/http/admission/body-budget.js';
import { SYSTEM_CLOCK } from '../../../src/lib/time/clock.js';

const MIB = 1024 * 1024;

/** A budget of 8 MiB, of which one is for small bodies, and a clock that stands still. */
function budgetAt(): { budget: BodyBudget; pass: (ms: number) => void } {
  let nowMs = 0;
  const budget = new BodyBudget({ bytesMax: 8 * MIB, clock: { ...SYSTEM_CLOCK, now: () => nowMs } });
  return { budget, pass: (ms) => void (nowMs += ms) };
}

function bodies(count: number, ended: number[] = []): ArrivingBody[] {
  return Array.from({ length: count }, (_, i) => new ArrivingBody(() => ended.push(i)));
}

const take = (
  budget: BodyBudget,
  all: readonly ArrivingBody[],
  bytes: number,
): (ServiceError | undefined)[] => all.map((body) => budget.take(body, bytes));

describe('the budget of bodies in arrival', () => {
  it('is given to large bodies up to the part that is for small ones', () => {
    const { budget } = budgetAt();
    const refusals = take(budget, bodies(8), MIB);
    expect(refusals.map((refusal) => refusal?.code)).toEqual([
      ...Array<undefined>(7).fill(undefined),
      'ServiceUnavailable',
    ]);
    expect(take(budget, bodies(16), 64 * 1024).every((refusal) => refusal === undefined)).toBe(true);
    expect(budget.used).toBe(8 * MIB);
    expect(take(budget, bodies(1), 1)).toMatchObject([{ details: { retryAfterSeconds: 1 } }]);
    expect(budget.refused).toBe(2);
  });

  it('is taken from the body that has waited longest without progress, never from one that has just sent', () => {
    const { budget, pass } = budgetAt();
    const ended: number[] = [];
    const all = bodies(7, ended);
    take(budget, all, MIB);
    pass(999);
    for (const body of all.slice(1)) budget.progress(body, 4096);
    expect(take(budget, bodies(1), MIB)).toMatchObject([{ code: 'ServiceUnavailable' }]);
    pass(1);
    expect(take(budget, bodies(1), MIB)).toEqual([undefined]);
    expect(ended).toEqual([0]);
    expect(budget.used).toBe(7 * MIB);
    expect(take(budget, bodies(1), MIB)).toMatchObject([{ code: 'ServiceUnavailable' }]);
  });

  it('does not take a few bytes now and then for progress', () => {
    const { budget, pass } = budgetAt();
    const ended: number[] = [];
    const all = bodies(7, ended);
    take(budget, all, MIB);
    pass(1_000);
    for (const body of all) budget.progress(body, 4095);
    expect(take(budget, bodies(7), MIB)).toEqual(Array<undefined>(7).fill(undefined));
    expect(ended).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('gets back all that a body took', () => {
    const { budget } = budgetAt();
    const all = bodies(3);
    take(budget, all, MIB);
    take(budget, all, MIB);
    for (const body of all) budget.giveBack(body);
    expect(budget.used).toBe(0);
  });
});
