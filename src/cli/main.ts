import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { betweenAllCommits, isCommitting } from '../engines/lmdb/own-commits.js';
import { takeSecrets } from '../lib/process/secrets.js';
import { hasStuckThread } from '../lib/process/stuck-thread.js';
import { callingPlugin } from '../plugin/loaded.js';
import { captureConsole } from './console.js';
import { EXIT } from './exit.js';
import { Output, type CliIo } from './io.js';
import { run } from './program.js';

export { run };

/** Runs the command line of this process and ends the process with the exit code. */
export async function main(): Promise<void> {
  const lost: Error[] = [];
  process.on('exit', failUnlessDone);
  const args = process.argv.slice(2);
  // A service shuts down in order from its start on; other commands request the signal when they can.
  const ofService = args[0] === 'serve' ? stopSignal() : undefined;
  const io = { ...processIo(lost), ...(ofService && { stopSignal: () => ofService }) };
  // For commands without a log.
  captureConsole((_level, text) => io.stderr.write(`${text}\n`));
  const exitCode = await run(args, io);
  // Plugins may have left timers; written output must be flushed before the process ends.
  await flushed(process.stdout);
  const [first] = lost;
  if (first !== undefined && !isOfReader(first))
    process.stderr.write(`error: cannot write the output: ${first.message}\n`);
  await flushed(process.stderr);
  process.off('exit', failUnlessDone);
  // An exit would wait for that thread. Supervisors treat this signal as a normal end.
  const waitMs = ofService?.aborted === true ? STOPPED_MS : DONE_MS;
  if (hasStuckThread() || (await hasWaitingThread(waitMs))) endBySignal();
  // A commit that runs is awaited for longer: it is written to its end.
  setTimeout(endBySignal, DONE_MS);
  const looksDone = exitCode === EXIT.done || exitCode === EXIT.differs;
  betweenAllCommits(() => process.exit(looksDone && first !== undefined ? EXIT.failed : exitCode));
}

function endBySignal(): void {
  process.removeAllListeners(END_SIGNAL).kill(process.pid, END_SIGNAL);
}

/** Requests to the system that occupy a thread. */
const IN_THREADS = /^(FSReq|FileHandleCloseReq|Get(Addr|Name)InfoReq)/;
/** Time limits for these requests, after a request to stop and at the end of a command: a disk may be slow. */
const STOPPED_MS = 500;
const DONE_MS = 5_000;

/** True when such a request, for example the opening of a pipe without a writer, does not end in time. */
async function hasWaitingThread(waitMs: number): Promise<boolean> {
  const isWaiting = (): boolean => process.getActiveResourcesInfo().some((name) => IN_THREADS.test(name));
  for (const until = performance.now() + waitMs; isWaiting() && performance.now() < until;) await sleep(5);
  return isWaiting();
}

/** If other code ends the process, the exit code must not state success. */
function failUnlessDone(): void {
  process.exitCode = EXIT.failed;
  const plugin = callingPlugin();
  const who = plugin === undefined ? 'code, perhaps of a plugin,' : `plugin "${plugin}"`;
  const message = `${who} exited the program before it was done; plugins must not call process.exit()`;
  process.stderr.write(`error: ${message}\n`);
  if (!isCommitting()) return;
  betweenAllCommits(() => process.exit());
  // The commit may wait for the code that exits: this error ends that code, and undoes its write.
  throw new Error(message);
}

/**
 * The process in the form for commands.
 * @param lost receives errors of written output
 */
function processIo(lost: Error[]): CliIo {
  const env = { ...process.env };
  takeSecrets(process.env);
  return {
    stdout: new ProcessOutput(process.stdout, 1, (error) => lost.push(error)),
    // No output is left to report it.
    stderr: new ProcessOutput(process.stderr, 2),
    stdin: process.stdin,
    stdinIsTTY: isatty(0),
    env,
    cwd: process.cwd(),
    edit,
    stopSignal,
    onHangup: (listener) => void process.on('SIGHUP', listener),
    onStrayError(listener) {
      process.on('uncaughtException', listener);
      process.on('unhandledRejection', listener);
    },
    onConsole: captureConsole,
  };
}

class ProcessOutput extends Output {
  readonly isTTY: boolean;
  readonly closeSignal: AbortSignal;

  constructor(
    private readonly stream: NodeJS.WriteStream,
    descriptor: number,
    onLost: (error: Error) => void = () => undefined,
  ) {
    super();
    this.isTTY = isatty(descriptor);
    const abortController = new AbortController();
    this.closeSignal = abortController.signal;
    stream.on('error', (error: Error) => {
      onLost(error);
      abortController.abort();
    });
  }

  get columns(): number | undefined {
    // A terminal with an unknown size reports 0.
    return this.isTTY && this.stream.columns > 0 ? this.stream.columns : undefined;
  }

  paint(text: string): void {
    if (!this.isClosed) this.stream.write(text);
  }

  drained(): Promise<void> {
    return this.stream.writableNeedDrain && !this.isClosed ? drained(this.stream) : Promise.resolve();
  }
}

/** True when the reader of a pipe closed it (`| head`): it knows that the output is incomplete. */
function isOfReader({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}

/** Also resolves when the reader is gone. */
function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'error', 'close']) stream.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'error', 'close']) stream.on(event, done);
  });
}

function edit(editor: string, file: string): Promise<number> {
  return new Promise((resolve) => {
    // Runs the shell, because the configured editor may have arguments.
    const child = spawn('sh', ['-c', `${editor} "$@"`, 'sh', file], { stdio: 'inherit' });
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

const END_SIGNAL = 'SIGTERM';
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Returns a signal that aborts at the first request to stop. From then on a second request ends the process by the system itself:
 * `process.exit` would wait for native threads, and those may wait for a disk.
 */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const onSignal = (): void => {
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
    controller.abort();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  return controller.signal;
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
