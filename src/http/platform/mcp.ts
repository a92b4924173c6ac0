import type { Request, Response } from 'express';
import { isIssued, type Identity } from '../../access/identity/identity.js';
import type { Action } from '../../access/rules.js';
import { HTTP_STATUS, badRequest, ServiceError } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { formatSize } from '../../lib/time/duration.js';
import { RateBudget } from '../../lib/work/rate-budget.js';
import type { AgentWrites, Caller, CallerRights } from '../../mcp/caller.js';
import { GuardedReads } from '../../mcp/guarded-reads.js';
import { PLAN_MS } from '../../mcp/write/stored-plan.js';
import { Allowance } from '../../lib/work/allowance.js';
import { asInternal } from '../answer/respond.js';
import { parseBody } from '../body/body.js';
import { stillStarting } from '../guards/startup.js';
import type { PlatformEndpoint, PlatformHandler } from './endpoint.js';
import type { Platform } from './platform.js';

/** Most messages in one request; each may ask for a whole answer. */
const MESSAGES_MAX = 10;
/** Plans of one sender at once, and the time until one more is allowed, in milliseconds: the store keeps them for minutes. */
const PLANS = { usesMax: 1_000, refillMs: 50 };
/** Bytes of plans of one sender at once, and the time until one more is allowed: all of them in the lifetime of a plan. */
const PLAN_BYTES = { usesMax: 64 * 1024 * 1024, refillMs: PLAN_MS / (64 * 1024 * 1024) };
/** Longest id of a message, in characters: answers repeat it. */
const ID_LENGTH_MAX = 256;

/** The Model Context Protocol, for agents: streamable HTTP without sessions. Each call of a tool is authorized. */
export const MCP: PlatformEndpoint = {
  method: 'POST',
  path: '/mcp',
  right: 'user',
  handler: (platform) => (platform.mcp === 'off' ? undefined : answerHandler(platform)),
};

/** Of each sender. */
interface PlanBudgets {
  readonly plans: RateBudget;
  readonly bytes: RateBudget;
}

function answerHandler(platform: Platform): PlatformHandler {
  const { bodies, converter, version, logger } = platform;
  const budgets = { plans: new RateBudget(PLANS), bytes: new RateBudget(PLAN_BYTES) };
  return async (req, res) => {
    const format = bodies.formatOf(req);
    const body = await parseBody(await bodies.read(req), format, converter);
    if (Array.isArray(body) && body.length > MESSAGES_MAX)
      throw badRequest(`a request may have at most ${MESSAGES_MAX} messages, got ${body.length}`);
    if ([body].flat().some((message) => isRecord(message) && String(message.id).length > ID_LENGTH_MAX))
      throw badRequest(`the id of a message may have at most ${ID_LENGTH_MAX} characters`);
    acceptAll(req);
    // The work of each message ends with the response, and Node.js would warn of a leak from 11 listeners on.
    res.setMaxListeners(0);
    res.setHeader('Cache-Control', 'no-store');
    // The SDK takes long to load, and few services need it.
    const { answerAgent } = await import('../../mcp/sdk/http.js');
    const onDefect = (error: unknown) => asInternal(error, logger);
    await answerAgent(req, res, body, { caller: callerOf(platform, budgets, req, res), version, onDefect });
  };
}

/** All answers are JSON, but the SDK refuses clients that do not name the other type of the protocol as well. */
function acceptAll({ headers }: Request): void {
  if (headers.accept === undefined || /\*\/\*|application\/json/.test(headers.accept))
    headers.accept = 'application/json, text/event-stream';
}

function callerOf(platform: Platform, budgets: PlanBudgets, req: Request, res: Response): Caller {
  const { service, run, guard, startup, mcp, origins } = platform;
  const note = (action: Action, error: unknown, isRead: boolean): void =>
    origins?.noteAction(req, { action, code: error === undefined ? 200 : statusOf(error), isRead });
  const rights: CallerRights | undefined = guard && {
    authorize: (action) => {
      try {
        guard.authorizePart(req, action);
      } catch (error) {
        note(action, error, false);
        throw error;
      }
    },
    allows: (action) => guard.allows(req, action),
    mayList: (model) => guard.mayList(req, model),
    scopes: guard.scopes(req),
  };
  const user = guard?.getIdentity(req);
  return {
    reads: new GuardedReads({
      service,
      rights,
      user,
      run: (task) => run(req, res, task),
      onRead: (action, error) => note(action, error, true),
    }),
    rights,
    writes: mcp === 'write' ? writesOf(platform, budgets, req, res) : undefined,
    onFailedWrite: (error) => {
      // Refusals, and failed writes of objects, are recorded where they happen.
      if (error.code === 'Forbidden' || origins?.find(req)?.isRecorded === true) return;
      note({ verb: 'create', path: MCP.path }, error, false);
    },
    asMissing: (error) => (startup?.isOver === false ? stillStarting(error) : error),
  };
}

function statusOf(error: unknown): number {
  return HTTP_STATUS[error instanceof ServiceError ? error.code : 'InternalError'];
}

function writesOf(
  { service, run, guard, origins, getSender }: Platform,
  { plans, bytes }: PlanBudgets,
  req: Request,
  res: Response,
): AgentWrites {
  return {
    service,
    holder: guard === undefined ? '' : holderOf(guard.getIdentity(req)),
    beforePlan: () =>
      plans.take(
        getSender(req),
        `one sender may make at most ${PLANS.usesMax} plans at once, then one every ${PLANS.refillMs} ms`,
      ),
    beforeStored: (size) => {
      const max = formatSize(PLAN_BYTES.usesMax);
      const limit = `store plans of at most ${max} at once, and again so much in ${PLAN_MS / 60_000} minutes`;
      bytes.take(getSender(req), `one sender may ${limit}`, size);
    },
    write: (options, commit) =>
      run(req, res, (work) => {
        const allowance = new Allowance({ work });
        const all = { ...options, allowance, origin: origins?.of(req, 'mcp') ?? { via: 'mcp' } };
        return guard === undefined ? commit(all) : guard.write(req, all, commit);
      }),
  };
}

/** A token, a session, or a user of an issuer, whose tokens change. */
function holderOf({ user, holder }: Identity): string {
  return holder === undefined || isIssued(holder) ? `user ${user}` : `holder ${holder.uid}`;
}
