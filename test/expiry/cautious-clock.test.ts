import { expect, it } from 'vitest';
import { CautiousClock } from '../../src/expiry/cautious-clock.js';

const START = Date.parse('2026-01-31T08:00:00Z');
const MINUTE = 60_000;

/** A clock, and functions that set the two clocks that it reads. */
function opened() {
  const times = { wall: START, steady: START };
  const clock = new CautiousClock({ wall: () => times.wall, steady: () => times.steady });
  return {
    read: () => clock.now() - START,
    pass: (ms: number) => {
      times.wall += ms;
      times.steady += ms;
    },
    set: (ms: number) => {
      times.wall += ms;
    },
  };
}

it('goes with the time', () => {
  const { read, pass } = opened();
  expect(read()).toBe(0);
  pass(90 * MINUTE);
  expect(read()).toBe(90 * MINUTE);
});

it('does not believe a clock that jumps ahead, and believes it when it is set right again', () => {
  const { read, pass, set } = opened();
  set(365 * 24 * 60 * MINUTE);
  for (let minute = 0; minute < 9; minute++) {
    expect(read()).toBe(minute * MINUTE);
    pass(MINUTE);
  }
  set(-365 * 24 * 60 * MINUTE);
  expect(read()).toBe(9 * MINUTE);
  pass(60 * MINUTE);
  expect(read()).toBe(69 * MINUTE);
});

it('believes a clock that stays ahead for ten minutes, as after a suspension', () => {
  const { read, pass, set } = opened();
  set(480 * MINUTE);
  expect(read()).toBe(0);
  pass(10 * MINUTE - 1);
  expect(read()).toBe(10 * MINUTE - 1);
  pass(1);
  expect(read()).toBe(490 * MINUTE);
  pass(MINUTE);
  expect(read()).toBe(491 * MINUTE);
});

it('counts the ten minutes of a second jump anew', () => {
  const { read, pass, set } = opened();
  set(60 * MINUTE);
  expect(read()).toBe(0);
  pass(9 * MINUTE);
  set(-60 * MINUTE);
  expect(read()).toBe(9 * MINUTE);
  set(60 * MINUTE);
  pass(9 * MINUTE);
  expect(read()).toBe(18 * MINUTE);
});

it('believes a clock that is set back at once', () => {
  const { read, set, pass } = opened();
  pass(MINUTE);
  set(-60 * MINUTE);
  expect(read()).toBe(-59 * MINUTE);
});

it('believes corrections of up to a second at once', () => {
  const { read, set } = opened();
  set(1_000);
  expect(read()).toBe(1_000);
  set(1_001);
  expect(read()).toBe(1_000);
});
