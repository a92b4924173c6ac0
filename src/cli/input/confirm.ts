import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';

/**
 * Asks before something that cannot be undone.
 * @param yes whether the command line says so already
 * @throws UsageError when there is nobody to ask
 */
export async function confirm(io: CliIo, question: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!io.stdinIsTTY || !io.stderr.isTTY) {
    throw new UsageError(`${question}\nCannot ask for confirmation without a terminal; confirm with --yes`);
  }
  io.stderr.write(`${question} [y/N] `);
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
