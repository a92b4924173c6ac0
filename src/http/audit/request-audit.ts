import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Action } from '../../access/rules.js';
import type { EntryLog } from '../../audit/audit-log.js';
import { findCode } from '../../client/status.js';
import type { FollowedResponse } from '../answer/followed.js';
import { getVerb, type AccessGuard, type NeededRights } from '../guards/access-guard.js';
import { clientAddress } from '../guards/network.js';
import { BATCHES } from '../platform/commits/batches.js';
import { UNDOS } from '../platform/commits/undos.js';
import { splitUrl } from '../routes/route.js';
import type { AgentAction, RequestOrigins } from './request-origins.js';

export interface RequestAuditOptions {
  readonly log: Pick<EntryLog, 'recordNow'>;
  readonly origins: RequestOrigins;
  readonly needed: NeededRights;
  readonly guard: AccessGuard | undefined;
  /** True to record reads too. */
  readonly hasReads: boolean;
}

/** A request as it arrived: Express changes it while routers run. */
interface Arrived {
  readonly req: IncomingMessage;
  readonly method: string;
  readonly url: string;
  readonly source: string | undefined;
  /** True when it is recorded even if it is not refused. */
  readonly isWanted: boolean;
}

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const REFUSED: ReadonlySet<number> = new Set([401, 403]);
/** The client disconnected before an answer. */
const GONE = 499;

/**
 * Records the requests that the service does not record as writes of objects: refusals, writes that failed before,
 * other requests that need a right to write, and reads.
 */
export class RequestAudit {
  constructor(private readonly options: RequestAuditOptions) {}

  /** Records a request before the head of its answer is sent, or after a disconnect of the client. */
  follow(req: IncomingMessage, res: ServerResponse & Partial<FollowedResponse>): void {
    const { method = 'GET', url = '/' } = req;
    const isWanted = WRITES.has(method) || (READS.has(method) && this.#isRecordedRead(req));
    const arrived = { req, method, url, source: clientAddress(req), isWanted };
    let isAnswered = false;
    const note = (code: number): void => {
      if (!isAnswered) this.#note(arrived, code);
      isAnswered = true;
    };
    res.onHead = note;
    if (isWanted) res.once('close', () => note(GONE));
  }

  #note(arrived: Arrived, code: number): void {
    for (const one of this.options.origins.actionsOf(arrived.req)) this.#noteAction(arrived, one);
    this.#noteRequest(arrived, code);
  }

  #noteAction({ req, source }: Arrived, { action, code, isRead }: AgentAction): void {
    const { log, guard, hasReads } = this.options;
    if (isRead && !hasReads && !REFUSED.has(code)) return;
    const sender = guard?.getIdentity(req);
    log.recordNow({
      user: sender?.user,
      groups: sender?.groups,
      via: 'mcp',
      source,
      ...action,
      code,
      reason: findCode(code),
    });
  }

  #noteRequest(arrived: Arrived, code: number): void {
    const { log, origins, guard } = this.options;
    const { req, url, source, isWanted } = arrived;
    const isRefused = REFUSED.has(code);
    if (!isRefused && !isWanted) return;
    const origin = origins.find(req);
    if (origin?.isRecorded === true) return;
    const attempt = guard?.findAttempt(req);
    const action = attempt?.action ?? this.#findAction(arrived);
    if (action === undefined && !isRefused && !isFailedWrite(url, code)) return;
    log.recordNow({
      user: attempt?.identity.user,
      groups: attempt?.identity.groups,
      via: origin?.via ?? 'http',
      source,
      ...(action ?? getPathAction(arrived)),
      code,
      reason: findCode(code),
    });
  }

  #isRecordedRead(req: IncomingMessage): boolean {
    return this.options.hasReads && !this.options.needed.isOpen(req);
  }

  #findAction(arrived: Arrived): Action | undefined {
    try {
      return this.options.needed.findAction(arrived.method, arrived.url);
    } catch {
      // An ambiguous URL has no action.
      return getPathAction(arrived);
    }
  }
}

function getPathAction({ method, url }: Arrived): Action {
  return { verb: getVerb(method), path: splitUrl(url).path };
}

/** Requests that write several objects. Every user may send them. */
const OF_SEVERAL: ReadonlySet<string> = new Set([BATCHES.path, UNDOS.path]);

/** True for a request for several objects that failed before these were known. */
function isFailedWrite(url: string, code: number): boolean {
  return code >= 400 && OF_SEVERAL.has(splitUrl(url).path);
}
