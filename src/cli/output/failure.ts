import { getMessage, ServiceError } from '../../errors.js';
import type { CliIo } from '../io.js';
import { colorsFor } from './colors.js';
import { escapeLines } from './escape.js';

/** One sentence on what went wrong, then each cause on a line of its own. */
export function failureLines(error: unknown, verbose = false): string[] {
  const causes = error instanceof ServiceError ? (error.details.causes ?? []) : [];
  const lines = causes.map(({ field, message }) => `${field}: ${message}`);
  const shown = lines.length === 0 || isToldAlready(error, lines) ? [] : lines.map((line) => `  ${line}`);
  const stack =
    verbose && error instanceof Error && error.stack !== undefined ? error.stack.split('\n').slice(1) : [];
  return [formatSentence(error, lines), ...shown, ...stack];
}

/** Prints a failure on stderr. A stack is only shown to those who asked for one. */
export async function printFailure(io: CliIo, error: unknown, verbose = false): Promise<void> {
  const colors = await colorsFor(io.stderr, io.env);
  const [first = '', ...rest] = failureLines(error, verbose);
  const text = [`${colors.bad('error:')} ${safe(io, first)}`, ...rest.map((line) => safe(io, line))].join(
    '\n',
  );
  io.stderr.write(`${text}\n`);
}

/** The one cause of an error that only repeats its message. */
function isToldAlready(error: unknown, lines: readonly string[]): boolean {
  const [only, ...more] = lines;
  return only !== undefined && more.length === 0 && only.endsWith(`: ${getMessage(error)}`);
}

/** The message without the list of causes that stands on its own lines. */
function formatSentence(error: unknown, lines: readonly string[]): string {
  const message = getMessage(error);
  const bare = lines.map((line) => line.replace(/^items\[\d+\]\./, ''));
  for (const list of [lines.join('; '), bare.join('; ')]) {
    if (list !== '' && message.endsWith(`: ${list}`)) return message.slice(0, -list.length - 2);
  }
  return message;
}

function safe(io: CliIo, line: string): string {
  return io.stderr.isTTY ? escapeLines(line) : line;
}
