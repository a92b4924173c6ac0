import { fork } from 'node:child_process';
import { ERROR_CODES, ServiceError, unavailable, type ErrorCode } from '../errors.js';
import { isRecord } from '../lib/json/json.js';

/** The answer of a process that was started for one job. */
export type JobAnswer =
  { readonly result: object } | { readonly error: { readonly code: ErrorCode; readonly message: string } };

/** The message that it sends before the answer, from time to time: it runs, and its code yields to the event loop. */
export const HEARTBEAT = 'alive';

export interface JobOptions<T extends object> {
  readonly isResult: (value: object) => value is T;
  /** Ends the process. */
  readonly ending?: AbortSignal | undefined;
  /** The time without a message after which the process is ended. Default: unlimited. */
  readonly silenceMs?: number;
  /** The error for a process that ended without an answer. */
  readonly endedWithout: (end: JobEnd) => ServiceError;
}

/** The end of a process without an answer. */
export interface JobEnd {
  /** `with 1`, `by SIGKILL`. */
  readonly how: string;
  readonly isSilent: boolean;
  /** The last line that it wrote to standard error; may be empty. */
  readonly stderrTail: string;
}

/** The limit of a process's last output that is kept, in characters. */
const LAST_WORDS_MAX = 300;

/**
 * Runs a job in a separate process: everything that it loads and opens ends with it.
 * @param file calls `serveJob`
 * @throws ServiceError of the job, or one that states how the process ended
 */
export function runJob<T extends object>(file: URL, job: object, options: JobOptions<T>): Promise<T> {
  const { isResult, ending, silenceMs, endedWithout } = options;
  const child = fork(file, {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    ...(ending === undefined ? {} : { signal: ending, killSignal: 'SIGKILL' }),
  });
  let isSilent = false;
  const onSilence = (): void => {
    isSilent = true;
    child.kill('SIGKILL');
  };
  const silence = silenceMs === undefined ? undefined : setTimeout(onSilence, silenceMs);
  return new Promise<T>((resolve, reject) => {
    let answer: JobAnswer | undefined;
    let stderrTail = '';
    child.stderr?.on('data', (part) => (stderrTail = (stderrTail + String(part)).slice(-LAST_WORDS_MAX)));
    child.on('message', (message) => {
      if (isAnswer(message)) answer = message;
      else if (message === HEARTBEAT) silence?.refresh();
    });
    child.on('error', (error) => reject(unavailable(`the worker process failed: ${error.message}`)));
    child.on('close', (code, signal) => {
      const how = signal === null ? `with ${String(code)}` : `by ${signal}`;
      const end = { how, isSilent, stderrTail: stderrTail.trim().split('\n').at(-1) ?? '' };
      if (answer === undefined) reject(endedWithout(end));
      else if ('error' in answer) reject(new ServiceError(answer.error.code, answer.error.message));
      else if (isResult(answer.result)) resolve(answer.result);
      else reject(endedWithout(end));
    });
    child.send(job, () => undefined);
  }).finally(() => clearTimeout(silence));
}

function isAnswer(value: unknown): value is JobAnswer {
  if (!isRecord(value)) return false;
  const { result, error } = value;
  return isRecord(result) || (isRecord(error) && ERROR_CODES.some((code) => code === error.code));
}
