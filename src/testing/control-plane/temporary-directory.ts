import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A directory for the owner alone, until it is removed or the process ends. */
export interface TemporaryDirectory {
  readonly path: string;
  remove(): void;
}

export function temporaryDirectory(prefix: string): TemporaryDirectory {
  const directory = mkdtempSync(path.join(tmpdir(), prefix));
  const remove = (): void => {
    process.off('exit', remove);
    for (const signal of SIGNALS) process.off(signal, onSignal);
    rmSync(directory, { recursive: true, force: true });
  };
  /** Others that listen decide about the end of the process. */
  const onSignal = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 1) return;
    remove();
    process.kill(process.pid, signal);
  };
  process.on('exit', remove);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return { path: directory, remove };
}
