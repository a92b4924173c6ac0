import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { AccessControl } from '../../access/control.js';
import type { Holder, Identity } from '../../access/identity/identity.js';
import type { UserWithGroups } from '../../access/policy.js';
import { isOnOwnTokens } from '../../access/identity/own-tokens.js';
import { scopesOf } from '../../access/limits/scopes-of-user.js';
import type { ScopedAccess, Scopes } from '../../access/limits/sender-scopes.js';
import {
  actionOn,
  isAllowed,
  isAllowedSomewhere,
  limitable,
  mayList,
  type AccessRule,
  type Action,
} from '../../access/rules.js';
import { refused } from '../../access/watch-tickets.js';
import { hasCode, ServiceError } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import { mapMaybe, type MaybePromise } from '../../lib/work/maybe-promise.js';
import { ANONYMOUS } from '../../model/system-users.js';
import type { Resource } from '../../model/resource.js';
import type { ObjectScope } from '../../service/scope/object-scope.js';
import type { CommitCheck, MayList, WriteOptions } from '../../service/verbs.js';
import { certificateOf } from './client-certificate.js';
import { getNetwork } from './network.js';
import { RateBudget } from '../../lib/work/rate-budget.js';
import { sessionOf } from './session-cookie.js';
import type { TicketGuard } from './ticket-guard.js';
import { sendError } from '../answer/respond.js';

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** The verb of a method, except for a `GET` of several objects. */
export function getVerb(method: string): string {
  return VERBS[method] ?? method.toLowerCase();
}

/** The rights that requests need. */
export interface NeededRights {
  /** True for a request that needs no token. */
  isOpen(req: IncomingMessage): boolean;
  /**
   * The action of a request; undefined when every authenticated user may send it.
   * @throws ServiceError `BadRequest` for an ambiguous URL
   */
  findAction(method: string, url: string): Action | undefined;
}

/** An authorized request. */
interface Sender extends Attempt {
  readonly judgedAtMs: number;
  /** True for a sender with a ticket instead of a token. */
  readonly hasTicket: boolean;
  /** True for a sender who may do this only with tokens of that name. */
  readonly isOwnOnly: boolean;
}

/** The action that the sender of a request has attempted. */
export interface Attempt {
  readonly identity: Identity;
  /** Undefined when every authenticated user may do it. */
  readonly action: Action | undefined;
}

/** Longest time between authorization and a write, in milliseconds: a body may take long to arrive. */
const JUDGED_MS_MAX = 1_000;

/** Shortest interval between log lines about many wrong credentials, in milliseconds. */
const QUIET_MS = 60_000;

/** Accepts requests whose sender is authorized for them. */
export class AccessGuard {
  readonly #senders = new WeakMap<IncomingMessage, Sender>();
  readonly #refused = new WeakMap<IncomingMessage, Attempt>();
  /** Wrong credentials, by network. */
  readonly #failures = new RateBudget({ usesMax: 20, refillMs: 3_000 });
  /** Log lines about wrong credentials are suppressed until this time. */
  #quietUntilMs = 0;

  constructor(
    private readonly control: AccessControl,
    private readonly needed: NeededRights,
    private readonly tickets: TicketGuard,
    private readonly logger: Logger,
  ) {}

