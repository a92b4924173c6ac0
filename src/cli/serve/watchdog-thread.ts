/**
 * The code of the thread that `startWatchdog` starts.
 */
import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { constants } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { withFields } from '../../lib/log/logger.js';
import { EXIT } from '../exit.js';
import { openDaemonLog } from '../logging.js';
import { BEATS, type WatchdogData } from './watchdog.js';

/** The time limit for an answer: outside of JavaScript the process cannot answer, and is then ended by a signal. */
const ANSWER_MS = 2_000;
/** The times after a request to stop during the start: for the event loop to receive it, and for the process to end. */
const RECEIVE_MS = 1_000;
const STOP_MS = 5_000;
/** The time for the line in the log. */
const LOG_MS = 1_000;

const { beats, limitMs, beatMs, isTTY, tags } = workerData as WatchdogData;
const is = (flag: keyof typeof BEATS): boolean => Atomics.load(beats, BEATS[flag]) === 1;
let seen = 0;
let stoodMs = 0;
let lookedAt = performance.now();

const looking = setInterval(() => {
  const now = performance.now();
  const count = Atomics.load(beats, BEATS.count);
  // A suspended process was blocked for no longer than this thread ran.
  stoodMs = count === seen ? stoodMs + Math.min(now - lookedAt, 2 * beatMs) : 0;
  seen = count;
  lookedAt = now;
  if (stoodMs >= limitMs && !is('isDebugged'))
    void end(`the process was unresponsive for ${limitMs / 1_000}s, so it exits`, ANSWER_MS, (session) =>
      evaluate(session, `process.reallyExit(${EXIT.unavailable})`, ANSWER_MS),
    );
}, beatMs);

followSignals((signal) => {
  const endIf = (isStuck: () => boolean, afterMs: number): void => {
    setTimeout(() => {
      if (!is('isStarting') || is('isDebugged') || !isStuck()) return;
      const what = `the process was asked to stop (${signal}) and its start goes on, so it is ended`;
      void end(what, RECEIVE_MS / 2, async (session) => {
        await evaluate(session, `process.removeAllListeners('${signal}')`, RECEIVE_MS / 2);
        process.kill(process.pid, signal);
      });
    }, afterMs);
  };
  endIf(() => !is('isStopping'), RECEIVE_MS);
  endIf(() => true, STOP_MS);
});
parentPort?.postMessage('follows');

/** The handle of a signal in Node.js. */
interface SignalHandle {
  onsignal: () => void;
  start(number: number): number;
  close(): void;
}

/**
 * Calls a listener at the first request to stop. Node.js calls other listeners only in the event loop of the process, which may be
 * blocked. A later version may not have these handles; then only {@link WatchdogData.limitMs} ends such a process.
 */
function followSignals(onStop: (signal: 'SIGTERM' | 'SIGINT') => void): void {
  process.noDeprecation = true;
  try {
    const binding = Reflect.get(process, 'binding') as (name: string) => { Signal: new () => SignalHandle };
    const handles = (['SIGTERM', 'SIGINT'] as const).map((signal) => {
      const handle = new (binding('signal_wrap').Signal)();
      handle.onsignal = () => {
        // A second request ends the process by the system.
        for (const one of handles) one.close();
        onStop(signal);
      };
      handle.start(constants.signals[signal]);
      return handle;
    });
  } catch {
    return;
  }
}

/**
 * Logs a line with the place where the process stands, and ends the process.
 * @param finish ends it from within
 */
async function end(
  message: string,
  answerMs: number,
  finish: (session: Session) => Promise<unknown>,
): Promise<void> {
  clearInterval(looking);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2 * answerMs + LOG_MS);
  const session = connect();
  const stack = session && (await evaluate(session, STACK, answerMs));
  const logger = withFields(await openDaemonLog(STDERR, 'error'), tags);
  logger.error(message, { stack: stack ?? 'location unknown: outside of JavaScript' });
  if (session !== undefined && stack !== undefined) await finish(session);
  else process.kill(process.pid, 'SIGKILL');
}

/** The stack of the process in the form of its errors, without the lines of this evaluation. */
const STACK = `(() => {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  const { stack } = new Error('standing');
  Error.stackTraceLimit = before;
  return stack.split('\\n').slice(3).join('\\n');
})()`;

const write = (text: string): void => void writeSync(2, text);
const STDERR = {
  stderr: { write, paint: write, isTTY },
  env: process.env,
};

function connect(): Session | undefined {
  try {
    const session = new Session();
    session.connectToMainThread();
    return session;
  } catch {
    return undefined;
  }
}

/** Evaluates in the process, during its current work. @returns undefined without an answer */
function evaluate(session: Session, expression: string, answerMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), answerMs);
    session.post('Runtime.evaluate', { expression }, (error, answer) => {
      const value: unknown = error === null ? answer.result.value : undefined;
      resolve(typeof value === 'string' ? value : undefined);
    });
  });
}
