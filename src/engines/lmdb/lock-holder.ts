import { readFileSync } from 'node:fs';
import path from 'node:path';
import { holdersOfLock, LOCK_FILE } from './files.js';
import { LockFile } from './lock-file.js';

/** Names the process that holds the lock of writers of a store, in a sentence with advice. */
export function describeWriter(directory: string): string {
  const others = (holdersOfLock(path.join(directory, LOCK_FILE)) ?? []).filter((pid) => pid !== process.pid);
  const writer = writerAmong(others, directory);
  const suspects = writer === undefined ? others.filter(isStopped) : [writer];
  const [pid] = suspects;
  if (pid === undefined) return `another process has held the lock for too long${listed(others)}`;
  if (suspects.length > 1)
    return `one of these stopped processes holds the lock: ${suspects.join(', ')}; end them`;
  if (isStopped(pid))
    return `process ${pid} is stopped and holds the lock; run \`kill -CONT ${pid}\`, or end it`;
  return `process ${pid} has held the lock for too long; end it if it does not continue`;
}

function listed(pids: readonly number[]): string {
  return pids.length === 0 ? '' : `; it is one of these: ${pids.join(', ')}`;
}

/** Undefined where the lock does not contain it. */
function writerAmong(pids: readonly number[], directory: string): number | undefined {
  try {
    const thread = LockFile.of(directory).writingThread();
    const pid =
      thread && Number(/^Tgid:\s*(\d+)$/m.exec(readFileSync(`/proc/${thread}/status`, 'utf8'))?.[1]);
    return pids.find((one) => one === pid);
  } catch {
    return undefined;
  }
}

/** True for a process stopped by a signal or a debugger. */
function isStopped(pid: number): boolean {
  try {
    return /^State:\s*[Tt]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