  /**
   * True when a request may continue; otherwise it is answered. Plugins find the sender's name in `res.locals.user`.
   */
  check(req: Request, res: Response): MaybePromise<boolean> {
    if (this.needed.isOpen(req)) return true;
    try {
      const judged = this.#judge(req, res);
      return judged instanceof Promise
        ? judged.catch((error: unknown) => this.#refuse(req, res, error))
        : judged;
    } catch (error) {
      return this.#refuse(req, res, error);
    }
  }

  /** The sender of an authorized request. */
  getIdentity(req: IncomingMessage): Identity {
    return this.#getSender(req).identity;
  }

  /** The latest refused attempt, else that of the request; undefined while the sender is not known. */
  findAttempt(req: IncomingMessage): Attempt | undefined {
    return this.#refused.get(req) ?? this.#senders.get(req);
  }

  /** The rights of a user and groups by name. @throws ServiceError `Forbidden` without such a user */
  rulesOf(member: UserWithGroups): Promise<readonly AccessRule[]> {
    return this.control.rulesOf(member);
  }

  /** The user of an `Authorization` header. @throws ServiceError `Unauthorized` unless it is valid */
  identify(authorization: string): MaybePromise<Identity> {
    return this.control.identify(authorization);
  }

  /** True when the sender of a request has no right to it, except for tokens of the sender. */
  isOwnOnly(req: IncomingMessage): boolean {
    return this.#getSender(req).isOwnOnly;
  }

  /** @throws ServiceError `Forbidden` unless the sender is also authorized for the action */
  authorize(req: IncomingMessage, action: Action): void {
    this.#authorize(req, { identity: this.getIdentity(req), action });
  }

  /** True when the sender of a request is also authorized for an action. */
  allows(req: IncomingMessage, action: Action): boolean {
    return isAllowed(this.getIdentity(req).rules, action);
  }

  /**
   * {@link AccessGuard.authorize} for a part of a request that is answered separately.
   * @throws ServiceError `Forbidden`
   */
  authorizePart(req: IncomingMessage, action: Action): void {
    this.control.authorize(this.getIdentity(req), action);
  }

  /**
   * Repeats the authorization of a request.
   * @throws ServiceError `Unauthorized`, `Forbidden` when it is no longer authorized
   */
  recheck(req: IncomingMessage): MaybePromise<void> {
    const { action, hasTicket, identity } = this.#getSender(req);
    const identified = hasTicket ? this.#identifyHolder(identity.holder) : this.#identify(req);
    return mapMaybe(identified, (now) => this.#letThrough(req, now, { action, hasTicket }));
  }

  /**
   * True when the sender of a request may list a model. Otherwise answers about other objects do not name its
   * objects.
   */
  mayList(req: IncomingMessage, model: Parameters<MayList>[0]): boolean {
    return mayList(this.getIdentity(req).rules, model);
  }

  /** True when the sender of a request may list objects of a model. */
  mayListSome(req: IncomingMessage, model: Parameters<MayList>[0]): boolean {
    return isAllowedSomewhere(this.getIdentity(req).rules, limitable(actionOn('list', model)));
  }

  /** The parts of models that the rules of the sender of a request are about. */
  scopes(req: IncomingMessage): Scopes {
    return scopesOf(this.getIdentity(req));
  }

  /** The part of a model that the answer to a request may show; undefined for the whole. */
  scope(req: IncomingMessage, resource: Resource, access: ScopedAccess): ObjectScope | undefined {
    const { identity, isOwnOnly, action } = this.#getSender(req);
    if (isOwnOnly) return undefined;
    return scopesOf(identity).of(resource, { ...access, namespace: namespaceFor(resource, action) });
  }

  /**
   * Runs a write of a request, if its sender is still authorized.
   * @param run commits with the given options; it is called again when nothing was stored
   * @throws ServiceError `Unauthorized`, `Forbidden`
   */
  async write<Options extends WriteOptions, T>(
    req: IncomingMessage,
    options: Options,
    run: (all: Options) => Promise<T>,
  ): Promise<T> {
    if (performance.now() - this.#getSender(req).judgedAtMs > JUDGED_MS_MAX) await this.recheck(req);
    const { identity, isOwnOnly } = this.#getSender(req);
    const { user, groups, rules } = identity;
    const named: MayList = (model) => mayList(rules, model);
    const scopeOf = isOwnOnly ? undefined : scopesOf(identity).ofWrite;
    const commit = (admission: CommitCheck): Promise<T> =>
      run({ ...options, user, groups, admission, mayList: named, scopeOf });
    return this.control.admit(identity, commit, isOwnOnly);
  }

  /** @throws ServiceError unless the request may continue */
  #judge(req: Request, res: Response): MaybePromise<true> {
    const opened = this.tickets.find(req);
    const hasTicket = opened !== undefined;
    const identified = hasTicket ? this.#identifyHolder(opened.holder) : this.#identify(req);
    return mapMaybe(identified, (identity) => {
      // The access log also names users who are refused.
      if (identity.user !== ANONYMOUS) res.locals.user = identity.user;
      if (req.headers['impersonate-user'] !== undefined) {
        this.#refused.set(req, { identity, action: undefined });
        throw new ServiceError('Forbidden', 'impersonation (Impersonate-User) is not supported');
      }
      this.#letThrough(req, identity, { action: this.needed.findAction(req.method, req.url), hasTicket });
      res.locals.user = identity.user;
      return hasTicket ? this.tickets.tickets.use(opened).then(() => true as const) : true;
    });
  }

  /** A certificate goes before a token, and a token before a session. A wrong certificate counts when there is no other. */
  #identify(req: IncomingMessage): MaybePromise<Identity> {
    const shown = certificateOf(req.socket);
    if (shown?.holder !== undefined) return this.control.identifyHolder(shown.holder);
    const { authorization } = req.headers;
    const session = authorization === undefined ? sessionOf(req) : undefined;
    if (session !== undefined) return this.control.identifySession(session);
    if (shown?.fault !== undefined && authorization === undefined)
      throw new ServiceError('Unauthorized', `the certificate of the client is not accepted: ${shown.fault}`);
    return this.control.identify(authorization);
  }

  #identifyHolder(holder: Holder | undefined): MaybePromise<Identity> {
    if (holder === undefined) throw refused('the ticket was issued without a token');
    return this.control.identifyHolder(holder);
  }

