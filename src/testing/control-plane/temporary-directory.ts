import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const directories = new Set<string>();

/** A directory for the owner alone, until it is removed or the process ends. */
export interface TemporaryDirectory {
  readonly path: string;
  remove(): void;
}

export function temporaryDirectory(prefix: string): TemporaryDirectory {
  const directory = mkdtempSync(path.join(tmpdir(), prefix));
  if (directories.size === 0) {
    process.on('exit', removeAll);
    // First of all listeners, as long as all others are known.
    for (const signal of SIGNALS) process.prependListener(signal, onSignal);
  }
  directories.add(directory);
  return { path: directory, remove: () => remove(directory) };
}

function remove(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  if (!directories.delete(directory) || directories.size > 0) return;
  process.off('exit', removeAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function removeAll(): void {
  for (const directory of directories) remove(directory);
}

/** Other listeners decide about the end of the process; without them it ends as usual. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  removeAll();
  process.kill(process.pid, signal);
}
