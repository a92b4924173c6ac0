import { randomUUID } from 'node:crypto';
import type { Logger } from '../../lib/log/logger.js';
import { isRecord } from '../../lib/json/json.js';
import { formatLine } from './format-line.js';
import { PluginLog } from './plugin-log.js';

/** The limit of plugins whose lines are kept; the one without new lines for the longest time is dropped. */
const PLUGINS_MAX = 1_000;

type Level = keyof Logger;

interface PluginLogsOptions {
  /** Default false. */
  readonly keepsDebug?: boolean;
  /** Default: the current time. */
  readonly now?: () => Date;
}

/** The last lines of each plugin's log, in memory. A line belongs to the plugin that its field `plugin` names. */
export class PluginLogs {
  /** Separates the positions in this process's logs from those of other processes. */
  readonly id = randomUUID();
  readonly #logs = new Map<string, PluginLog>();
  readonly #ended = new AbortController();

  constructor(private readonly options: PluginLogsOptions = {}) {}

  /** Aborted when nobody should follow any longer, because the service stops. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** A logger that also keeps the lines of plugins. */
  follow(logger: Logger): Logger {
    const at =
      (level: Level) =>
      (message: string, fields?: object): void => {
        logger[level](message, fields);
        this.#keep(level, message, fields);
      };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }

  /** The log of a plugin; an empty one when it has no lines. */
  get(plugin: string): PluginLog {
    return this.#logs.get(plugin) ?? this.#add(plugin, new PluginLog());
  }

  has(plugin: string): boolean {
    return this.#logs.has(plugin);
  }

  /** Ends everybody who follows. */
  close(): void {
    this.#ended.abort();
  }

  #keep(level: Level, message: string, fields: object | undefined): void {
    if (level === 'debug' && this.options.keepsDebug !== true) return;
    const plugin = isRecord(fields) ? fields.plugin : undefined;
    if (typeof plugin !== 'string') return;
    const log = this.get(plugin);
    // The order of the map is that of the last lines.
    this.#logs.delete(plugin);
    this.#logs.set(plugin, log);
    const time = this.options.now?.() ?? new Date();
    log.add(formatLine({ time, level, message, fields }));
  }

  #add(plugin: string, log: PluginLog): PluginLog {
    this.#logs.set(plugin, log);
    for (const [oldest] of this.#logs) {
      if (this.#logs.size <= PLUGINS_MAX) break;
      this.#logs.delete(oldest);
    }
    return log;
  }
}
