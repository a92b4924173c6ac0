import { isRecord } from '../lib/json/json.js';
import type { JsonObject } from '../model/object.js';
import { Transport, type RemoteOptions } from './transport.js';

/** A controller as the server shows it, see `GET /apis/controller.platform.run/v1alpha1/controllers`. */
export type ControllerObject = JsonObject;

/** What one controller says of one object. */
export interface RequestReport {
  readonly controller: string;
  readonly state: 'waiting' | 'delayed' | 'working';
  /** Since when it is in this state, RFC 3339. */
  readonly since: string;
  /** Attempts in a row without success. */
  readonly attempts: number;
  /** What the last attempt failed with. */
  readonly error?: string;
  readonly nextAttempt?: string;
}

const CONTROLLERS_PATH = '/apis/controller.platform.run/v1alpha1/controllers';

/** Of the processes on a store, the one that runs the controllers. */
export interface LeaderReport {
  /** Empty while none does. */
  readonly holder: string;
  readonly token: number;
  /** Whether it is the process that was asked. */
  readonly isSelf: boolean;
}

/** What a server says of controllers, and who runs them. */
export interface Reports<T> {
  /** Undefined when the server is of a version that does not say. */
  readonly leader: LeaderReport | undefined;
  readonly items: readonly T[];
}

/** The controllers of a server's plugins, by name. @throws ServiceError what the server answered, or `ServiceUnavailable` */
export function readControllers(url: string, options?: RemoteOptions): Promise<Reports<ControllerObject>> {
  return readReports(new Transport(url, options), {}, (item): item is ControllerObject => isRecord(item));
}

/**
 * What controllers have left to do for one object; nothing when the server does not run them.
 * @param resource `<plural>.<group>`
 */
export function readRequests(
  url: string,
  resource: string,
  name: string,
  options?: RemoteOptions,
): Promise<Reports<RequestReport>> {
  const query = new URLSearchParams({ resource, name });
  return readReports(new Transport(url, options), { query }, isReport);
}

async function readReports<T>(
  transport: Transport,
  request: { readonly query?: URLSearchParams },
  isItem: (item: unknown) => item is T,
): Promise<Reports<T>> {
  const { body } = await transport.request(CONTROLLERS_PATH, request);
  const items = getItems(transport, body).filter(isItem);
  return { leader: isRecord(body) && isLeader(body.leader) ? body.leader : undefined, items };
}

function getItems(transport: Transport, body: unknown): readonly unknown[] {
  if (isRecord(body) && Array.isArray(body.items)) return body.items;
  throw transport.malformed('not a list of controllers');
}

function isLeader(value: unknown): value is LeaderReport {
  return (
    isRecord(value) &&
    typeof value.holder === 'string' &&
    typeof value.token === 'number' &&
    typeof value.isSelf === 'boolean'
  );
}

function isReport(value: unknown): value is RequestReport {
  return (
    isRecord(value) &&
    typeof value.controller === 'string' &&
    typeof value.state === 'string' &&
    typeof value.since === 'string' &&
    typeof value.attempts === 'number'
  );
}
