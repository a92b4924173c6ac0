import { getMessage, unavailable } from '../errors.js';
import { LogLimit } from '../lib/log/log-limit.js';
import type { Logger } from '../lib/log/logger.js';
import { SYSTEM_CLOCK } from '../lib/time/clock.js';

export interface LineTarget {
  /** For messages. */
  readonly name: string;
  /** Appends bytes in one call. @returns the number of bytes that were written @throws Error when none was */
  write(bytes: Uint8Array): number;
  /** True when the next line must not begin at its end. */
  endsWithinLine(): boolean;
}

export interface LineWriterOptions {
  readonly target: LineTarget;
  readonly logger: Logger;
  /** Refuses writes of objects while lines cannot be written, and keeps lines until they can be. */
  readonly isStrict: boolean;
}

/** Most characters of lines in one call, except for a single line. */
const CALL_LENGTH_MAX = 256 * 1024;
/** Most characters of lines that are kept until they can be written: more than those of the largest batch. */
const KEPT_LENGTH_MAX = 16 * 1024 * 1024;
const LOG_LINES_PER_MINUTE = 10;
const NEWLINE = 0x0a;
/** JSON ignores it before the next line. */
const PROBE = ' ';

/**
 * Writes lines, those of one turn of the event loop together. The call is synchronous: answers wait for it anyway, and to
 * append to a file takes microseconds, because the system writes it to the disk later.
 */
export class LineWriter {
  readonly #lines: string[] = [];
  /** Characters of the lines. */
  #length = 0;
  #turn: Promise<void> | undefined;
  /** True when the next line must begin with a line break. */
  #isCut: boolean;
  /** True when the target has been written to. */
  #isProven = false;
  /** The reason why the latest call failed. */
  #failure: string | undefined;
  /** Lines that were lost since lines could be written. */
  #lost = 0;
  readonly #limit = new LogLimit(SYSTEM_CLOCK, LOG_LINES_PER_MINUTE);

  constructor(private readonly options: LineWriterOptions) {
    this.#isCut = options.target.endsWithinLine();
  }

  /** Adds a line, with its end, to those that wait. */
  add(line: string): void {
    this.#lines.push(line);
    this.#length += line.length;
  }

  /** Resolves when the lines that wait have been written, or are lost. */
  written(): Promise<void> {
    return (this.#turn ??= new Promise((resolve) =>
      // After everything that is ready to run, which may add lines too.
      process.nextTick(() => {
        this.#turn = undefined;
        this.flush();
        resolve();
      }),
    ));
  }

  /** Writes the lines that wait, as far as possible. Without `isStrict`, the others are lost. */
  flush(): void {
    while (this.#lines.length > 0 && this.#writeSome());
    if (this.#failure !== undefined) this.#drop(this.options.isStrict ? KEPT_LENGTH_MAX : 0);
  }

  /** The reason why lines cannot be written now. It is found by writing. */
  findProblem(): string | undefined {
    if (this.#failure === undefined && this.#isProven) return undefined;
    if (this.#lines.length > 0) this.flush();
    else this.#probe();
    return this.#failure === undefined ? undefined : `the audit log cannot be written (${this.#failure})`;
  }

  /**
   * Must be called before an object is written.
   * @param isStarting true for a write of the starting service, whose lines may wait
   * @throws ServiceError `ServiceUnavailable` with `isStrict` while lines cannot be written
   */
  admit(isStarting: boolean): void {
    if (!this.options.isStrict) return;
    const problem = this.findProblem();
    if (problem === undefined || (isStarting && this.#length < KEPT_LENGTH_MAX / 2)) return;
    throw unavailable(`${problem}; writes are refused until it can be (--audit-strict)`);
  }

  /** Writes the lines that wait. Must be called at the end of the process. */
  close(): void {
    this.flush();
    this.#drop(0);
  }

  /** Must be called when the target is another file. */
  restart(): void {
    this.#isCut = this.options.target.endsWithinLine();
    this.#isProven = false;
    this.flush();
  }

  /** @returns false when the rest cannot be written */
  #writeSome(): boolean {
    let count = 0;
    let length = 0;
    for (const line of this.#lines) {
      length += line.length;
      if (count > 0 && length > CALL_LENGTH_MAX) break;
      count++;
    }
    const start = this.#isCut ? '\n' : '';
    const bytes = Buffer.from(start + this.#lines.slice(0, count).join(''));
    const written = this.#write(bytes);
    if (written > 0) this.#isCut = bytes[written - 1] !== NEWLINE;
    const whole = written === bytes.length ? count : countLines(bytes.subarray(start.length, written));
    for (const line of this.#lines.splice(0, whole)) this.#length -= line.length;
    return written === bytes.length;
  }

  /** Shows that the target can be written, without a line. */
  #probe(): void {
    if (this.#write(Buffer.from(this.#isCut ? '\n' : PROBE)) > 0) this.#isCut = false;
  }

  /** @returns the number of bytes that were written */
  #write(bytes: Buffer): number {
    try {
      const written = this.options.target.write(bytes);
      if (written === bytes.length) this.#succeeded();
      else this.#failed(`only ${written} of ${bytes.length} bytes were written`);
      return written;
    } catch (error) {
      this.#failed(getMessage(error));
      return 0;
    }
  }

  #succeeded(): void {
    this.#isProven = true;
    if (this.#failure === undefined) return;
    const { logger, target } = this.options;
    const lost = this.#lost === 0 ? 'no line was lost' : lostText(this.#lost);
    logger.warn(`the audit log ${target.name} can be written again; ${lost}`);
    this.#failure = undefined;
    this.#lost = 0;
  }

  #failed(reason: string): void {
    const isNew = this.#failure === undefined;
    this.#failure = reason;
    const { isStrict, logger, target } = this.options;
    if (isNew && isStrict)
      logger.error(
        `cannot write the audit log ${target.name}: ${reason}; writes are refused until it can be`,
      );
  }

  /** Drops lines, the newest first. @param lengthMax the number of characters to keep */
  #drop(lengthMax: number): void {
    const { logger, target } = this.options;
    let dropped = 0;
    while (this.#length > lengthMax) {
      this.#length -= this.#lines.pop()?.length ?? this.#length;
      dropped++;
    }
    if (dropped === 0) return;
    this.#lost += dropped;
    const reason = this.#failure ?? '';
    this.#limit.write(() =>
      logger.error(`cannot write the audit log ${target.name}: ${reason}; ${lostText(this.#lost)}`),
    );
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === NEWLINE) count++;
  return count;
}

function lostText(lines: number): string {
  return lines === 1 ? '1 line was lost' : `${lines} lines were lost`;
}
