import { getCauses, getMessage } from '../../errors.js';
import type { CliIo } from '../io.js';
import { colorsFor } from './colors.js';
import { escapeLines } from './escape.js';

/** One sentence about the error, then each cause on a separate line. */
export function failureLines(error: unknown, verbose = false): string[] {
  const lines = getCauses(error).map(({ field, message }) => `${field}: ${message}`);
  const shown = lines.length === 0 || isInMessage(error, lines) ? [] : lines.map((line) => `  ${line}`);
  const stack =
    verbose && error instanceof Error && error.stack !== undefined ? error.stack.split('\n').slice(1) : [];
  return [formatSentence(error, lines), ...shown, ...stack];
}

/** Prints a failure on stderr. The stack is printed only on request. */
export async function printFailure(io: CliIo, error: unknown, verbose = false): Promise<void> {
  const colors = await colorsFor(io.stderr, io.env);
  const [first = '', ...rest] = failureLines(error, verbose);
  const text = [`${colors.bad('error:')} ${safe(io, first)}`, ...rest.map((line) => safe(io, line))].join(
    '\n',
  );
  io.stderr.write(`${text}\n`);
}

/** True when the only cause of an error repeats its message. */
function isInMessage(error: unknown, lines: readonly string[]): boolean {
  const [only, ...more] = lines;
  return only !== undefined && more.length === 0 && only.endsWith(`: ${getMessage(error)}`);
}

/** The message without its list of causes, which has separate lines. */
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
