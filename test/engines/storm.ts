import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import type { Engine } from '../../src/store/engine.js';
import { metaKey } from '../../src/store/index/keys.js';
import { KEY, numberIn } from './engine-contract.js';

/** The answers to writers of several engines. Each writes separate keys, so that a test can check all of them. */
export interface Storm {
  readonly answered: string[];
  readonly refused: string[];
  readonly unsure: string[];
  /** Why the first was refused. */
  readonly reason: string;
  /** Longest time between two answers, in milliseconds. */
  readonly longestGapMs: number;
}

/** Writers that go on until `end` is called. */
export interface RunningStorm {
  /** Waits until so many commits more are answered. @throws when that takes minutes */
  readonly answers: (count: number) => Promise<void>;
  readonly end: () => Promise<Storm>;
}

/** Longer than any server of the tests is away. */
const ANSWERS_MS = 180_000;

/** Begins to write from all engines. */
export function startStorm(engines: readonly Engine[], writers: number): RunningStorm {
  const reported = newStorm();
  const run = { isOver: false };
  const writing = Promise.all(
    Array.from({ length: writers }, (_, writer) =>
      writeUntil(() => run.isOver, engines[writer % engines.length], writer, reported),
    ),
  );
  // Callers that wait for answers, or for the end, get the error.
  writing.catch(() => undefined);
  return {
    async answers(count) {
      const [enough, until] = [reported.answered.length + count, performance.now() + ANSWERS_MS];
      while (reported.answered.length < enough) {
        await Promise.race([writing, sleep(5)]);
        if (performance.now() < until) continue;
        run.isOver = true;
        throw new Error(`${enough - reported.answered.length} of ${count} commits were not answered`);
      }
    },
    async end() {
      run.isOver = true;
      await writing;
      return reported;
    },
  };
}

function newStorm() {
  return {
    answered: [] as string[],
    refused: [] as string[],
    unsure: [] as string[],
    reason: '',
    longestGapMs: 0,
    lastMs: performance.now(),
  };
}

async function writeUntil(
  isOver: () => boolean,
  engine: Engine | undefined,
  writer: number,
  reported: ReturnType<typeof newStorm>,
): Promise<void> {
  for (let i = 0; !isOver(); i += 1) {
    const key = `${writer}-${i}`;
    try {
      await engine?.commit((tx) => {
        const bytes = tx.get(KEY);
        tx.put(KEY, Buffer.from(String(numberIn(bytes) + 1)));
        tx.put(metaKey(`holder/${key}`), Buffer.from('1'));
      });
      reported.answered.push(key);
      reported.longestGapMs = Math.max(reported.longestGapMs, performance.now() - reported.lastMs);
      reported.lastMs = performance.now();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code !== 'OutcomeUnknown') reported.reason ||= error.message;
      (error.code === 'OutcomeUnknown' ? reported.unsure : reported.refused).push(key);
    }
  }
}

/** Every answered commit is there once, no refused one is. */
export async function expectExact(engine: Engine, { answered, refused, unsure }: Storm): Promise<void> {
  // From here on all of it is in the replica.
  const count = numberIn(await engine.get(KEY));
  const isThere = async (key: string): Promise<boolean> =>
    (await engine.get(metaKey(`holder/${key}`), 'local')) !== undefined;
  const missing: string[] = [];
  for (const key of answered) if (!(await isThere(key))) missing.push(key);
  const wrong: string[] = [];
  for (const key of refused) if (await isThere(key)) wrong.push(key);
  let late = 0;
  for (const key of unsure) if (await isThere(key)) late += 1;
  expect({ missing, wrong }).toEqual({ missing: [], wrong: [] });
  expect(count).toBe(answered.length + late);
}
