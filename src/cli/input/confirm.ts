import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';
import { escapeControls } from '../../lib/escape-controls.js';
import { inLines } from '../output/failure.js';

/**
 * Asks before an operation that cannot be undone.
 * @param yes true when the command line confirms it already
 * @throws UsageError without a terminal to ask on
 */
export async function confirm(io: CliIo, question: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!io.stdinIsTTY || !io.stderr.isTTY) {
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
