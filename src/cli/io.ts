import type { ConsoleListener } from './console.js';

/** Where text goes. */
export interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Width of the terminal in columns; undefined when it is none or does not say. */
  readonly columns: number | undefined;
  /** Resolves when what was written is on its way, and does not heap up in memory; at once when it does not. */
  drained(): Promise<void>;
  /** Whether nobody reads any more (`| head`): what is written is dropped, and there is no need to go on. */
  readonly isClosed: boolean;
}

/** All of the process that a command may touch. */
export interface CliIo {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** Whether somebody types there, who can be asked. */
  readonly stdinIsTTY: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /**
   * Lets the user edit a file and waits until that is over.
   * @param editor a command with its arguments, as the shell understands it
   * @returns the editor's exit code; 127 when there is no such command
   */
  edit(editor: string, file: string): Promise<number>;
  /**
   * Aborted when the user or the system asks the program to stop. Until a command asks for it, such a request
   * ends the program as it always does.
   */
  stopSignal(): AbortSignal;
  /**
   * Tells what was thrown where nobody could catch it, say in a timer that a plugin set. Until a command listens, that
   * ends the program.
   */
  onStrayError(listener: (error: unknown) => void): void;
  /** Takes what plugins and libraries print by `console`. Until a command listens, that goes to `stderr`. */
  onConsole(listener: ConsoleListener): void;
}
