import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { byBeats, Lease } from '../../../src/cluster/lease.js';
import { openReplicated } from '../../../src/engines/replicated/engine.js';
import type { OpenLog } from '../../engines/shared-log-suite.js';
import { readProgress } from '../../../src/webhooks/progress.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';
import { openWorld, type World } from '../../webhooks/world.js';

/** Longest time until another process leads after the end of one. */
const LEASE_MS = 1_500;

interface Candidate {
  readonly world: World;
  readonly lease: Lease;
  /** As if the process had been killed: nothing more is stored, and the lease is not released. */
  kill(): Promise<void>;
}

/** A process that delivers while it leads. */
async function openCandidate(openLog: OpenLog, holder: string): Promise<Candidate> {
  const engine = await openReplicated(await openLog(), temporaryDirectory());
  const world = await openWorld(engine);
  const lease = new Lease({
    engine,
    name: 'leader',
    holder,
    liveness: byBeats(LEASE_MS),
    onBegin: (term) => void world.halt().then(() => world.deliver(undefined, term)),
    onEnd: () => void world.halt(),
    onProblem: () => undefined,
  });
  await lease.start();
  return {
    world,
    lease,
    async kill() {
      await engine.close();
      await Promise.all([lease.stop(), world.halt()]);
    },
  };
}

/** The deliveries of webhooks on one store with two processes. */
export function webhooksOn(name: string, makeStore: () => Promise<OpenLog>): void {
  describe(`webhooks on ${name}`, () => {
    let receiver: Receiver;
    afterEach(() => receiver.close());
    afterAll(removeDirectories);

    it('go on in another process from the stored position after the leader was killed', async () => {
      receiver = await startReceiver();
      const openLog = await makeStore();
      const first = await openCandidate(openLog, 'first');
      const second = await openCandidate(openLog, 'second');
      const told = (count: number): Promise<void> =>
        expect.poll(() => receiver.received.length, { timeout: 15_000, interval: 20 }).toBe(count);
      const { metadata } = await second.world.webhook('a', { url: receiver.url });
      const stored = (delivered: number): Promise<void> =>
        expect
          .poll(() => readProgress(second.world.store.engine, metadata.uid), { timeout: 15_000 })
          .toMatchObject({ pending: [], delivered });
      const people = (from: number, world: World): Promise<unknown> =>
        Promise.all(Array.from({ length: 10 }, (_, i) => world.person(`p-${from + i}`)));
      await people(0, first.world);
      await people(10, second.world);
      await told(20);
      await stored(20);

      await first.kill();
      await people(20, second.world);
      await told(30);
      expect(new Set(receiver.told()).size).toBe(30);
      expect(second.lease.record.holder).toBe('second');
      await stored(30);
      await second.lease.stop();
      await second.world.close();
    });
  });
}
