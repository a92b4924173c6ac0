import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AppendFile } from '../../src/audit/append-file.js';
import { AuditLog } from '../../src/audit/audit-log.js';
import type { AUDIT_FIELDS } from '../../src/audit/entry.js';
import { LineWriter } from '../../src/audit/line-writer.js';
import { temporaryDirectory } from './store.js';

export type AuditLine = Readonly<Partial<Record<keyof typeof AUDIT_FIELDS, unknown>>>;

/** The lines of a file. @throws when one of them is not JSON */
export function readAudit(file: string): AuditLine[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  if (lines.pop() !== '') throw new Error('the file does not end with a line');
  return lines.map((line) => JSON.parse(line) as AuditLine);
}

/** The values of some fields of each line. */
export function fieldsOf(lines: readonly AuditLine[], ...fields: readonly (keyof AuditLine)[]): unknown[][] {
  return lines.map((line) => fields.map((field) => line[field]));
}

export interface TestAudit {
  readonly log: AuditLog;
  readonly writer: LineWriter;
  readonly target: AppendFile;
  readonly messages: string[];
  /** The lines since the last call. */
  next(): AuditLine[];
}

/** An audit log of a service that has started. */
export function openTestAudit(
  file = path.join(temporaryDirectory(), 'audit.log'),
  { isStrict = false }: { readonly isStrict?: boolean } = {},
): TestAudit {
  const messages: string[] = [];
  const add = (message: string): void => void messages.push(message);
  const logger = { debug: add, info: add, warn: add, error: add };
  const target = new AppendFile(file);
  const writer = new LineWriter({ target, logger, isStrict });
  const log = new AuditLog(writer);
  log.writes.started();
  let seen = 0;
  return {
    log,
    writer,
    target,
    messages,
    next() {
      const lines = readAudit(file);
      const more = lines.slice(seen);
      seen = lines.length;
      return more;
    },
  };
}
