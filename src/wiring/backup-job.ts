import { fork } from 'node:child_process';
import { ERROR_CODES, ServiceError, type ErrorCode } from '../errors.js';
import { isRecord } from '../lib/json.js';
import type { CopyFacts } from './backup-file.js';

/** What is done in a process of its own. The directory is there, and empty but for the data file to be checked. */
export type BackupJob =
  /** Copies the store of a data directory into it, checks the copy, and makes it a backup. */
  | {
      readonly kind: 'copy';
      readonly dataDir: string;
      readonly directory: string;
      /** Must be left free there. */
      readonly reserveBytes: number;
    }
  /** Checks the store in it. */
  | { readonly kind: 'check'; readonly directory: string };

export type BackupAnswer =
  { readonly facts: CopyFacts } | { readonly error: { readonly code: ErrorCode; readonly message: string } };

/** What is kept of what the process says before it ends without an answer. */
const LAST_WORDS_MAX = 300;

/**
 * Opens a copy of a store in a process of its own: a damaged page ends the process that maps it.
 * @param ending ends it
 * @throws ServiceError `InternalError` for a copy that is not sound, `ServiceUnavailable` for one that cannot be made
 */
export function runBackupJob(job: BackupJob, ending?: AbortSignal): Promise<CopyFacts> {
  const child = fork(new URL('backup-process.js', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    ...(ending === undefined ? {} : { signal: ending, killSignal: 'SIGKILL' }),
  });
  return new Promise((resolve, reject) => {
    let answer: BackupAnswer | undefined;
    let lastWords = '';
    child.stderr?.on('data', (part) => (lastWords = (lastWords + String(part)).slice(-LAST_WORDS_MAX)));
    child.on('message', (message) => (answer = isAnswer(message) ? message : undefined));
    child.on('error', (error) =>
      reject(new ServiceError('ServiceUnavailable', `the copy was not checked: ${error.message}`)),
    );
    child.on('close', (code, signal) => {
      if (answer === undefined) reject(endedWithout(job, { code, signal }, lastWords));
      else if ('facts' in answer) resolve(answer.facts);
      else reject(new ServiceError(answer.error.code, answer.error.message));
    });
    child.send(job, () => undefined);
  });
}

function isAnswer(value: unknown): value is BackupAnswer {
  if (!isRecord(value)) return false;
  const { facts, error } = value;
  return isRecord(facts) || (isRecord(error) && ERROR_CODES.some((code) => code === error.code));
}

function endedWithout(
  { kind }: BackupJob,
  { code, signal }: { readonly code: number | null; readonly signal: NodeJS.Signals | null },
  lastWords: string,
): ServiceError {
  const how = signal === null ? `with ${String(code)}` : `by ${signal}`;
  const said = lastWords.trim() === '' ? '' : ` (${lastWords.trim().split('\n').at(-1) ?? ''})`;
  const what = kind === 'copy' ? 'the store cannot be copied' : 'the copy is not sound';
  return new ServiceError(
    'InternalError',
    `${what}: the process that read it ended ${how}${said}, as it does where pages are damaged`,
  );
}
