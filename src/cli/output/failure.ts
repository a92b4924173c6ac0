import { getCauses, getMessage } from '../../errors.js';
import type { CliIo } from '../io.js';
import { colorsFor } from './colors.js';
import { escapeControls } from '../../lib/escape-controls.js';

const LINES = new WeakMap<Error, readonly string[]>();

/** Marks an error whose message has several lines. Other line breaks in messages come from values. */
export function inLines<E extends Error>(lines: readonly string[], make: (message: string) => E): E {
  const error = make(lines.join('\n'));
  LINES.set(error, lines);
  return error;
}

/** One sentence about the error, then each cause on a separate line. */
export function failureLines(error: unknown, verbose = false): string[] {
  const lines = getCauses(error).map(({ field, message }) => `${field}: ${message}`);
  const shown = lines.length === 0 || isInMessage(error, lines) ? [] : lines.map((line) => `  ${line}`);
  const stack =
    verbose && error instanceof Error
      ? (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line))
      : [];
  const message = (error instanceof Error && LINES.get(error)) || [formatSentence(error, lines)];
  return [...message, ...shown, ...stack];
}

/** Prints a failure on stderr. The stack is printed only on request. */
export async function printFailure(io: CliIo, error: unknown, verbose = false): Promise<void> {
  const colors = await colorsFor(io.stderr, io.env);
  const lines = failureLines(error, verbose).map(escapeControls);
  io.stderr.paint(`${colors.bad('error:')} ${lines.join('\n')}\n`);
}

/** True when the only cause of an error repeats its message. */
function isInMessage(error: unknown, lines: readonly string[]): boolean {
  const [only, ...more] = lines;
  return only !== undefined && more.length === 0 && only.endsWith(`: ${getMessage(error)}`);
}

/** The message without its list of causes, which are printed on lines below it. */
function formatSentence(error: unknown, lines: readonly string[]): string {
  const message = getMessage(error);
  const bare = lines.map((line) => line.replace(/^items\[\d+\]\./, ''));
  for (const list of [lines.join('; '), bare.join('; ')]) {
    if (list !== '' && message.endsWith(`: ${list}`)) return message.slice(0, -list.length - 2);
  }
  return lines.length > 1 ? (message.split('\n', 1)[0] ?? '') : message;
}
