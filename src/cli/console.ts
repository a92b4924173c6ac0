import { format } from 'node:util';

/** The level of a console line; the names are those of the log's levels. */
export type ConsoleLevel = 'debug' | 'info' | 'warn' | 'error';
export type ConsoleListener = (level: ConsoleLevel, text: string) => void;

const LEVELS = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;

/**
 * Captures `console` output of plugins and libraries, because standard output is for data only. LMDB's own error output is dropped:
 * the writer gets the error.
 */
export function captureConsole(listener: ConsoleListener): void {
  for (const [method, level] of Object.entries(LEVELS)) {
    const print = (...args: unknown[]): void => {
      if (!args.some(isOfLmdb)) listener(level, format(...args));
    };
    Reflect.set(console, method, print);
  }
}

function isOfLmdb(value: unknown): boolean {
  return value instanceof Error && /[\\/]node_modules[\\/]lmdb[\\/]/.test(value.stack ?? '');
}
