/**
 * The code of the thread that `startWatchdog` starts.
 */
import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import { withFields } from '../../lib/log/logger.js';
import { EXIT } from '../exit.js';
import { openDaemonLog } from '../logging.js';
import { BEATS, type WatchdogData } from './watchdog.js';

/** The time limit for an answer: outside of JavaScript the process cannot answer, and is then ended by a signal. */
const ANSWER_MS = 2_000;

const { beats, limitMs, beatMs, isTTY, tags } = workerData as WatchdogData;
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
  if (stoodMs < limitMs || Atomics.load(beats, BEATS.isDebugged) === 1) return;
  clearInterval(looking);
  void end();
}, beatMs);

async function end(): Promise<void> {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2 * ANSWER_MS);
  const session = connect();
  const stack = session && (await evaluate(session, STACK));
  const logger = withFields(await openDaemonLog(STDERR, 'error'), tags);
  const place = stack ?? 'location unknown: outside of JavaScript';
  logger.error(`the process was unresponsive for ${limitMs / 1_000}s, so it exits`, { stack: place });
  if (session !== undefined) await evaluate(session, `process.reallyExit(${EXIT.unavailable})`);
  process.kill(process.pid, 'SIGKILL');
}

/** The stack of the process in the form of its errors, without the lines of this evaluation. */
const STACK = `(() => {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  const { stack } = new Error('standing');
  Error.stackTraceLimit = before;
  return stack.split('\\n').slice(3).join('\\n');
})()`;

const STDERR = {
  stderr: { write: (text: string) => void writeSync(2, text), isTTY },
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
function evaluate(session: Session, expression: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ANSWER_MS);
    session.post('Runtime.evaluate', { expression }, (error, answer) => {
      const value: unknown = error === null ? answer.result.value : undefined;
      resolve(typeof value === 'string' ? value : undefined);
    });
  });
}
