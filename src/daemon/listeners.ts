import type { Config } from '../config.js';
import { listen, type RunningServer, type TlsFiles } from '../http/server.js';
import type { Logger } from '../lib/log/logger.js';
import { addressOf, withPort } from '../lib/origin.js';
import { followTls } from './tls.js';

type App = Parameters<typeof listen>[0];

export interface ListenersOptions {
  readonly config: Pick<Config, 'host' | 'port' | 'tls' | 'maxConnections' | 'pluginOrigin'>;
  /** Accepts only TLS. */
  readonly tls: TlsFiles | undefined;
  readonly logger: Logger;
  readonly api: App;
  /** For the origin of plugins, if there is one. */
  readonly pluginPages: App;
  /** Text for the log after the address of the API. */
  readonly note: () => string;
  /** Called before the API answers. @param origin with the actual port */
  readonly onPluginOrigin: (origin: string) => void;
}

/** The addresses that a daemon listens on. */
export interface Listening {
  /** `http://HOST:PORT`, or `https:`, with the actual port. */
  readonly url: string;
  /** With the actual port; undefined when pages of plugins have no origin. */
  readonly pluginOrigin: string | undefined;
}

/** The servers of a daemon. */
export class Listeners {
  readonly #servers: RunningServer[] = [];
  #opened: Promise<Listening> | undefined;
  #url: string | undefined;
  #forgetTls: () => void = () => undefined;

  constructor(private readonly options: ListenersOptions) {}

  /** The URL of the API; undefined before it answers. */
  get url(): string | undefined {
    return this.#url;
  }

  /**
   * Takes requests from now on.
   * @throws ServiceError `ServiceUnavailable` when it cannot listen on one of the addresses
   */
  open(): Promise<Listening> {
    this.#opened ??= this.#open().catch(async (error: unknown) => {
      // A server that is left open would keep the process alive.
      await this.#closeServers(0);
      throw error;
    });
    return this.#opened;
  }

  /** Takes no new requests, and closes connections after the deadline. */
  async close(deadlineMs: number): Promise<void> {
    await this.#opened?.catch(() => undefined);
    this.#forgetTls();
    await this.#closeServers(deadlineMs);
  }

  async #closeServers(deadlineMs: number): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server.close(deadlineMs)));
  }

  /** The API is last: a service that answers `/readyz` listens on all addresses. */
  async #open(): Promise<Listening> {
    const { config, tls, logger, api, note } = this.options;
    const pluginOrigin = await this.#openPluginPages();
    const server = await this.#listen(api, config);
    this.#url = server.url;
    logger.info(`HTTP answers at ${server.url}${note()}`);
    if (pluginOrigin !== undefined) logger.info(`pages of plugins are at ${pluginOrigin}`);
    this.#forgetTls = followTls(config, tls, logger, (files) => {
      for (const one of this.#servers) one.renewTls(files);
    });
    return { url: server.url, pluginOrigin };
  }

  async #openPluginPages(): Promise<string | undefined> {
    const { config, pluginPages, onPluginOrigin } = this.options;
    if (config.pluginOrigin === undefined) return undefined;
    const { url } = await this.#listen(pluginPages, addressOf(config.pluginOrigin));
    const origin = withPort(config.pluginOrigin, addressOf(url).port);
    onPluginOrigin(origin);
    return origin;
  }

  async #listen(app: App, { host, port }: Pick<Config, 'host' | 'port'>): Promise<RunningServer> {
    const { config, tls, logger } = this.options;
    const server = await listen(app, { host, port, maxConnections: config.maxConnections, tls, logger });
    this.#servers.push(server);
    return server;
  }
}
