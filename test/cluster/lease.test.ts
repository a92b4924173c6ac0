import { afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/store/engine.js';
import { runFenced, runUnfenced } from '../../src/store/fence.js';
import { byBeats, byProcess, Lease, type Liveness, type Term } from '../../src/cluster/lease.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { FakeClock, turn } from '../controller/helpers.js';
import { openTestStore, removeDirectories, temporaryDirectory } from '../helpers/store.js';

const engines: Engine[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  removeDirectories();
});

interface Member {
  readonly lease: Lease;
  /** Events: `begin 1`, `end 1`, `problem ..`. */
  readonly reported: string[];
}

/** Wants to hold the lease of a store, with a separate clock. */
function memberOf(
  engine: Pick<Engine, 'get' | 'commit' | 'onOtherCommit'>,
  holder: string,
  liveness: Liveness,
  clock: FakeClock,
): Member {
  const reported: string[] = [];
  const lease = new Lease({
    engine,
    name: 'leader',
    holder,
    liveness,
    clock,
    onBegin: ({ token }) => reported.push(`begin ${token}`),
    onEnd: ({ token }) => reported.push(`end ${token}`),
    onProblem: (error) => reported.push(`problem ${String(error)}`),
  });
  return { lease, reported };
}

async function openEngine(): Promise<Engine> {
  const engine = await openLmdb(temporaryDirectory());
  engines.push(engine);
  return engine;
}

/** Lets time pass in steps, and what is due happen in each. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 250) {
    clock.advance(Math.min(250, left));
    await settled();
  }
}

/** Until commits of LMDB that were asked for are done. */
async function settled(): Promise<void> {
  for (const engine of engines) await engine.commit(() => undefined);
  await turn(3);
}

function termOf({ lease }: Member): Term {
  if (lease.term === undefined) throw new Error('it does not hold the lease');
  return lease.term;
}

describe('a lease among processes of one machine', () => {
  it('is held by one; when its process has died another one takes over, with a greater token', async () => {
    const [engine, clock] = [await openEngine(), new FakeClock()];
    const alive = new Set(['a', 'b', 'c']);
    const liveness = byProcess((holder) => (alive.has(holder) ? 'alive' : 'dead'));
    const [a, b, c] = ['a', 'b', 'c'].map((holder) => memberOf(engine, holder, liveness, clock));
    if (a === undefined || b === undefined || c === undefined) throw new Error('three were made');
    for (const { lease } of [a, b, c]) await lease.start();
    expect([a, b, c].map(({ reported }) => reported)).toEqual([['begin 1'], [], []]);
    await pass(clock, 60_000);
    expect(b.lease.record).toMatchObject({ holder: 'a', token: 1, beat: 0 });
    alive.delete('a');
    await pass(clock, 1_250);
    expect([...b.reported, ...c.reported]).toEqual(['begin 2']);
    for (const { lease } of [a, b, c]) await lease.stop();
  });

  it('costs no commit while nothing changes', async () => {
    const [engine, clock] = [await openEngine(), new FakeClock()];
    let commits = 0;
    const counted = {
      get: (key: Uint8Array) => engine.get(key),
      onOtherCommit: () => () => undefined,
      commit: ((body, options) => {
        commits++;
        return engine.commit(body, options);
      }) as Engine['commit'],
    };
    const liveness = byProcess(() => 'alive');
    const members = ['a', 'b'].map((holder) => memberOf(counted, holder, liveness, clock));
    for (const { lease } of members) await lease.start();
    expect(commits).toBe(1);
    await pass(clock, 3_600_000 / 60);
    expect(commits).toBe(1);
    for (const { lease } of members) await lease.stop();
    expect(commits).toBe(2);
  });

  it('is handed over at once by one that stops', async () => {
    const directory = temporaryDirectory();
    const [first, second] = [await openLmdb(directory), await openLmdb(directory)];
    engines.push(first, second);
    const clock = new FakeClock();
    const liveness = byProcess(() => 'alive');
    const [a, b] = [memberOf(first, 'a', liveness, clock), memberOf(second, 'b', liveness, clock)];
    await a.lease.start();
    await b.lease.start();
    await a.lease.stop();
    const end = performance.now() + 5_000;
    while (b.lease.term === undefined && performance.now() < end) {
      clock.advance(0.1);
      await turn();
    }
    expect(b.reported).toEqual(['begin 2']);
    expect(a.reported).toEqual(['begin 1']);
    await b.lease.stop();
    expect(b.lease.term).toBeUndefined();
  });

  it('is left to a holder that cannot be seen and answers, and taken from one that does not', async () => {
    const [engine, clock] = [await openEngine(), new FakeClock()];
    const liveness = byProcess(() => 'unknown');
    const [a, b] = [memberOf(engine, 'a', liveness, clock), memberOf(engine, 'b', liveness, clock)];
    await a.lease.start();
    await b.lease.start();
    await pass(clock, 20_000);
    expect([a.reported, b.reported]).toEqual([['begin 1'], []]);
    expect(a.lease.record.beat).toBeGreaterThan(1);
    await a.lease.stop();
    await pass(clock, 1_000);
    // Nobody has held it by this name for long.
    const c = memberOf(engine, 'c', liveness, new FakeClock());
    await c.lease.start();
    expect([b.reported, c.reported]).toEqual([['begin 2'], []]);
    await b.lease.stop();
    await c.lease.stop();
  });
});

