import { expect } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import type { Engine } from '../../src/store/engine.js';
import { metaKey } from '../../src/store/keys.js';
import { KEY, numberIn } from './engine-contract.js';

/** What writers of several engines were told. Each writes keys of its own, so that all can be looked for. */
export interface Storm {
  readonly answered: string[];
  readonly refused: string[];
  readonly unsure: string[];
  /** Why the first was refused. */
  readonly reason: string;
  /** Longest time between two answers, in milliseconds. */
  readonly longestGapMs: number;
}

/** Writes from all engines until it is over. */
export async function storm(
  engines: readonly Engine[],
  writers: number,
  until: () => boolean,
): Promise<Storm> {
  const told = {
    answered: [] as string[],
    refused: [] as string[],
    unsure: [] as string[],
    reason: '',
    longestGapMs: 0,
  };
  let last = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const engine = engines[writer % engines.length];
      for (let i = 0; !until(); i += 1) {
        const key = `${writer}-${i}`;
        try {
          await engine?.commit((tx) => {
            const bytes = tx.get(KEY);
            tx.put(KEY, Buffer.from(String(numberIn(bytes) + 1)));
            tx.put(metaKey(`holder/${key}`), Buffer.from('1'));
          });
          told.answered.push(key);
          told.longestGapMs = Math.max(told.longestGapMs, performance.now() - last);
          last = performance.now();
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          if (error.code !== 'OutcomeUnknown') told.reason ||= error.message;
          (error.code === 'OutcomeUnknown' ? told.unsure : told.refused).push(key);
        }
      }
    }),
  );
  return told;
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

/** Whether so much time has gone by since now. */
export function after(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() > end;
}
