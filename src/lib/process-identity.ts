import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';

/** A name for this process among those that share a store: host, process id, and a random part. */
export function ownerName(): string {
  return `${hostname()}/${process.pid}/${randomUUID()}`;
}

/**
 * Whether the process of a name given by {@link ownerName} still runs. One on another host cannot be asked
 * and is taken to live.
 */
export function isOwnerAlive(owner: string): boolean {
  const [host, pid] = owner.split('/');
  if (host !== hostname()) return true;
  if (Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
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
