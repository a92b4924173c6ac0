import { formatLine, type AuditEntry } from './entry.js';
import type { LineWriter } from './line-writer.js';
import { RecordedWrites } from './recorded-writes.js';

/** Records what somebody did, or tried to do. */
export interface EntryLog {
  /** Resolves when the line was written, together with others of this turn, or is lost. Never rejects. */
  record(entry: AuditEntry): Promise<void>;
  /** Writes the line before it returns, if that is possible. */
  recordNow(entry: AuditEntry): void;
}

/** The audit log of this process: one JSON line for each entry. */
export class AuditLog implements EntryLog {
  /** The part that records the writes of objects. */
  readonly writes: RecordedWrites;

  constructor(private readonly writer: LineWriter) {
    this.writes = new RecordedWrites(writer, (entry) => this.#add(entry));
  }

  record(entry: AuditEntry): Promise<void> {
    this.#add(entry);
    return this.writer.written();
  }

  recordNow(entry: AuditEntry): void {
    this.#add(entry);
    this.writer.flush();
  }

  /** The reason why writes of objects are refused now; undefined while they are not. */
  findProblem(): string | undefined {
    return this.writer.findProblem();
  }

  #add(entry: AuditEntry): void {
    this.writer.add(formatLine(entry, new Date()));
  }
}
