import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { OWN_DIRECTORY } from '../package-files.js';

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const PROGRAM = path.join(OWN_DIRECTORY, 'bin/xsvc.js');

/** @throws Error when it ends before it listens */
export function startService(args: readonly string[], signal: AbortSignal): Promise<ServerProcess> {
  return start([PROGRAM, 'serve', '--port', '0', '--log-level', 'error', ...args], signal);
}

/** Runs a command of this program to its end. @throws Error when it fails */
export async function runProgram(args: readonly string[], signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'pipe'], signal });
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`xsvc ${args[0] ?? ''} failed: ${said.trim()}`);
}

/** The duration of `node`'s start and end, in milliseconds. */
export async function bareNodeMs(): Promise<number> {
  const begun = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - begun;
}

/** The unit in which Linux counts processor time. */
const TICK_MICROS = 10_000;

/** The processor time of a process and of its ended children, in microseconds; NaN when the system does not report it. */
export async function cpuMicros(pid: number | 'self'): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program, in parentheses, may contain spaces.
  const fields = text.slice(text.lastIndexOf(')')).split(' ');
  return [12, 13, 14, 15].reduce((sum, at) => sum + Number(fields[at]) * TICK_MICROS, 0);
}

/** The resident bytes of a process without mapped files; NaN when the system does not report them. */
export async function ownBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

const PLAIN = `
const body = Buffer.from(process.argv[1], 'base64');
const server = require('node:http').createServer((req, res) => {
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  res.end(body);
});
server.listen(0, '127.0.0.1', () => console.log('listening on http://127.0.0.1:' + server.address().port));
process.on('SIGTERM', () => process.exit(0));
`;

/** A plain `node:http` server that answers every request with the same bytes: the cost of Node itself. */
export function startPlain(body: Buffer, signal: AbortSignal): Promise<ServerProcess> {
  return start(['-e', PLAIN, body.toString('base64')], signal);
}

async function start(args: readonly string[], signal: AbortSignal): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], signal });
  // An aborted run kills it, and the caller gets the error.
  child.on('error', () => undefined);
  const url = await getUrl(child);
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function getUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the server has no output');
  for await (const line of createInterface(child.stdout)) {
    const url = /listening on (http:\S+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the server ended before it listened');
}
