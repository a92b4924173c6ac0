import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';

/** Whether a process still runs; unknown of one that cannot be seen from here, say in another container. */
export type ProcessState = 'alive' | 'dead' | 'unknown';

/** Names that were given to parts of this process, and not taken back. */
const ours = new Set<string>();

/**
 * A name for this process among those that share a store: host, process id, what tells it from a later process with the
 * same id, and a random part. It is given until {@link endOwner}, or until the process ends.
 */
export function ownerName(): string {
  const stamp = here === undefined ? '' : [here.boot, here.namespace, findStartTime('self') ?? ''].join('.');
  const name = [hostname(), process.pid, stamp, randomUUID()].join('/');
  ours.add(name);
  return name;
}

/** Takes back a name: what it named works no more, though the process may go on. */
export function endOwner(name: string): void {
  ours.delete(name);
}

/** Whether the process of a name given by {@link ownerName} still runs. */
export function processState(owner: string): ProcessState {
  if (ours.has(owner)) return 'alive';
  const [host, pid = '', stamp = ''] = owner.split('/');
  const [boot, namespace, start] = stamp.split('.');
  if (here === undefined || start === undefined) {
    // Without more to go by, a process id means something on its own host alone.
    if (host !== hostname()) return 'unknown';
    return Number(pid) !== process.pid && answers(Number(pid)) ? 'alive' : 'dead';
  }
  // Nothing outlives its system. Processes of another machine or container have ids of their own.
  if (boot !== here.boot) return host === hostname() ? 'dead' : 'unknown';
  if (namespace !== here.namespace) return 'unknown';
  return Number(pid) !== process.pid && findStartTime(pid) === start ? 'alive' : 'dead';
}

/** Whether the process of a name must be taken to live: one that cannot be seen is. */
export function isOwnerAlive(owner: string): boolean {
  return processState(owner) !== 'dead';
}

/** The running system, and what numbers its processes. */
interface System {
  readonly boot: string;
  readonly namespace: string;
}

/** Undefined where the system does not tell. */
const here = thisSystem();

function thisSystem(): System | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    return namespace === undefined ? undefined : { boot, namespace };
  } catch {
    return undefined;
  }
}

/** When a process began, in ticks since the system did; undefined when it does not run. */
function findStartTime(pid: string): string | undefined {
  try {
    // The name of the program comes before these fields, and may contain anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const hasEnded = ['Z', 'X'].includes(fields[STATE_FIELD] ?? '');
    return hasEnded ? undefined : fields[START_FIELD];
  } catch {
    return undefined;
  }
}

/** Positions among the fields that follow the name. */
const STATE_FIELD = 0;
const START_FIELD = 19;

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Who runs this process: the name of the account, or its number where it has none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}
