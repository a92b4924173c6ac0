import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import process from 'node:process';
import type { CliIo } from '../io.js';

/** As shells report it. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const SIGNAL_BASE = 128;

/** The signals that a command gets from this process; its terminal sends it SIGINT by itself. */
const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/**
 * Runs a command with the input and the outputs of this process, and passes signals on.
 * @param more variables in addition to those of this process
 * @returns its exit code, as a shell reports it
 */
export async function runCommand(
  [name = '', ...args]: readonly string[],
  more: Readonly<Record<string, string>>,
  { env, stderr, stdinIsTTY }: Pick<CliIo, 'env' | 'stderr' | 'stdinIsTTY'>,
): Promise<number> {
  const child = spawn(name, args, { stdio: 'inherit', env: { ...env, ...more } });
  const stopPassing = passSignals(child, stdinIsTTY);
  try {
    return await ended(child);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const isMissing = error.code === 'ENOENT';
    stderr.line(`error: ${name}: ${isMissing ? 'command not found' : `cannot be run (${error.code})`}`);
    return isMissing ? NOT_FOUND : NOT_EXECUTABLE;
  } finally {
    stopPassing();
  }
}

function passSignals(child: ChildProcess, isInTerminal: boolean): () => void {
  const pass = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGINT' || !isInTerminal) child.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, pass);
  return () => {
    for (const signal of PASSED_ON) process.off(signal, pass);
  };
}

function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      resolve(code ?? SIGNAL_BASE + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
