import type { Request, Response } from 'express';
import { getMessage, ServiceError, unavailable } from '../../errors.js';
import { preferredLanguage } from '../../endpoint/language.js';
import type { EndpointRequest, Handler } from '../../endpoint/route.js';
import type { Logger } from '../../lib/log/logger.js';
import type { ExtensionClient } from '../../service/extension-client.js';
import { setLanguage } from '../answer/respond.js';
import { sendAnswer, discard } from './answer.js';
import { readEndpointBody, type BodyOptions } from './body.js';
import { getPath, sendEndpointError } from './errors.js';
import { findUser } from '../guards/access-guard.js';
import { parseQuery, type Query } from '../routes/parameters.js';
import { splitUrl } from '../routes/route.js';

export interface ExchangeOptions extends BodyOptions {
  readonly logger: Logger;
  /** The plugin's name, for messages. */
  readonly plugin: string;
  readonly client: Pick<ExtensionClient, 'as'>;
  /** Longest time until a handler's answer begins, in milliseconds; then the service answers instead. */
  readonly handlerTimeoutMs: number;
  readonly stallMs: number;
}

/** One request that a plugin answers, from its start to the end of its answer. */
export class Exchange {
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #hasExpired = false;

  /** @param onEnd called once, after the end of the answer or a disconnect of the client */
  constructor(
    private readonly req: Request,
    private readonly res: Response,
    private readonly options: ExchangeOptions,
    onEnd: (exchange: Exchange) => void,
  ) {
    res.on('error', (error: Error) => {
      options.logger.warn(`${req.method} ${getPath(req)}: the answer failed: ${error.message}`);
    });
    res.once('close', () => {
      clearTimeout(this.#timer);
      if (!res.writableFinished) this.abort('the client has disconnected');
      onEnd(this);
    });
  }

  /** Aborted when nobody waits for the answer. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get client(): Pick<ExtensionClient, 'as'> {
    return this.options.client;
  }

  /** Signals to the handler that nobody waits for its answer. An answer that it returns anyway is sent. */
  abort(reason: string): void {
    if (!this.#abort.signal.aborted) this.#abort.abort(new ServiceError('ServiceUnavailable', reason));
  }

  /** Lets a handler answer. Never rejects. */
  async answer(handler: Handler, params: Readonly<Record<string, string>>): Promise<void> {
    const { req, res, options } = this;
    try {
      const body = await readEndpointBody(req, options);
      if (body !== undefined) req.body = body;
      if (res.destroyed) return;
      this.startClock();
      const request = new HandlerRequest(this, res, params, body);
      const value = await handler(request);
      if (this.#hasExpired) {
        discard(value);
        return;
      }
      await sendAnswer(res, value, { hasTaken: request.hasTaken, stallMs: options.stallMs });
      if (res.writableEnded) mute(res);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Starts the time limit until the answer begins. */
  startClock(): void {
    const { handlerTimeoutMs, plugin } = this.options;
    this.#timer = setTimeout(() => {
      if (this.res.headersSent || this.res.destroyed) return;
      this.#hasExpired = true;
      const message = `plugin "${plugin}" did not answer within ${handlerTimeoutMs / 1000} s`;
      this.options.logger.warn(`${this.req.method} ${getPath(this.req)}: ${message}`);
      sendEndpointError(this.req, this.res, unavailable(message), this.options.logger);
      mute(this.res);
      this.abort(message);
    }, handlerTimeoutMs);
  }

  stopClock(): void {
    clearTimeout(this.#timer);
  }

  fail(error: unknown): void {
    this.stopClock();
    if (this.#hasExpired) {
      this.options.logger.warn(`${this.req.method} ${getPath(this.req)} failed after its time limit`, {
        error: getMessage(error),
      });
      return;
    }
    const { req, res } = this;
    const { logger } = this.options;
    try {
      sendEndpointError(req, res, error, logger);
    } catch (worse) {
      // A plugin can throw values that have no text, or causes that are not JSON.
      sendEndpointError(req, res, new Error(`cannot send an error: ${getMessage(worse)}`), logger);
    }
  }
}

/**
 * Turns off a response that was sent. A second answer, from a timer for example, would otherwise throw an uncaught
 * error and end the process.
 */
function mute(res: Response): void {
  const same = (): Response => res;
  const nothing = (): void => undefined;
  const no = (): boolean => false;
  Object.assign(res, { setHeader: same, appendHeader: same, writeHead: same, end: same });
  Object.assign(res, { removeHeader: nothing, flushHeaders: nothing, write: no });
}

/** The request in the form for handlers. */
class HandlerRequest implements EndpointRequest {
  #query: EndpointRequest['query'] | undefined;
  #client: ExtensionClient | undefined;
  #hasTaken = false;

  constructor(
    private readonly exchange: Exchange,
    private readonly response: Response,
    readonly params: Readonly<Record<string, string>>,
    readonly body: unknown,
  ) {}

  get signal(): AbortSignal {
    return this.exchange.signal;
  }

  get raw(): Request {
    return this.response.req;
  }

  get query(): EndpointRequest['query'] {
    this.#query ??= withoutUndefined(parseQuery(splitUrl(this.raw.originalUrl).search));
    return this.#query;
  }

  get headers(): EndpointRequest['headers'] {
    return this.raw.headers;
  }

  get user(): string | undefined {
    return findUser(this.response);
  }

  get client(): ExtensionClient {
    this.#client ??= this.exchange.client.as(this.user);
    return this.#client;
  }

  get locale(): string {
    const language = preferredLanguage(this.raw.headers['accept-language']);
    if (!this.response.headersSent) setLanguage(this.response, language);
    return language;
  }

  get res(): Response {
    this.#hasTaken = true;
    return this.response;
  }

  /** True when the handler has requested the response; then returning nothing does not mean "no content". */
  get hasTaken(): boolean {
    return this.#hasTaken;
  }
}

/** Changes only the type: no present parameter is undefined. */
function withoutUndefined(query: Query): EndpointRequest['query'] {
  return query as EndpointRequest['query'];
}
