import type { Scopes } from '../access/limits/sender-scopes.js';
import { limitable, type Action } from '../access/rules.js';
import type { ServiceError } from '../errors.js';
import type { Resource } from '../model/resource.js';
import type { ListOptions } from '../query/list-options.js';
import type { Service } from '../service/service.js';
import type { MayList, Verbs, WriteOptions } from '../service/verbs.js';

/** The reads of tools. Each call is authorized like the same request over HTTP. */
export type AgentReads = Pick<Verbs, 'resources' | 'get' | 'getAt' | 'history' | 'list'>;

/** The parameters of a list that tools have. */
export type AgentListOptions = Pick<
  ListOptions,
  'namespace' | 'labelSelector' | 'fieldSelector' | 'filter' | 'search' | 'sort' | 'limit' | 'continue'
>;

export interface CallerRights {
  /** @throws ServiceError `Forbidden` */
  authorize(action: Action): void;
  allows(action: Action): boolean;
  readonly mayList: MayList;
  /** The parts of models that its rules are about. */
  readonly scopes: Scopes;
}

export interface AgentWrites {
  readonly service: Service;
  /** Identifies the token that plans belong to; empty where users are not authenticated. */
  readonly holder: string;
  /** Called before each plan. @throws ServiceError `TooManyRequests` */
  readonly beforePlan?: () => void;
  /** Called before a plan of a size is stored. @throws ServiceError `TooManyRequests` */
  readonly beforeStored?: (bytes: number) => void;
  /**
   * Runs a write of the caller.
   * @param run commits with the given options; it is called again when nothing was stored
   */
  write<T>(options: WriteOptions, run: (all: WriteOptions) => Promise<T>): Promise<T>;
}

/** The sender of a call to a tool. */
export interface Caller {
  readonly reads: AgentReads;
  /** Undefined: everything is allowed. */
  readonly rights: CallerRights | undefined;
  /** Undefined: the caller can only read. */
  readonly writes: AgentWrites | undefined;
  /** Called for each call of a tool that writes and fails. */
  readonly onFailedWrite?: (error: ServiceError) => void;
  /** Replaces the error for a model that is missing, while models may still be added. Default: the error itself. */
  readonly asMissing?: (error: ServiceError) => ServiceError;
}

/** The verbs that make a model visible to its holder. */
const VERBS = ['list', 'get', 'watch', 'create', 'update', 'patch', 'delete'] as const;

/** True when the caller has a right to objects of a model. */
export function isVisible({ rights }: Pick<Caller, 'rights'>, { group, plural }: Resource): boolean {
  return (
    rights === undefined || VERBS.some((verb) => rights.allows(limitable({ verb, group, resource: plural })))
  );
}
