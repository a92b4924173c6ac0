import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { isTicket, refused, type OpenedTicket, type WatchTickets } from '../../access/watch-tickets.js';
import type { Logger } from '../../lib/log/logger.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import { sendError } from '../answer/respond.js';
import { splitUrl } from '../routes/route.js';

/** The parameter of a URL with a ticket. */
export const TICKET = 'ticket';

/** Reads the tickets of requests. */
export class TicketGuard {
  constructor(
    readonly tickets: WatchTickets,
    /** True for the URL of a GET that watches. It throws for an ambiguous one. */
    readonly isWatch: (url: string) => boolean,
    private readonly logger: Logger,
  ) {}

  /**
   * The ticket in a request's URL; undefined for a request without one. Endpoints of plugins may have a parameter of
   * the same name.
   * @throws ServiceError `Unauthorized` when it cannot be used for this request
   */
  find({ method = 'GET', url = '' }: IncomingMessage): OpenedTicket | undefined {
    // Few requests have one, and parsing a query takes time.
    if (!url.includes(`${TICKET}=`)) return undefined;
    const { path, search } = splitUrl(url);
    const ticket = new URLSearchParams(search).getAll(TICKET).at(-1);
    if (ticket === undefined) return undefined;
    if (method === 'GET' && this.isWatch(url)) return this.tickets.open(ticket, targetOf(path, search));
    if (isTicket(ticket)) throw refused('a ticket is only for a GET that watches');
    return undefined;
  }

  /** True when a request may continue; otherwise it is answered. For a service that needs no token. */
  check(req: Request, res: Response): MaybePromise<boolean> {
    const refuse = (error: unknown): false => {
      sendError(req, res, error, this.logger);
      return false;
    };
    try {
      const opened = this.find(req);
      return opened === undefined || this.tickets.use(opened).then(() => true, refuse);
    } catch (error) {
      return refuse(error);
    }
  }
}

/**
 * A path with its query in the form that tickets compare: browsers and libraries encode the same parameters in several
 * ways.
 * @param search a ticket in it does not count
 */
export function targetOf(path: string, search: string): string {
  const parameters = new URLSearchParams(search);
  parameters.delete(TICKET);
  return `${path}?${parameters.toString()}`;
}
