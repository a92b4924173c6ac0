import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../store/engine.js';
import { byProcess, Lease, type LeaseOptions } from './lease.js';

/** Interval of the checks for an answer, in milliseconds. */
const LOOK_MS = 100;

/**
 * Shows processes of other machines that this one is alive: it holds a lease with its name, and sends a heartbeat on
 * request. Without requests nothing is written.
 */
export function createPresence(engine: Engine, owner: string, answerMs: number): Lease {
  return leaseOn(engine, owner, { holder: owner, liveness: byProcess(() => 'unknown', answerMs) });
}

/**
 * Asks a process for a sign of life, and waits for the answer.
 * @param answerMs time without an answer after which the process counts as dead
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
    // The asking process acquires the lease of a process that does not answer.
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
    // The attempt is repeated. A process that cannot be reached counts as one that does not answer.
    onProblem: () => undefined,
  });
}

/** The name of the lease that shows that a process is alive. */
export function presenceName(owner: string): string {
  return `process/${owner}`;
}
