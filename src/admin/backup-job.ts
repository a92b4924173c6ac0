import { ServiceError } from '../errors.js';
import type { CopyFacts } from './backup-file.js';
import { runJob, type JobEnd } from './job.js';

/** A job in a separate process. The directory exists, and is empty except for the data file to be checked. */
export type BackupJob =
  /** Copies the store of a data directory into it, checks the copy, and turns it into a backup. */
  | {
      readonly kind: 'copy';
      readonly dataDir: string;
      readonly directory: string;
      /** The free space that must remain there. */
      readonly reserveBytes: number;
    }
  /** Checks the store in it, and removes what the processes of the original store wrote about themselves. */
  | { readonly kind: 'restore'; readonly directory: string };

/**
 * Opens a copy of a store in a separate process, because a damaged page ends the process that maps it.
 * @param ending ends it
 * @throws ServiceError `InternalError` for a copy that is not valid, `ServiceUnavailable` for one that cannot be created
 */
export function runBackupJob(job: BackupJob, ending?: AbortSignal): Promise<CopyFacts> {
  return runJob(new URL('backup-process.js', import.meta.url), job, {
    isResult: (value): value is CopyFacts => 'revision' in value,
    ending,
    endedWithout: (end) => endedWithout(job, end),
  });
}

function endedWithout({ kind }: BackupJob, { how, stderrTail: lastWords }: JobEnd): ServiceError {
  const said = lastWords === '' ? '' : ` (${lastWords})`;
  const what = kind === 'copy' ? 'cannot copy the store' : 'the copy is inconsistent';
  return new ServiceError(
    'InternalError',
    `${what}: the process that read it ended ${how}${said}; damaged pages can be the cause`,
  );
}
