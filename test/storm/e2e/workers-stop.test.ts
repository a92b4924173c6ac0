import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { killDaemons } from '../../helpers/daemon.js';
import { stopWorkers, type Receiver } from '../../helpers/stopping.js';
import { removeDirectories } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const STEP_MS = 20;
const STEPS = 150;
/** Of a start that takes longer, the rest is looked at less closely. */
const LATE_STEP_MS = 500;
const LATE_STEPS = 60;
const RECEIVERS: readonly Receiver[] = ['parent', 'group'];

it.each(RECEIVERS)(
  'SIGTERM to the %s at any time of a start of workers ends all of them, with 0 once the program runs',
  async (receiver) => {
    const seen = { isReady: false, begun: 0 };
    for (let step = 0; step < STEPS + LATE_STEPS && !seen.isReady; step++) {
      const { exit, hadBegun, stderr } = await stopWorkers(async ({ output }) => {
        await sleep(Math.min(step, STEPS) * STEP_MS + Math.max(0, step - STEPS) * LATE_STEP_MS);
        seen.isReady = output.stdout !== '';
      }, receiver);
      const isUntouched = !hadBegun && stderr === '' && exit.signal === 'SIGTERM';
      if (!isUntouched) expect([step, exit]).toEqual([step, { code: 0, signal: null }]);
      if (hadBegun) seen.begun += 1;
    }
    expect([seen.isReady, seen.begun > 10]).toEqual([true, true]);
  },
  1_200_000,
);
