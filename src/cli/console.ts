import { format } from 'node:util';

/** How loud a line of the console is; the names are those of the log's levels. */
export type ConsoleLevel = 'debug' | 'info' | 'warn' | 'error';
export type ConsoleListener = (level: ConsoleLevel, text: string) => void;

const LEVELS = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;

/**
 * Takes what plugins and libraries print by `console`, for standard output is for data only. What LMDB prints of its
 * own errors is dropped: whoever wrote is told.
 */
export function captureConsole(listener: ConsoleListener): void {
  for (const [method, level] of Object.entries(LEVELS)) {
    const print = (...args: unknown[]): void => {
      if (!args.some(isOfLmdb)) listener(level, format(...args));
    };
    Reflect.set(console, method, print);
  }
}

/** A line of a plugin or a library, for commands that have no log. */
export function writeNote(_level: ConsoleLevel, text: string): void {
  process.stderr.write(`${text}\n`);
}

function isOfLmdb(value: unknown): boolean {
  return value instanceof Error && /[\\/]node_modules[\\/]lmdb[\\/]/.test(value.stack ?? '');
}
