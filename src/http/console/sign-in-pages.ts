import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { AccessControl } from '../../access/control.js';
import { HTTP_STATUS, getMessage, hasCode, ServiceError } from '../../errors.js';
import { RateBudget } from '../../lib/work/rate-budget.js';
import { SESSION_MS, STATE_MS, type BrowserSignIn } from '../../oidc/browser-sign-in.js';
import { clientAddress, getNetwork } from '../guards/network.js';
import { CONSOLE_PATH, SIGN_IN_CALLBACK } from '../guards/pages.js';
import {
  findCookie,
  isOverTls,
  sessionCookieName,
  sessionOf,
  stateCookieName,
} from '../guards/session-cookie.js';
import type { PlatformEndpoint } from '../platform/endpoint.js';
import { splitUrl } from '../routes/route.js';
import type { Platform } from '../platform/platform.js';

const SIGN_IN_PATH = '/console/oidc';

/** Sign-ins of one network at once, and the time until one more is allowed, in milliseconds: each makes work for the issuer. */
const LIMITS = { usesMax: 30, refillMs: 2_000 };

/** From the console to the issuer and back, and the end of a session. */
export const SIGN_IN_PAGES: readonly PlatformEndpoint[] = [
  {
    method: 'GET',
    path: `${SIGN_IN_PATH}/start`,
    right: 'everyone',
    handler: ({ browserSignIn }) => browserSignIn && startHandler(browserSignIn),
  },
  {
    method: 'GET',
    path: SIGN_IN_CALLBACK,
    right: 'everyone',
    handler: ({ browserSignIn, audit }) => browserSignIn && callbackHandler(browserSignIn, audit),
  },
  {
    method: 'POST',
    path: `${SIGN_IN_PATH}/signout`,
    right: 'everyone',
    handler: ({ browserSignIn, access }) =>
      browserSignIn && access && ((req, res) => signOut(browserSignIn, access, req, res)),
  },
];

function startHandler(signIn: BrowserSignIn) {
  const budget = new RateBudget(LIMITS);
  return answering(async (req, res) => {
    spend(budget, req);
    const scheme = isOverTls(req) ? 'https' : 'http';
    const { location, kept } = await signIn.start(`${scheme}://${req.headers.host ?? ''}${SIGN_IN_CALLBACK}`);
    setCookie(req, res, {
      name: stateCookieName(req),
      value: kept,
      path: SIGN_IN_PATH,
      site: 'Lax',
      ageMs: STATE_MS,
    });
    redirect(res, location);
  });
}

function callbackHandler(signIn: BrowserSignIn, audit: Platform['audit']) {
  const budget = new RateBudget(LIMITS);
  return answering(async (req, res) => {
    spend(budget, req);
    const stateName = stateCookieName(req);
    const kept = findCookie(req, stateName);
    setCookie(req, res, { name: stateName, value: '', path: SIGN_IN_PATH, site: 'Lax', ageMs: 0 });
    const { secret, user, groups } = await signIn.finish(splitUrl(req.url).search, kept);
    // A refused one is recorded like other refused requests.
    await audit?.record({ user, groups, via: 'http', source: clientAddress(req), verb: 'signin', code: 200 });
    setCookie(req, res, {
      name: sessionCookieName(req),
      value: secret,
      path: '/',
      site: 'Strict',
      ageMs: SESSION_MS,
    });
    redirect(res, CONSOLE_PATH);
  });
}

async function signOut(
  signIn: BrowserSignIn,
  access: AccessControl,
  req: Request,
  res: Response,
): Promise<void> {
  const secret = sessionOf(req);
  setCookie(req, res, { name: sessionCookieName(req), value: '', path: '/', site: 'Strict', ageMs: 0 });
  const holder = secret === undefined ? undefined : await findHolder(access, secret);
  if (holder !== undefined && 'session' in holder) await signIn.end(holder.session);
  res.status(204).set('Cache-Control', 'no-store').end();
}

/** Undefined for a session that has ended. */
async function findHolder(access: AccessControl, secret: string) {
  try {
    return (await access.identifySession(secret)).holder;
  } catch (error) {
    if (hasCode(error, 'Unauthorized')) return undefined;
    throw error;
  }
}

/** Answers a person: failures are a short text with the way back. */
function answering(handle: (req: Request, res: Response) => Promise<void>) {
  return async (req: Request, res: Response): Promise<void> => {
    res.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    try {
      await handle(req, res);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      res
        .status(HTTP_STATUS[error.code])
        .type('text/plain')
        .send(`${getMessage(error)}\n\nBack: ${CONSOLE_PATH}\n`);
    }
  };
}

function spend(budget: RateBudget, { socket }: IncomingMessage): void {
  const network = getNetwork(socket.remoteAddress ?? '');
  budget.take(network, 'too many sign-ins from this address; try again later');
}

function redirect(res: Response, location: string): void {
  res.status(303).set('Location', location).end();
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly site: 'Lax' | 'Strict';
  /** 0 removes it. */
  readonly ageMs: number;
}

function setCookie(req: IncomingMessage, res: Response, { name, value, path, site, ageMs }: Cookie): void {
  const parts = [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${ageMs / 1_000}`,
    'HttpOnly',
    `SameSite=${site}`,
  ];
  res.append('Set-Cookie', [...parts, ...(isOverTls(req) ? ['Secure'] : [])].join('; '));
}
