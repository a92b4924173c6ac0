import { escapeControls, escapeLines } from '../lib/escape-controls.js';
import type { ConsoleListener } from './console.js';

/** An output for text. Texts from outside must not control a terminal, nor look like lines of this program. */
export abstract class Output {
  abstract readonly isTTY: boolean;
  /** Width of the terminal in columns; undefined without a terminal, or when it does not report a width. */
  abstract readonly columns: number | undefined;
  /** Resolves when the written data does not accumulate in memory; immediately while it does not. */
  abstract drained(): Promise<void>;
  /** Aborted when the reader has closed it (`| head`): writes are dropped, and the command may stop. */
  abstract readonly closeSignal: AbortSignal;
  /** Writes a text unchanged: only for colours and cursor movements of this program, around escaped values. */
  abstract paint(text: string): void;

  get isClosed(): boolean {
    return this.closeSignal.aborted;
  }

  /** Writes data. On a terminal, control characters except line ends and tabs are escaped. */
  write(text: string): void {
    if (text !== '') this.paint(this.isTTY ? escapeLines(text) : text);
  }

  /** Writes a message as one line: line ends in its values are escaped. */
  line(text: string): void {
    this.paint(`${escapeControls(text)}\n`);
  }
}

/** All parts of the process that a command may use. */
export interface CliIo {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** True when standard input is a terminal with a person. */
  readonly stdinIsTTY: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /**
   * Lets the user edit a file and waits for the end.
   * @param editor a command with its arguments, in shell syntax
   * @returns the editor's exit code; 127 when the command does not exist
   */
  edit(editor: string, file: string): Promise<number>;
  /**
   * Aborted when the user or the system asks the program to stop. Until a command calls this, such a request ends the program as
   * usual.
   */
  stopSignal(): AbortSignal;
  /** Called at each request to open files again (SIGHUP). Until a command listens, it ends the program. */
  onHangup(listener: () => void): void;
  /** Reports errors without a handler, for example in a timer that a plugin set. Until a command listens, they end the program. */
  onStrayError(listener: (error: unknown) => void): void;
  /** Captures `console` output of plugins and libraries. Until a command listens, it goes to `stderr`. */
  onConsole(listener: ConsoleListener): void;
}
