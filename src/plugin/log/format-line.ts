import { escapeControls } from '../../lib/escape-controls.js';
import type { Logger } from '../../lib/log/logger.js';

/** The limit of one line, in characters; the rest is left out. */
export const LINE_LENGTH_MAX = 8_000;

interface LogRecord {
  readonly time: Date;
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: object | undefined;
}

/** One record as one line: `2026-11-27T09:00:00.000Z INFO message key=value`. Line ends are `\n` in it. */
export function formatLine({ time, level, message, fields = {} }: LogRecord): string {
  const members = Object.entries(fields)
    .filter(([name, value]) => name !== 'plugin' && value !== undefined)
    .map(([name, value]: [string, unknown]) => ` ${name}=${valueText(value)}`);
  const line = `${time.toISOString()} ${level.toUpperCase()} ${message}${members.join('')}`;
  const left = line.length - LINE_LENGTH_MAX;
  const shown = left > 0 ? `${line.slice(0, LINE_LENGTH_MAX)}… (${left} more characters)` : line;
  return escapeControls(shown.toWellFormed());
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    // Undefined for a function.
    const text: unknown = JSON.stringify(value);
    return String(text);
  } catch {
    // A circular object of a plugin, or one that throws.
    return '?';
  }
}
