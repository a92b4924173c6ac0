import type { Logger } from '../../lib/log/logger.js';
import { LogLimit } from '../../lib/log/log-limit.js';
import { SYSTEM_CLOCK } from '../../lib/time/clock.js';
import { isRecord } from '../../lib/json/json.js';

/** The limit of kept entries; the oldest ones are dropped. */
const KEPT_MAX = 2_000;
/** The limit of entries about requests, so that many failures do not drop all others. */
const REQUESTS_PER_MINUTE = 60;
const MESSAGE_LENGTH_MAX = 300;
/** The least duration of a slow request, in seconds. */
export const SLOW_SECONDS = 0.5;

/** An event of the service: a warning, an error, or a slow or failed request. */
export interface ServiceLogEntry {
  /** RFC 3339. */
  readonly time: string;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
}

export interface AnsweredRequest {
  /** The path with its variables, so that it contains no names of objects. */
  readonly route: string;
  /** As named by roles. */
  readonly verb: string;
  readonly code: number;
  readonly seconds: number;
}

/**
 * The last warnings, errors, and slow or failed requests of the service, in memory. The lines of plugins are not in it,
 * because they need another right.
 */
export class ServiceLog {
  #entries: ServiceLogEntry[] = [];
  #keptSinceMs: number;
  readonly #limit: LogLimit;

  constructor(private readonly clock = SYSTEM_CLOCK) {
    this.#keptSinceMs = clock.now();
    this.#limit = new LogLimit(clock, REQUESTS_PER_MINUTE);
  }

  /** A logger that also keeps the warnings and errors. */
  follow(logger: Logger): Logger {
    const at =
      (level: 'warn' | 'error') =>
      (message: string, fields?: object): void => {
        logger[level](message, fields);
        if (isRecord(fields) && typeof fields.plugin === 'string') return;
        this.#keep(level, messageOf(message, fields));
      };
    return {
      debug: (message, fields) => logger.debug(message, fields),
      info: (message, fields) => logger.info(message, fields),
      warn: at('warn'),
      error: at('error'),
    };
  }

  /** Keeps a request that was slow or failed. */
  note({ route, verb, code, seconds }: AnsweredRequest): void {
    const hasFailed = code >= 500 || code === 429;
    const isSlow = verb !== 'watch' && seconds >= SLOW_SECONDS;
    if (!hasFailed && !isSlow) return;
    this.#limit.write((suppressed) => {
      const more = suppressed === 0 ? '' : `; ${suppressed} earlier ones are left out`;
      const text = `${verb} ${route} was answered with ${code} after ${Math.round(seconds * 1_000)} ms${more}`;
      this.#keep(code >= 500 ? 'error' : hasFailed ? 'warn' : 'info', text);
    });
  }

  /** The entries between two times, oldest first, in milliseconds since 1970. */
  between(fromMs: number, toMs: number): readonly ServiceLogEntry[] {
    return this.#entries.filter(({ time }) => Date.parse(time) >= fromMs && Date.parse(time) <= toMs);
  }

  /** The time from which on all entries are kept, in milliseconds since 1970. */
  get keptSinceMs(): number {
    return this.#keptSinceMs;
  }

  #keep(level: ServiceLogEntry['level'], message: string): void {
    this.#entries.push({ time: new Date(this.clock.now()).toISOString(), level, message });
    if (this.#entries.length <= KEPT_MAX) return;
    const dropped = this.#entries.shift();
    if (dropped !== undefined) this.#keptSinceMs = Date.parse(dropped.time) + 1;
  }
}

/** A message up to its first colon: the text of an error, which follows it, may contain values of objects. */
function messageOf(message: string, fields: object | undefined): string {
  const [text = ''] = message.split(': ', 1);
  const id = isRecord(fields) && typeof fields.id === 'string' ? ` (id ${fields.id})` : '';
  return `${text.slice(0, MESSAGE_LENGTH_MAX)}${id}`;
}