  #letThrough(
    req: IncomingMessage,
    identity: Identity,
    { action, hasTicket }: Pick<Sender, 'action' | 'hasTicket'>,
  ): void {
    const isOwnOnly = isLimitedToOwn(identity, action);
    if (!isOwnOnly) this.#authorize(req, { identity, action });
    this.#senders.set(req, { identity, action, hasTicket, isOwnOnly, judgedAtMs: performance.now() });
  }

  #authorize(req: IncomingMessage, attempt: Attempt): void {
    try {
      this.control.authorize(attempt.identity, attempt.action);
    } catch (error) {
      this.#refused.set(req, attempt);
      throw error;
    }
  }

  #getSender(req: IncomingMessage): Sender {
    const sender = this.#senders.get(req);
    if (sender === undefined) throw new Error('a request was answered without an access check');
    return sender;
  }

  #refuse(req: Request, res: Response, reason: unknown): false {
    const error = this.#asRefused(req, reason);
    if (hasCode(error, 'Unauthorized')) res.setHeader('WWW-Authenticate', 'Bearer realm="xsvc"');
    sendError(req, res, error, this.logger);
    return false;
  }

  /**
   * Counts wrong credentials; a sender of too many of them must wait. Only senders of wrong credentials get this
   * answer: others at the same address, behind a proxy for instance, are not affected.
   */
  #asRefused({ headers, socket }: Request, error: unknown): unknown {
    const isWrong = hasCode(error, 'Unauthorized');
    if (!isWrong || headers.authorization === undefined) return error;
    const { remoteAddress: address = '' } = socket;
    const now = performance.now();
    const waitMs = this.#failures.spend(getNetwork(address), now);
    if (waitMs === undefined) return error;
    if (now >= this.#quietUntilMs) {
      this.#quietUntilMs = now + QUIET_MS;
      this.logger.warn(`many failed logins from ${address}; further ones get 429`);
    }
    return new ServiceError(
      'TooManyRequests',
      `too many failed logins from ${address}; check the token and retry later`,
      { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
    );
  }
}

/** The namespace of a request, when it is about objects of the model. */
function namespaceFor({ group, plural }: Resource, action: Action | undefined): string | undefined {
  if (action === undefined || 'path' in action) return undefined;
  return action.group === group && action.resource === plural ? action.namespace : undefined;
}

function isLimitedToOwn({ user, rules }: Identity, action: Action | undefined): boolean {
  return action !== undefined && user !== ANONYMOUS && isOnOwnTokens(action) && !isAllowed(rules, action);
}

/** The user of the request that is answered; undefined without authentication. */
export function findUser({ locals }: Response): string | undefined {
  const user: unknown = locals.user;
  return typeof user === 'string' ? user : undefined;
}
