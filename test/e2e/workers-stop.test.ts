import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { childrenOf, killDaemons } from '../helpers/daemon.js';
import { stopWorkers, type Receiver, type StartingWorkers } from '../helpers/stopping.js';
import { removeDirectories } from '../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const RECEIVERS: readonly Receiver[] = ['parent', 'group'];

async function forked({ pid }: StartingWorkers, count: number): Promise<void> {
  await expect.poll(() => childrenOf(pid).length, { interval: 5 }).toBe(count);
}

describe.each(RECEIVERS)('SIGTERM to the %s of workers', (receiver) => {
  it('ends all of them in order while the first one boots', async () => {
    const { exit, stderr } = await stopWorkers((workers) => forked(workers, 1), receiver);
    expect([exit, stderr]).toEqual([{ code: 0, signal: null }, expect.stringContaining('stopping')]);
  });

  it('ends all of them in order while the second one boots', async () => {
    const { exit } = await stopWorkers((workers) => forked(workers, 2), receiver);
    expect(exit).toEqual({ code: 0, signal: null });
  });
});