describe('a lease among processes of many machines', () => {
  it.each([1, 2, 3, 4, 5])('has one holder at a time, whatever dies and stops (seed %i)', async (seed) => {
    const engine = await openEngine();
    const random = randomOf(seed);
    const liveness = byBeats(10_000);
    interface Process extends Member {
      readonly clock: FakeClock;
      /** It does nothing until then; its clock goes on. */
      stoppedUntil: number;
      lastMs: number;
    }
    const processes: Process[] = [];
    const add = async (i: number): Promise<void> => {
      const clock = new FakeClock();
      // Clocks are hours apart.
      clock.advance(Math.floor(random() * 7_200_000));
      const member = memberOf(engine, `process-${i}`, liveness, clock);
      processes.push({ ...member, clock, stoppedUntil: 0, lastMs: 0 });
      await member.lease.start();
    };
    for (let i = 0; i < 3; i++) await add(i);
    let tokens = 0;
    let withoutMs = 0;
    let longestMs = 0;
    const acting: number[] = [];
    for (let nowMs = 0; nowMs < 300_000; nowMs += 500) {
      const running = processes.filter(({ stoppedUntil }) => stoppedUntil <= nowMs);
      for (const one of running) {
        one.clock.advance(nowMs - one.lastMs);
        one.lastMs = nowMs;
      }
      await settled();
      const holders = running.filter(({ lease }) => lease.term !== undefined);
      expect(holders.length, `seed ${seed} at ${nowMs}`).toBeLessThanOrEqual(1);
      withoutMs = holders.length === 0 ? withoutMs + 500 : 0;
      longestMs = Math.max(longestMs, withoutMs);
      for (const { lease } of holders) {
        const { token } = lease.term ?? { token: 0 };
        expect(token).toBeGreaterThanOrEqual(tokens);
        if (token > tokens) acting.push(token);
        tokens = token;
      }
      // The holder is stopped, longer than it may be, while the others go on.
      if (random() < 0.01) for (const one of holders) one.stoppedUntil = nowMs + 5_000 + random() * 30_000;
    }
    expect(longestMs).toBeLessThanOrEqual(14_000);
    expect(acting.length).toBeGreaterThan(0);
    for (const { lease } of processes) await lease.stop();
  });

  it('is given up by a holder that cannot beat, before another one begins', async () => {
    const [engine, mine, other] = [await openEngine(), new FakeClock(), new FakeClock()];
    const away = { is: false };
    const cut = {
      get: (key: Uint8Array) => (away.is ? Promise.reject(new Error('away')) : engine.get(key)),
      commit: ((body, options) =>
        away.is ? Promise.reject(new Error('away')) : engine.commit(body, options)) as Engine['commit'],
      onOtherCommit: () => () => undefined,
    };
    const [a, b] = [memberOf(cut, 'a', byBeats(10_000), mine), memberOf(engine, 'b', byBeats(10_000), other)];
    await a.lease.start();
    await b.lease.start();
    away.is = true;
    for (let ms = 0; ms < 6_000; ms += 250) {
      await pass(mine, 250);
      await pass(other, 250);
    }
    expect(a.reported).toContain('end 1');
    expect(b.reported).toEqual([]);
    await pass(other, 7_000);
    expect(b.reported).toEqual(['begin 2']);
    away.is = false;
    await pass(mine, 3_000);
    expect(a.lease.record).toMatchObject({ holder: 'b', token: 2 });
    await a.lease.stop();
    await b.lease.stop();
  });
});

