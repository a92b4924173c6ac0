import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';

/** The state of a process; unknown for one that is not visible from here, for example in another container. */
export type ProcessState = 'alive' | 'dead' | 'unknown';

/** Names in use for parts of this process. */
const ours = new Set<string>();

/**
 * Creates a name for this process among those that share a store. It consists of the host, the process id, a mark
 * that distinguishes a later process with the same id, and a random part. The name is valid until {@link endOwner},
 * or until the process ends.
 */
export function ownerName(): string {
  const stamp = here === undefined ? '' : [here.boot, here.namespace, findStartTime('self') ?? ''].join('.');
  const name = [hostname(), process.pid, stamp, randomUUID()].join('/');
  ours.add(name);
  return name;
}

/** Invalidates a name: the part that it names has stopped, though the process may go on. */
export function endOwner(name: string): void {
  ours.delete(name);
}

/** The state of the process with a name from {@link ownerName}. */
export function processState(owner: string): ProcessState {
  if (ours.has(owner)) return 'alive';
  const [host, pid = '', stamp = ''] = owner.split('/');
  const [boot, namespace, start] = stamp.split('.');
  if (here === undefined || start === undefined) {
    // A process id alone means something only on its own host.
    if (host !== hostname()) return 'unknown';
    return Number(pid) !== process.pid && answers(Number(pid)) ? 'alive' : 'dead';
  }
  // No process survives a restart of its system. Processes of another machine or container have separate ids.
  if (boot !== here.boot) return host === hostname() ? 'dead' : 'unknown';
  if (namespace !== here.namespace) return 'unknown';
  return Number(pid) !== process.pid && findStartTime(pid) === start ? 'alive' : 'dead';
}

/**
 * True when the owner of a name must be assumed to be alive, which includes processes that are not visible from here.
 */
export function isOwnerAlive(owner: string): boolean {
  return processState(owner) !== 'dead';
}

/** The running system, and the namespace of its process ids. */
interface System {
  readonly boot: string;
  readonly namespace: string;
}

/** Undefined where the system does not provide it. */
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

/** The start time of a process, in ticks since the system started; undefined when it does not run. */
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

/** Positions among the fields after the name. */
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

/** The account that runs this process: its name, or its number when it has no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}
