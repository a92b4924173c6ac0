import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';
import { escapeControls } from '../../lib/escape-controls.js';
import { inLines } from '../output/failure.js';

/** Limit of objects that an undo without a terminal changes unconfirmed: an undo can itself be undone. */
export const UNASKED_MAX = 100;

/**
 * Asks before an operation that changes much.
 * @param yes true when the command line confirms it already
 * @param isSmall true when it needs no confirmation without a terminal. Default: false
 * @throws UsageError without a terminal to ask on
 */
export async function confirm(io: CliIo, question: string, yes: boolean, isSmall = false): Promise<boolean> {
  if (yes) return true;
  if (!io.stdinIsTTY || !io.stderr.isTTY) {
    if (isSmall) return true;
    const reason = 'Cannot ask for confirmation without a terminal; confirm with --yes';
    throw inLines([question, reason], (message) => new UsageError(message));
  }
  io.stderr.write(escapeControls(`${question} [y/N] `));
  return /^y(es)?$/i.test((await firstLine(io.stdin)).trim());
}

async function firstLine(input: CliIo['stdin']): Promise<string> {
  let text = '';
  for await (const part of input) {
    text += typeof part === 'string' ? part : Buffer.from(part).toString();
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
}
