import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import type { Programs } from './programs.js';

/** The definition of the kind of all clients. */
export const SITE = new URL('site.yaml', import.meta.url).pathname;

/** A service for the tests of a file, without plugins, and clients that find it as they find a cluster. */
export interface ControlPlane {
  readonly daemon: DaemonProcess;
  readonly kubeconfig: string;
}

export interface Client {
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

const running = new Set<ChildProcess>();

/** Starts a service before the tests of a file; the definition of sites is applied. */
export function useControlPlane(): () => ControlPlane {
  let plane: ControlPlane;
  beforeAll(async () => {
    const [dataDir, kubeconfig] = [temporaryDirectory(), path.join(temporaryDirectory(), 'kubeconfig')];
    const daemon = await startDaemonProcess({ dataDir, plugins: [temporaryDirectory()] });
    const { stdout } = await runProgram(['kubeconfig', '--server', daemon.url]);
    writeFileSync(kubeconfig, stdout);
    const applied = await runProgram(['apply', '-f', SITE, '--server', daemon.url]);
    expect(applied).toMatchObject({ code: 0 });
    plane = { daemon, kubeconfig };
  });
  afterAll(() => {
    killClients();
    killDaemons();
    removeDirectories();
  });
  return () => plane;
}

/** Starts a client of a control plane. */
export function startClient({ kubeconfig }: ControlPlane, command: string, args: readonly string[]): Client {
  return startProgram(command, args, { env: { ...process.env, KUBECONFIG: kubeconfig } });
}

export function startProgram(
  command: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd?: string; readonly env: NodeJS.ProcessEnv },
): Client {
  // Otherwise Python writes compiled files beside the source.
  const child = spawn(command, args, {
    cwd,
    env: { ...env, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (part) => (output.stdout += String(part)));
  child.stderr.on('data', (part) => (output.stderr += String(part)));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  return { output, ended, signal: (name) => void child.kill(name) };
}

/** Ends the programs that still run. */
export function killClients(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** The lines that a tour prints: `ok STEP`, or `failed STEP: why`. */
export async function tourOf(
  plane: ControlPlane,
  command: string,
  args: readonly string[],
): Promise<string[]> {
  const { output, ended } = startClient(plane, command, args);
  expect([await ended, output.stderr]).toEqual([0, '']);
  return output.stdout.trim().split('\n');
}

/** The file of a program; the tests are skipped when there are none, and their title says why. */
export function fileOf(programs: Programs, name: string): string {
  return 'directory' in programs ? path.join(programs.directory, name) : '';
}

export function titled(title: string, programs: Programs): string {
  return 'missing' in programs ? `${title} (left out: ${programs.missing})` : title;
}
