import { isRecord } from '../lib/json/json.js';
import type { JsonObject } from '../model/object.js';
import { ofForm } from './answers.js';
import { RemoteTransport } from './remote-transport.js';
import type { RemoteOptions } from './transport.js';

/** A controller as returned by `GET /apis/controller.platform.run/v1alpha1/controllers`. */
export type ControllerObject = JsonObject;

/** The report of one controller about one object. */
export interface RequestReport {
  readonly controller: string;
  readonly state: 'waiting' | 'delayed' | 'working';
  /** Start of this state, RFC 3339. */
  readonly since: string;
  /** Consecutive failed attempts. */
  readonly attempts: number;
  /** The error of the last attempt. */
  readonly error?: string;
  readonly nextAttempt?: string;
}

const CONTROLLERS_PATH = '/apis/controller.platform.run/v1alpha1/controllers';

/** The one process on a store that runs the controllers. */
export interface LeaderReport {
  /** Empty while no process runs them. */
  readonly holder: string;
  readonly token: number;
  /** True for the process that answered the request. */
  readonly isSelf: boolean;
}

/** A server's reports about controllers, and the process that runs them. */
export interface Reports<T> {
  /** Undefined when the server's version does not report it. */
  readonly leader: LeaderReport | undefined;
  readonly items: readonly T[];
}

/**
 * The controllers of a server's plugins, by name.
 * @throws ServiceError the server's error, or `ServiceUnavailable`
 */
export function readControllers(url: string, options?: RemoteOptions): Promise<Reports<ControllerObject>> {
  return readReports(new RemoteTransport(url, options), {}, (item): item is ControllerObject =>
    isRecord(item),
  );
}

/**
 * The outstanding work of controllers for one object; empty when the server does not run them.
 * @param resource `<plural>.<group>`
 */
export function readRequests(
  url: string,
  resource: string,
  name: string,
  options?: RemoteOptions,
): Promise<Reports<RequestReport>> {
  const query = new URLSearchParams({ resource, name });
  return readReports(new RemoteTransport(url, options), { query }, isReport);
}

async function readReports<T>(
  transport: RemoteTransport,
  request: { readonly query?: URLSearchParams },
  isItem: (item: unknown) => item is T,
): Promise<Reports<T>> {
  const { body } = await transport.request(CONTROLLERS_PATH, request);
  const items = getItems(transport, body).filter(isItem);
  return { leader: isRecord(body) && isLeader(body.leader) ? body.leader : undefined, items };
}

function getItems(transport: RemoteTransport, body: unknown): readonly unknown[] {
  if (isRecord(body) && Array.isArray(body.items)) return body.items;
  throw transport.malformed('not a list of controllers');
}

const isLeader = ofForm<LeaderReport>({ holder: 'string', token: 'number', isSelf: 'boolean' });

const isReport = ofForm<RequestReport>({
  controller: 'string',
  state: 'string',
  since: 'string',
  attempts: 'number',
});
