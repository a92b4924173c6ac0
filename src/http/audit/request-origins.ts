import type { IncomingMessage } from 'node:http';
import type { Action } from '../../access/rules.js';
import type { WriteOrigin } from '../../service/write-origin.js';
import type { AccessGuard } from '../guards/access-guard.js';
import { clientAddress } from '../guards/network.js';

const ORIGIN = Symbol('the origin of its writes');
const ACTIONS = Symbol('the actions of an agent');

/** An action of an agent that no write of an object has recorded. One request may have several. */
export interface AgentAction {
  readonly action: Action;
  /** As of the same request over REST. */
  readonly code: number;
  readonly isRead: boolean;
}

/** A request that may have written something. */
interface Writing {
  [ORIGIN]?: WriteOrigin | undefined;
  [ACTIONS]?: AgentAction[] | undefined;
}

/** The origins of the writes of requests. All writes of a request have the same one. */
export class RequestOrigins {
  constructor(private readonly guard: AccessGuard | undefined) {}

  /** @param via the first call for a request decides it */
  of(req: IncomingMessage, via: WriteOrigin['via'] = 'http'): WriteOrigin {
    return ((req as Writing)[ORIGIN] ??= {
      via,
      source: clientAddress(req),
      groups: this.guard?.getIdentity(req).groups,
      isRecorded: false,
    });
  }

  /** Undefined for a request that has written nothing. */
  find(req: IncomingMessage): WriteOrigin | undefined {
    return (req as Writing)[ORIGIN];
  }

  noteAction(req: IncomingMessage, noted: AgentAction): void {
    ((req as Writing)[ACTIONS] ??= []).push(noted);
  }

  actionsOf(req: IncomingMessage): readonly AgentAction[] {
    return (req as Writing)[ACTIONS] ?? [];
  }
}
