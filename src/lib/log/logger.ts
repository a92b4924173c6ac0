/** Receives the log of the service. Messages are sentences; fields are for machines. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** Logs nothing. */
export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A logger that adds these fields to every line; a line cannot have others of their names. */
export function withFields(logger: Logger, always: Readonly<Record<string, unknown>>): Logger {
  return {
    debug: (message, fields) => logger.debug(message, { ...always, ...fields, ...always }),
    info: (message, fields) => logger.info(message, { ...always, ...fields, ...always }),
    warn: (message, fields) => logger.warn(message, { ...always, ...fields, ...always }),
    error: (message, fields) => logger.error(message, { ...always, ...fields, ...always }),
  };
}
