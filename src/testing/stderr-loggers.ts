import type { Logger } from '../lib/log/logger.js';

const nothing = (): void => undefined;

/** Logs warnings and errors to stderr and drops the rest. */
export const WARNINGS: Logger = {
  debug: nothing,
  info: nothing,
  warn: (message, fields) => console.error('xsvc warning:', message, ...(fields ? [fields] : [])),
  error: (message, fields) => console.error('xsvc error:', message, ...(fields ? [fields] : [])),
};

/** Logs errors to stderr and drops the rest. */
export const ERRORS: Logger = { ...WARNINGS, warn: nothing };
