import { badRequest, formatExcerpt, notFound } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { EVERYWHERE, objectContent } from '../../openapi/common.js';
import { schemaRef } from '../../openapi/json-fragment.js';
import { objectAnswer } from '../../openapi/platform.js';
import { objectSchema, text } from '../../openapi/schema-parts.js';
import { sendValue } from '../answer/respond.js';
import { parseBody } from '../body/body.js';
import { RateBudget } from '../../lib/work/rate-budget.js';
import { TICKET, targetOf, type TicketGuard } from '../guards/ticket-guard.js';
import { isTrue, parseQuery } from '../routes/parameters.js';
import { API_VERSION, type PlatformEndpoint, type PlatformHandler } from './endpoint.js';
import type { Platform } from './platform.js';

/** Tickets of one sender at once, and the time until one more is allowed, in milliseconds. */
const LIMITS = { usesMax: 100, refillMs: 300 };
const TOO_MANY = `one sender gets at most ${LIMITS.usesMax} tickets at once; ask for one for each watch, when it begins`;
/** Leaves space for the ticket in the URL of the watch. */
const TARGET_LENGTH_MAX = 60 * 1024;

/** The watch is authorized when the ticket is issued, and again when it is used. */
export const WATCH_TICKETS: PlatformEndpoint = {
  method: 'POST',
  path: `/apis/${API_VERSION}/watchtickets`,
  right: 'user',
  operation: {
    operationId: 'CreateWatchTicket',
    summary: 'Create a ticket that replaces the token in the URL of one watch',
    description:
      'For the `EventSource` of browsers, which cannot send a token. The ticket is valid for 30 s and for one `GET` of the path, with the same query and the parameter `ticket`. It has the rights of the sender at the time of its use.',
    requestBody: { required: true, content: objectContent(schemaRef('WatchTicketRequest')) },
    answer: { ...objectAnswer('The ticket.', 'WatchTicket'), status: 201 },
    errors: ['BadRequest', 'NotFound', 'RequestEntityTooLarge', 'UnsupportedMediaType', ...EVERYWHERE],
    schemas: {
      WatchTicketRequest: objectSchema({
        path: { ...text, description: 'A path of this service with its query, which has `watch=true`.' },
      }),
      WatchTicket: objectSchema({
        ticket: text,
        expires: { ...text, format: 'date-time' },
      }),
    },
  },
  handler: ticketHandler,
};

function ticketHandler(platform: Platform): PlatformHandler {
  const { needed, tickets, guard, getSender, bodies, converter } = platform;
  const budget = new RateBudget(LIMITS);
  return async (req, res) => {
    const format = bodies.formatOf(req);
    const url = pathIn(await parseBody(await bodies.read(req), format, converter));
    budget.take(getSender(req), TOO_MANY);
    checkWatch(url, tickets);
    const action = needed.findAction('GET', `${url.pathname}${url.search}`);
    if (action !== undefined) guard?.authorize(req, action);
    const target = targetOf(url.pathname, url.search.slice(1));
    sendValue(res, 201, tickets.tickets.issue(guard?.getIdentity(req).holder, target), {
      'Cache-Control': 'no-store',
    });
  };
}

/** Any origin: only the path and the query are used. */
const BASE = 'http://service.invalid';

/** The path of a request for a ticket, as a browser would send it. @throws ServiceError `BadRequest` */
function pathIn(body: unknown): URL {
  const path = isRecord(body) ? body.path : undefined;
  if (typeof path !== 'string') throw badRequest('path must be text, such as "/apis/…/persons?watch=true"');
  if (path.length > TARGET_LENGTH_MAX)
    throw badRequest(`path is longer than ${TARGET_LENGTH_MAX} characters`);
  const url = URL.canParse(path, BASE) ? new URL(path, BASE) : undefined;
  // Another spelling, such as one with "..", would be the path of another request.
  if (url?.origin !== BASE || url.hash !== '' || url.pathname !== path.split('?', 1)[0])
    throw badRequest(`path must be a path of this service with its query, not "${formatExcerpt(path)}"`);
  return url;
}

/** @throws ServiceError `NotFound` for a model that is not served, `BadRequest` for a request that is not a watch */
function checkWatch({ pathname, search }: URL, tickets: TicketGuard): void {
  const query = parseQuery(search);
  if (query[TICKET] !== undefined) throw badRequest('path must not have a ticket');
  if (tickets.isWatch(`${pathname}${search}`)) return;
  if (isTrue(query, 'watch') && /^\/apis?\//.test(pathname))
    throw notFound(`nothing that can be watched is served at ${formatExcerpt(pathname)}`);
  throw badRequest('path must be that of a watch: a list or an object, with watch=true');
}
