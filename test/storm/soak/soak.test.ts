import { afterEach, describe, expect, it } from 'vitest';
import { killDaemons } from '../../helpers/daemon.js';
import { usePostgres } from '../../helpers/postgres.js';
import { seedOfRun } from '../../helpers/seed.js';
import { ARRANGEMENTS } from './arrangements.js';
import { type Lengths, soak } from './run.js';

usePostgres();
afterEach(killDaemons);

/** For each arrangement; without it a run is short. */
const seconds = Number(process.env['SOAK_SECONDS'] ?? 0);
const seed = Number(process.env['SOAK_SEED'] ?? seedOfRun());

const SHORT: Lengths = { rounds: 1, stormMs: 10_000, calmMs: 0, lastCalmMs: 4_000 };
const LONG: Lengths = {
  rounds: Math.max(1, Math.round((seconds - 60) / 60)),
  stormMs: 45_000,
  calmMs: 15_000,
  lastCalmMs: 60_000,
};

describe(`a store whose processes are killed, ended and stopped (SOAK_SEED=${seed})`, () => {
  it.each(ARRANGEMENTS)(
    'keeps its word with $name',
    { timeout: 900_000 + seconds * 2_000 },
    async (arrangement) => {
      const { faults, summary, directory } = await soak(arrangement, seed, seconds === 0 ? SHORT : LONG);
      console.log(`${arrangement.name}, seed ${seed}: ${summary}`);
      expect(faults, `seed ${seed}; logs and history are in ${directory}`).toEqual([]);
      expect(summary).not.toMatch(/^0 /);
    },
  );
});
