/** Where the service says what happens. Messages are sentences; fields are for machines. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** Says nothing. */
export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };
