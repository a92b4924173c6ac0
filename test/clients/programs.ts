import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

/** A directory of programs, or the reason why there are none. */
export type Programs = { readonly directory: string } | { readonly missing: string };

declare module 'vitest' {
  interface ProvidedContext {
    go: Programs;
    python: Programs;
  }
}

const HERE = new URL('.', import.meta.url).pathname;
const GO = path.join(HERE, 'go');
const REQUIREMENTS = path.join(HERE, 'python/requirements.txt');
const CACHE = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'xsvc-tests');

/** The time that may be spent on building. Without it: any. */
const { CLIENTS_BUILD_SECONDS: seconds } = process.env;
const TOO_LONG = `not built within ${seconds ?? ''} s; npm run test:clients builds them`;

/** Builds the programs of the clients, and says which cannot be built here. */
export default function setup({ provide }: TestProject): void {
  const until = seconds === undefined ? Infinity : Date.now() + Number(seconds) * 1000;
  const programs = { go: goPrograms(until), python: pythonPrograms(until) };
  for (const [name, found] of Object.entries(programs))
    if ('missing' in found) console.log(`Clients in ${name} are left out: ${found.missing}`);
  provide('go', programs.go);
  provide('python', programs.python);
}

/** Go keeps what it has compiled, so that only the first build is long. */
function goPrograms(until: number): Programs {
  const directory = path.join(HERE, '../../node_modules/.cache/clients');
  const has = (...args: string[]) => run(until, 'go', args, GO);
  if (has('version') !== 'done') return { missing: 'there is no Go' };
  const fetched = has('mod', 'download');
  if (fetched === 'failed') return { missing: 'the modules cannot be fetched' };
  const compiled = fetched === 'late' ? fetched : has('build', '-o', `${directory}/`, './...');
  const suite = ['test', '-c', '-o', `${directory}/operator-suite`, './operator'];
  const built = compiled === 'done' ? has(...suite) : compiled;
  if (built === 'late') return { missing: TOO_LONG };
  if (built === 'failed') throw new Error('the clients in Go cannot be compiled');
  return { directory };
}

/** One environment for each text of the requirements. */
function pythonPrograms(until: number): Programs {
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16);
  const directory = path.join(CACHE, `python-${digest}`);
  const complete = path.join(directory, 'complete');
  const bin = path.join(directory, 'bin');
  if (existsSync(complete)) return { directory: bin };
  const made = run(until, 'python3', ['-m', 'venv', '--clear', directory], HERE);
  if (made === 'failed') return { missing: 'there is no Python with venv' };
  const pip = ['install', '--quiet', '--requirement', REQUIREMENTS];
  const installed = made === 'late' ? made : run(until, path.join(bin, 'pip'), pip, HERE);
  if (installed === 'late') return { missing: TOO_LONG };
  if (installed === 'failed') return { missing: 'the packages cannot be installed' };
  writeFileSync(complete, '');
  return { directory: bin };
}

/** Runs a command that ends in time; what it complains about is shown. */
function run(
  until: number,
  command: string,
  args: readonly string[],
  cwd: string,
): 'done' | 'failed' | 'late' {
  const timeout = Math.min(until - Date.now(), 2 ** 31 - 1);
  if (timeout <= 0) return 'late';
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  const { status, error } = spawnSync(command, args, {
    cwd,
    timeout,
    killSignal: 'SIGINT',
    stdio: [...stdio],
  });
  if (status === 0) return 'done';
  return error !== undefined && 'code' in error && error.code === 'ETIMEDOUT' ? 'late' : 'failed';
}
