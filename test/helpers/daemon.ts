import { spawn, type ChildProcess } from 'node:child_process';
import { Agent } from 'node:http';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendHttp, type HttpAnswer, type HttpRequest } from './http.js';

export const PROGRAM = new URL('../../bin/xsvc.js', import.meta.url).pathname;
export const EXAMPLE_PLUGINS = new URL('../../plugins', import.meta.url).pathname;
export const FIXTURE_PLUGINS = new URL('../fixtures/plugins', import.meta.url).pathname;
const START_MS = 60_000;
const STOP_MS = 15_000;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProgramOptions {
  /** Run by another program: `prlimit` with its options. */
  readonly wrapper?: readonly string[];
  /** The Node.js that runs it. Default: the one of the tests. */
  readonly node?: string;
  /** True when it and all that it starts are a group of processes, whose id is its pid. Default: false. */
  readonly ownGroup?: boolean;
}

export interface DaemonOptions extends ProgramOptions {
  readonly dataDir: string;
  readonly plugins?: readonly string[];
  /** Default 0. */
  readonly port?: number;
  /** Further flags of `serve`. */
  readonly flags?: readonly string[];
}

export interface DaemonProcess {
  readonly url: string;
  readonly pid: number;
  readonly port: number;
  readonly output: { stdout: string; stderr: string };
  readonly exited: Promise<Exit>;
  send(method: string, target: string, request?: HttpRequest): Promise<HttpAnswer>;
  get(target: string): Promise<HttpAnswer>;
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, and how it ended. */
  stop(): Promise<Exit>;
}

interface Started {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly exited: Promise<Exit>;
}

const running = new Set<ChildProcess>();

/** Ends what a failed test left running. */
export function killDaemons(): void {
  for (const child of running) child.kill('SIGKILL');
}

function start(args: readonly string[], options: ProgramOptions): Started {
  const { wrapper = [], node = process.execPath, ownGroup = false } = options;
  const [command = node, ...rest] = [...wrapper, node, PROGRAM, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'], detached: ownGroup });
  running.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (part) => (output.stdout += String(part)));
  child.stderr.on('data', (part) => (output.stderr += String(part)));
  const exited = new Promise<Exit>((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  return { child, output, exited };
}

/** A wrapper whose program sees a clock that is so many hours off. */
export function clockOff(hours: number): readonly string[] {
  const source = `const System = Date;
    const now = () => System.now() + ${hours} * 3_600_000;
    globalThis.Date = class extends System {
      constructor(...given) {
        super(...(given.length === 0 ? [now()] : given));
      }
      static now = now;
    };`;
  return ['env', `NODE_OPTIONS=--import=data:text/javascript,${encodeURIComponent(source)}`];
}

/** The processes that a process has started and that run; none when it has ended. */
export function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Runs the program to its end. */
export async function runProgram(
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<Exit & { readonly stdout: string; readonly stderr: string }> {
  const { output, exited } = start(args, options);
  return { ...(await exited), ...output };
}

/** Starts `xsvc serve` without waiting for it to be ready. */
export function spawnDaemon(options: DaemonOptions): Started {
  const plugins = (options.plugins ?? [EXAMPLE_PLUGINS]).flatMap((directory) => ['--plugins', directory]);
  return start(
    [
      'serve',
      '--port',
      String(options.port ?? 0),
      '--data-dir',
      options.dataDir,
      ...plugins,
      ...(options.flags ?? []),
    ],
    options,
  );
}

/** Starts `xsvc serve` and waits for the line that says it is ready. @throws when it ends instead */
export async function startDaemonProcess(options: DaemonOptions): Promise<DaemonProcess> {
  const { child, output, exited } = spawnDaemon(options);
  const url = await readyUrl(child, output, exited);
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const port = Number(new URL(url).port);
  const send: DaemonProcess['send'] = (method, target, request = {}) =>
    sendHttp(agent, port, method, target, request);
  void exited.then(() => agent.destroy());
  return {
    url,
    pid: child.pid ?? 0,
    port,
    output,
    exited,
    send,
    get: (target) => send('GET', target),
    signal: (name) => void child.kill(name),
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      const exit = await exited;
      clearTimeout(late);
      return exit;
    },
  };
}

/** The number of watches and controllers that follow the changes of the daemon's store. */
export async function watchersOf(daemon: DaemonProcess): Promise<number> {
  return Number(/^xsvc_watchers (\d+)$/m.exec((await daemon.get('/metrics')).text)?.[1]);
}

async function readyUrl(
  child: ChildProcess,
  output: Started['output'],
  exited: Promise<Exit>,
): Promise<string> {
  const start = { ended: false };
  void exited.then(() => (start.ended = true));
  const until = Date.now() + START_MS;
  while (!start.ended && Date.now() < until) {
    await sleep(10);
    const url = /^xsvc listening on (https?:\/\/\S+)\n/m.exec(output.stdout)?.[1];
    if (url !== undefined) return url;
  }
  child.kill('SIGKILL');
  throw new Error(`the daemon did not start:\n${output.stdout}${output.stderr}`);
}

/**
 * A port that nobody listens on now, nor gets for a while: systems give the ports from 32768 on to who asks for any,
 * and to every outgoing connection. Nor one of those that `fetch` refuses, the highest of which is 10080.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 11_000 + Math.floor(Math.random() * 20_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
