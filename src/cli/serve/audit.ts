import type { AuditLog } from '../../audit/audit-log.js';
import type { LineTarget } from '../../audit/line-writer.js';
import type { Config } from '../../config.js';
import { getMessage } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';

/** The value of `--audit-log` for stderr. */
const STDERR = '-';

export interface OpenAuditLog {
  readonly log: AuditLog;
  /** Opens the file of the name again, which may be another one now; undefined for stderr. */
  readonly reopen: (() => void) | undefined;
  close(): void;
}

/**
 * Opens the configured audit log; undefined without one.
 * @throws UsageError when the file cannot be opened
 */
export async function openAuditLog(
  { auditLog, auditStrict: isStrict }: Pick<Config, 'auditLog' | 'auditStrict'>,
  stderr: CliIo['stderr'],
  logger: Logger,
): Promise<OpenAuditLog | undefined> {
  if (auditLog === undefined) return undefined;
  const { AuditLog: Log } = await import('../../audit/audit-log.js');
  const { LineWriter } = await import('../../audit/line-writer.js');
  const file = auditLog === STDERR ? undefined : await openFile(auditLog);
  const writer = new LineWriter({ target: file ?? stderrTarget(stderr), logger, isStrict });
  return {
    log: new Log(writer),
    reopen: file && (() => reopen(file, () => writer.restart(), logger)),
    close() {
      writer.close();
      file?.close();
    },
  };
}

interface ReopenedFile extends LineTarget {
  reopen(): void;
  close(): void;
}

async function openFile(name: string): Promise<ReopenedFile> {
  const { AppendFile } = await import('../../audit/append-file.js');
  try {
    return new AppendFile(name);
  } catch (error) {
    throw new UsageError(
      `--audit-log: cannot open ${name}: ${getMessage(error)}; it must be a file that can be written, or - for stderr`,
    );
  }
}

function reopen(file: ReopenedFile, onDone: () => void, logger: Logger): void {
  try {
    file.reopen();
    logger.info(`the audit log ${file.name} was reopened`);
  } catch (error) {
    logger.error(
      `cannot reopen the audit log ${file.name}: ${getMessage(error)}; lines go on to the file that is open`,
    );
    return;
  }
  onDone();
}

function stderrTarget(stderr: CliIo['stderr']): LineTarget {
  return {
    name: 'stderr',
    write(bytes) {
      if (stderr.isClosed) throw new Error('its reader has closed it');
      stderr.write(Buffer.from(bytes).toString());
      return bytes.length;
    },
    endsWithinLine: () => false,
  };
}
