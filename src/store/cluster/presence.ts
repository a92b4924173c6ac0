import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engine.js';
import { byProcess, Lease, type LeaseOptions } from './lease.js';

/** How often the answer is looked for. */
const LOOK_MS = 100;

/**
 * Shows processes of other machines that one lives: it holds a lease of its own name, and gives a sign when it is asked.
 * Nothing is written while nobody asks.
 */
export function createPresence(engine: Engine, owner: string, answerMs: number): Lease {
  return leaseOn(engine, owner, { holder: owner, liveness: byProcess(() => 'unknown', answerMs) });
}

/**
 * Asks a process whether it lives, and waits for its answer.
 * @param answerMs a process that does not answer for so long is taken for dead
 */
export async function isPresent(
  engine: Engine,
  owner: string,
  { asker, answerMs }: { readonly asker: string; readonly answerMs: number },
): Promise<boolean> {
  const lease = leaseOn(engine, owner, { holder: asker, liveness: byProcess(() => 'unknown', answerMs) });
  try {
    await lease.start();
    const { beat } = lease.record;
    // The lease of a process that does not answer falls to who asks.
    while (lease.term === undefined) {
      if (lease.record.holder !== owner || lease.record.beat !== beat) return lease.record.holder === owner;
      await sleep(LOOK_MS);
      await lease.look();
    }
    return false;
  } finally {
    await lease.stop();
  }
}

function leaseOn(engine: Engine, owner: string, given: Pick<LeaseOptions, 'holder' | 'liveness'>): Lease {
  return new Lease({
    ...given,
    engine,
    name: presenceName(owner),
    onBegin: () => undefined,
    onEnd: () => undefined,
    // It is tried again; a process that cannot be reached is one that does not answer.
    onProblem: () => undefined,
  });
}

/** Of the lease by which a process is known to live. */
export function presenceName(owner: string): string {
  return `process/${owner}`;
}
