import { describe, expect, it } from 'vitest';
import { RequestQueue } from '../../src/controller/queue/queue.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { FakeClock } from './helpers.js';

function queueOn(clock = new FakeClock(), random = 0) {
  const ready: number[] = [];
  const queue = new RequestQueue({
    clock,
    minDelayMs: 5,
    maxDelayMs: 1_000_000,
    random: () => random,
    onReady: () => ready.push(clock.now()),
  });
  return { queue, clock, ready };
}

function drain(queue: RequestQueue): string[] {
  const names: string[] = [];
  for (let name = queue.take(); name !== undefined; name = queue.take()) {
    names.push(name);
    queue.done(name);
  }
  return names;
}

/** Fails a name this often in a row. Returns its delay each time. */
function delaysOf(queue: RequestQueue, clock: FakeClock, name: string, failures: number): number[] {
  return Array.from({ length: failures }, () => {
    queue.add(name);
    expect(queue.take()).toBe(name);
    queue.retry(name, 'no');
    return (queue.find(name)?.dueAt ?? NaN) - clock.now();
  });
}

describe('the queue of requests', () => {
  it('never gives out a name that is in work', () => {
    const { queue } = queueOn();
    queue.add('a');
    expect(queue.take()).toBe('a');
    queue.add('a');
    expect(queue.take()).toBeUndefined();
    expect(queue.inWork().map(({ name }) => name)).toEqual(['a']);
  });

  it('merges requests for one name', () => {
    const { queue, ready } = queueOn();
    for (let i = 0; i < 5; i++) queue.add('a');
    expect(queue.waiting).toBe(1);
    expect(ready).toHaveLength(1);
    expect(drain(queue)).toEqual(['a']);
  });

  it('gives out a name once more when it was asked for while in work, however often', () => {
    const { queue, ready } = queueOn();
    queue.add('a');
    queue.take();
    queue.add('a');
    queue.add('a');
    queue.done('a');
    expect(ready).toHaveLength(2);
    expect(drain(queue)).toEqual(['a']);
    expect(queue.find('a')).toBeUndefined();
  });

  it('gives out names in the order in which they were asked for first', () => {
    const { queue, clock } = queueOn();
    for (const name of ['b', 'a', 'c', 'a', 'b']) {
      queue.add(name);
      clock.advance(1);
    }
    expect(queue.oldestSince).toBe(clock.now() - 5);
    expect(drain(queue)).toEqual(['b', 'a', 'c']);
    expect(queue.oldestSince).toBeUndefined();
  });

  it('puts a name that was asked for while in work behind those that wait', () => {
    const { queue } = queueOn();
    queue.add('a');
    queue.add('b');
    expect(queue.take()).toBe('a');
    queue.add('a');
    queue.done('a');
    expect(drain(queue)).toEqual(['b', 'a']);
  });

  it('does not let a delayed name block others', () => {
    const { queue, clock } = queueOn();
    queue.add('late', 1000);
    queue.add('now');
    expect(drain(queue)).toEqual(['now']);
    expect(queue.delayed).toBe(1);
    clock.advance(999);
    expect(queue.take()).toBeUndefined();
    clock.advance(1);
    expect(drain(queue)).toEqual(['late']);
  });

  it('gives out delayed names in the order of their times', () => {
    const { queue, clock } = queueOn();
    for (const ms of [30, 10, 20]) queue.add(`in-${ms}`, ms);
    clock.advance(100);
    expect(drain(queue)).toEqual(['in-10', 'in-20', 'in-30']);
  });

  it('holds to the earlier of two times for one name', () => {
    const { queue, clock } = queueOn();
    queue.add('sooner', 1000);
    queue.add('sooner', 10);
    queue.add('later', 10);
    queue.add('later', 1000);
    clock.advance(10);
    expect(drain(queue).sort()).toEqual(['later', 'sooner']);
    clock.advance(5000);
    expect(queue.take()).toBeUndefined();
  });

  it('tries a name now that waits for its next attempt, and keeps counting its failures', () => {
    const { queue } = queueOn();
    queue.add('a');
    queue.take();
    queue.retry('a', 'no');
    expect(queue.find('a')).toMatchObject({ state: 'delayed', failures: 1, error: 'no' });
    queue.add('a');
    expect(queue.find('a')).toMatchObject({ state: 'waiting', failures: 1, error: 'no' });
    expect(queue.delayed).toBe(0);
    queue.take();
    queue.retry('a', 'no again');
    expect(queue.find('a')).toMatchObject({ failures: 2, error: 'no again' });
  });

  it('does not make a name wait that was asked for while it failed', () => {
    const { queue } = queueOn();
    queue.add('a');
    queue.take();
    queue.add('a');
    queue.retry('a', 'no');
    expect(queue.find('a')).toMatchObject({ state: 'waiting', failures: 1 });
  });

  it('doubles the back-off from the least to the greatest delay', () => {
    const { queue, clock } = queueOn();
    const delays = delaysOf(queue, clock, 'a', 22);
    expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(delays.slice(-5)).toEqual([655_360, 1_000_000, 1_000_000, 1_000_000, 1_000_000]);
  });

  it('adds to the back-off at random, and stays within the limits', () => {
    const { queue, clock } = queueOn(new FakeClock(), 0.5);
    expect(delaysOf(queue, clock, 'a', 3).map(Math.round)).toEqual([6, 11, 22]);
    expect(delaysOf(queue, clock, 'a', 2000).at(-1)).toBe(1_000_000);
  });

  it('starts the back-off again after a success', () => {
    const { queue, clock } = queueOn();
    delaysOf(queue, clock, 'a', 10);
    queue.add('a');
    queue.take();
    queue.done('a');
    expect(delaysOf(queue, clock, 'a', 1)).toEqual([5]);
  });

  it('keeps the time asked for exactly, which is no failure', () => {
    const { queue, clock } = queueOn(new FakeClock(), 0.9);
    delaysOf(queue, clock, 'a', 3);
    queue.add('a');
    queue.take();
    queue.done('a', 1234);
    expect(queue.find('a')).toMatchObject({ dueAt: clock.now() + 1234, failures: 0, error: undefined });
    clock.advance(1233);
    expect(queue.take()).toBeUndefined();
    clock.advance(1);
    expect(queue.take()).toBe('a');
  });

  it('prefers a request that came during work to the time asked for', () => {
    const { queue } = queueOn();
    queue.add('a');
    queue.take();
    queue.add('a', 50);
    queue.add('a', 20);
    queue.done('a', 30);
    expect(queue.soonest(1)[0]).toMatchObject({ name: 'a', state: 'delayed' });
    expect((queue.find('a')?.dueAt ?? 0) - (queue.find('a')?.since ?? 0)).toBe(20);
  });

  it('takes nothing any more when it is closed, and sets no timer', () => {
    const { queue, clock } = queueOn();
    queue.add('worked');
    queue.take();
    queue.add('waiting');
    queue.add('delayed', 10);
    queue.close();
    queue.add('new');
    clock.advance(100);
    expect(queue.take()).toBeUndefined();
    expect(clock.pending).toBe(0);
    expect(queue.inWork().map(({ name }) => name)).toEqual(['worked']);
    queue.retry('worked', 'too late');
    expect(queue.find('worked')).toBeUndefined();
    expect([queue.waiting, queue.delayed, queue.working]).toEqual([0, 0, 0]);
  });

  it('keeps nothing of a name that is done', () => {
    const { queue, clock } = queueOn();
    delaysOf(queue, clock, 'a', 5);
    queue.add('a');
    expect(drain(queue)).toEqual(['a']);
    expect(queue.find('a')).toBeUndefined();
    clock.advance(10_000_000);
    expect([queue.waiting, queue.delayed, queue.working, clock.pending]).toEqual([0, 0, 0, 0]);
  });

  it('refuses a name back that was not taken', () => {
    const { queue } = queueOn();
    queue.add('a');
    expect(() => queue.done('a')).toThrow('"a" was released but is not being reconciled');
    expect(() => queue.retry('b')).toThrow('"b" was released but is not being reconciled');
  });

  it('returns the delayed names that come next, in order', () => {
    const { queue, clock } = queueOn();
    for (let i = 0; i < 500; i++) queue.add(`n${i}`, 1 + ((i * 37) % 500));
    const dues = queue.soonest(100).map(({ dueAt }) => dueAt - clock.now());
    expect(dues).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  });

  it('moves 100,000 names through waiting, failing and waiting again without looking at all of them', () => {
    const { queue, clock } = queueOn();
    const names = Array.from({ length: 100_000 }, (_, i) => `n${i}`);
    const began = performance.now();
    for (const name of names) queue.add(name);
    for (let name = queue.take(); name !== undefined; name = queue.take()) queue.retry(name, 'no');
    expect(queue.delayed).toBe(100_000);
    clock.advance(5);
    expect(drain(queue)).toHaveLength(100_000);
    // Quadratic work would take minutes.
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it('gives every name out at its time, once, whatever the order of requests', () => {
    const random = new Random(seedOfRun());
    const { queue, clock } = queueOn();
    const due = new Map<string, number>();
    const working = new Set<string>();
    const again = new Map<string, number>();
    const note = (map: Map<string, number>, name: string, at: number): void => {
      map.set(name, Math.min(map.get(name) ?? Infinity, at));
    };
    for (let step = 0; step < 5000; step++) {
      const name = `n${random.below(30)}`;
      if (random.chance(0.5)) {
        const delay = random.chance(0.5) ? 0 : random.below(50);
        queue.add(name, delay);
        note(working.has(name) ? again : due, name, clock.now() + delay);
        continue;
      }
      const action = random.below(3);
      if (action === 0) {
        const taken = queue.take();
        const isDue = [...due.values()].some((at) => at <= clock.now());
        expect(taken !== undefined, `seed ${random.seed}, step ${step}`).toBe(isDue);
        if (taken === undefined) continue;
        expect(working.has(taken), `seed ${random.seed}, step ${step}`).toBe(false);
        expect(due.get(taken), `seed ${random.seed}, step ${step}`).toBeLessThanOrEqual(clock.now());
        due.delete(taken);
        working.add(taken);
      } else if (action === 1 && working.size > 0) {
        const given = random.pick([...working]);
        queue.done(given);
        working.delete(given);
        const at = again.get(given);
        if (at !== undefined) due.set(given, at);
        again.delete(given);
      } else clock.advance(random.below(10));
    }
    expect(queue.waiting + queue.delayed, `seed ${random.seed}`).toBe(due.size);
  });
});
