import type { LogLevel } from '../settings.js';
import type { Logger } from '../lib/log/logger.js';
import type { CliIo } from './io.js';
import { colorsFor, type Colors } from './output/colors.js';
import { escapeControls } from '../lib/escape-controls.js';

type Level = keyof Logger;

/** The part of the process that a log needs. */
export interface LogOutput extends Pick<CliIo, 'env'> {
  readonly stderr: Pick<CliIo['stderr'], 'write' | 'paint' | 'isTTY'>;
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/** The log of a daemon on stderr: short lines for people on a terminal, JSON lines for machines otherwise. */
export async function openDaemonLog(io: LogOutput, level: LogLevel): Promise<Logger> {
  return io.stderr.isTTY ? openLineLog(io, level) : openJsonLog(io, level);
}

/** Short lines for people, on stderr. */
export async function openLineLog(io: LogOutput, level: LogLevel): Promise<Logger> {
  const colors = await colorsFor(io.stderr, io.env);
  const write = (at: Level, message: string, fields?: object): void => {
    if (RANKS[at] < RANKS[level]) return;
    const time = new Date().toTimeString().slice(0, 8);
    io.stderr.paint(`${time} ${paint(colors, at)} ${escapeControls(message + fieldsText(fields))}\n`);
  };
  return getLogger(write);
}

/** One JSON line per request on stderr, independent of the log's level and form, because the flag asks for it. */
export async function openAccessLog(io: CliIo, tags: object = {}): Promise<(entry: object) => void> {
  const log = await openJsonLog(io, 'info');
  return (entry) => log.info('request', { ...tags, ...entry });
}

async function openJsonLog(io: LogOutput, level: LogLevel): Promise<Logger> {
  const { pino } = await import('pino');
  const log = pino({ level, base: null }, { write: (line: string) => io.stderr.write(line) });
  return getLogger((at, message, fields = {}) => log[at](fields, message));
}

function getLogger(write: (level: Level, message: string, fields?: object) => void): Logger {
  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
  };
}

function paint(colors: Colors, level: Level): string {
  const name = level.toUpperCase().padEnd(5);
  if (level === 'error') return colors.bad(name);
  if (level === 'warn') return colors.attention(name);
  return colors.faint(name);
}

function fieldsText(fields: object = {}): string {
  const parts = Object.entries(fields).map(([key, value]: [string, unknown]) => {
    if (value === undefined) return '';
    return ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  return parts.join('');
}