describe('a fence', () => {
  it('refuses the late commits of one that lost the lease, and nobody else', async () => {
    const store = await openTestStore(temporaryDirectory());
    engines.push(store.engine);
    const clock = new FakeClock();
    const alive = new Set(['a']);
    const liveness = byProcess((holder) => (alive.has(holder) ? 'alive' : 'dead'));
    const a = memberOf(store.engine, 'a', liveness, clock);
    await a.lease.start();
    const late = termOf(a);
    const write = (): Promise<string> => store.commit(() => 'written');
    expect(await runFenced(late, write)).toBe('written');
    alive.clear();
    alive.add('b');
    const b = memberOf(store.engine, 'b', liveness, clock);
    await b.lease.start();
    // Also when the work went on for a while before it writes.
    const slowly = async (): Promise<string> => {
      await turn(2);
      return write();
    };
    await expect(runFenced(late, slowly)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('no longer the leader') as string,
    });
    expect(await runFenced(late, () => runUnfenced(write))).toBe('written');
    expect(await runFenced(termOf(b), slowly)).toBe('written');
    expect(await write()).toBe('written');
    await pass(clock, 1_250);
    expect(a.reported).toEqual(['begin 1', 'end 1']);
    await a.lease.stop();
    await b.lease.stop();
    // A term that was given back does not hold either.
    await expect(runFenced({ ...late, token: 2 }, slowly)).rejects.toThrow('no longer the leader');
  });

  it('holds for each of those that run in it, until the last of what it waits for', async () => {
    const store = await openTestStore(temporaryDirectory());
    engines.push(store.engine);
    const lost = { token: 1, guard: () => expect.unreachable() };
    const write = (): Promise<string> => store.commit(() => 'written');
    const slowly = async (turns: number): Promise<string> => {
      await turn(turns);
      return write();
    };
    const both = [runFenced(lost, () => slowly(20)), runFenced(lost, () => slowly(2))];
    expect(() => runFenced(lost, () => expect.unreachable())).toThrow();
    const refused = { status: 'rejected' };
    expect(await Promise.allSettled(both)).toMatchObject([refused, refused]);
    expect(await slowly(2)).toBe('written');
  });

  it('asks a thenable for its answer once', async () => {
    let asked = 0;
    const query: PromiseLike<string> = {
      then: (onAnswer, onError) => {
        asked += 1;
        return Promise.resolve('answer').then(onAnswer, onError);
      },
    };
    expect(await runFenced({ token: 1, guard: () => undefined }, () => query)).toBe('answer');
    expect(asked).toBe(1);
  });

  it('costs the promises of others nothing when nothing runs in it', async () => {
    await runFenced({ token: 1, guard: () => undefined }, () => turn(1));
    // Node before 24 marks every promise while the storage is in use.
    expect(Object.getOwnPropertySymbols(Promise.resolve())).toEqual([]);
  });

  it('is not seen: a lease has no revision and no entry in the log', async () => {
    const store = await openTestStore(temporaryDirectory());
    engines.push(store.engine);
    const before = [await store.stamp(), await store.history.bytes()];
    const clock = new FakeClock();
    const a = memberOf(store.engine, 'a', byBeats(10_000), clock);
    await a.lease.start();
    await pass(clock, 10_000);
    expect(a.lease.record.beat).toBeGreaterThan(2);
    expect([await store.stamp(), await store.history.bytes()]).toEqual(before);
    await a.lease.stop();
  });
});

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
