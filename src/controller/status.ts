import type { Json, JsonObject } from '../model/object.js';
import { formatDuration } from '../lib/time/duration.js';
import type { GvkDeclaration } from '../model/declare/gvk.js';
import { getApiVersion } from '../model/resource.js';
import type { Controller } from './controller.js';

/** `apiVersion` of the objects that represent controllers. */
export const CONTROLLER_API_VERSION = 'controller.platform.run/v1alpha1';

/** The limit of names in the status that wait for their next attempt. */
export const RETRIES_SHOWN_MAX = 100;

/**
 * The phase of a controller. `syncing`: it begins to follow the changes, and reads the names of the objects.
 * `running`: it follows the changes. `recovering`: it cannot read the changes, and tries again; all names are synced when it can.
 * `stopping`: it takes no more work. `stopped`: none of its work responds any more. `standby`: another process runs it.
 */
export const CONTROLLER_PHASES = [
  'standby',
  'syncing',
  'running',
  'recovering',
  'stopping',
  'stopped',
] as const;
export type ControllerPhase = (typeof CONTROLLER_PHASES)[number];

/** The description and the state of a controller. Times are RFC 3339. */
export interface ControllerStatus {
  /** Unique among the running controllers. */
  readonly name: string;
  /** The plugin of the controller. */
  readonly owner: string;
  readonly startTime: string;
  readonly model: ModelStatus;
  /** The other models whose changes cause reconciles. */
  readonly watches: readonly ModelStatus[];
  readonly settings: {
    readonly workerCount: number;
    readonly minDelayMs: number;
    readonly maxDelayMs: number;
    readonly syncAllOnStart: boolean;
  };
  readonly phase: ControllerPhase;
  /** The reason of the recovery. */
  readonly message?: string;
  /** The number of names that will be reconciled as soon as a worker is free. */
  readonly queueDepth: number;
  /** When the first of them began to wait. */
  readonly oldestWaitingSince?: string;
  readonly inWork: readonly InWorkStatus[];
  readonly retries: {
    /** The number of names that wait for their time. */
    readonly total: number;
    /** The next of them, soonest first, at most {@link RETRIES_SHOWN_MAX}. */
    readonly next: readonly RetryStatus[];
  };
  /** Counted since the start. */
  readonly counts: ControllerCounts;
  readonly lastError?: { readonly name: string; readonly message: string; readonly time: string };
}

interface ModelStatus {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

export interface InWorkStatus {
  readonly name: string;
  readonly since: string;
}

export interface RetryStatus {
  readonly name: string;
  /** Attempts in a row without success; 0 when the reconciler asked for a time. */
  readonly attempts: number;
  /** The failure of the last attempt; undefined when it did not fail. */
  readonly error?: string;
  readonly nextAttempt: string;
}

export interface ControllerCounts {
  /** Reconciles that ended without an error, with any result. */
  readonly reconciled: number;
  /** Reconciles that ended with an error, without conflicts. */
  readonly failed: number;
  /** Reconciles after which the name was added again, for any reason. */
  readonly retried: number;
  /** Reconciles that ended because the object was changed since it was read. */
  readonly conflicts: number;
  /** Names that a sync read. */
  readonly synced: number;
}

/** The reason why one object is not reconciled yet, from one controller. Times are RFC 3339. */
export interface RequestStatus {
  /** {@link ControllerStatus.name} */
  readonly controller: string;
  readonly owner: string;
  readonly state: 'waiting' | 'delayed' | 'working';
  /** When this state began. */
  readonly since: string;
  readonly attempts: number;
  readonly error?: string;
  /** Only for a delayed name. */
  readonly nextAttempt?: string;
}

/** The description of a controller, running or not. */
export function describe(
  name: string,
  owner: string,
  { parts }: Controller,
): Pick<ControllerStatus, 'name' | 'owner' | 'model' | 'watches' | 'settings'> {
  const { gvk, watched, workerCount, minDelayMs, maxDelayMs, syncAllOnStart } = parts;
  return {
    name,
    owner,
    model: modelStatus(gvk),
    watches: watched.map(({ gvk: other }) => modelStatus(other)),
    settings: { workerCount, minDelayMs, maxDelayMs, syncAllOnStart },
  };
}

function modelStatus(gvk: GvkDeclaration): ModelStatus {
  return { apiVersion: getApiVersion(gvk), kind: gvk.kind, plural: gvk.plural };
}

/** The status of a controller that another process runs. */
export function standbyStatus(
  name: string,
  owner: string,
  controller: Controller,
  sinceMs: number,
): ControllerStatus {
  return {
    ...describe(name, owner, controller),
    startTime: timeText(sinceMs),
    phase: 'standby',
    queueDepth: 0,
    inWork: [],
    retries: { total: 0, next: [] },
    counts: { reconciled: 0, failed: 0, retried: 0, conflicts: 0, synced: 0 },
  };
}

/** Formats milliseconds since 1970 as RFC 3339 in UTC. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** The served object of a controller. It is not stored: its metadata has only the name and the start. */
export function controllerObject(status: ControllerStatus): JsonObject {
  const { name, owner, startTime, model, watches, settings, retries, inWork, counts } = status;
  return {
    apiVersion: CONTROLLER_API_VERSION,
    kind: 'Controller',
    metadata: { name, creationTimestamp: startTime },
    spec: {
      plugin: owner,
      resource: { ...model },
      ...(watches.length > 0 && { watches: watches.map((other) => ({ ...other })) }),
      workerCount: settings.workerCount,
      minDelay: formatDuration(settings.minDelayMs),
      maxDelay: formatDuration(settings.maxDelayMs),
      syncAllOnStart: settings.syncAllOnStart,
    },
    status: {
      phase: status.phase,
      ...present('message', status.message),
      queueDepth: status.queueDepth,
      ...present('oldestWaitingSince', status.oldestWaitingSince),
      inWork: inWork.map((entry) => ({ ...entry })),
      retries: { total: retries.total, next: retries.next.map((retry) => ({ ...retry })) },
      counts: { ...counts },
      ...present('lastError', status.lastError && { ...status.lastError }),
    },
  };
}

function present(field: string, value: Json | undefined): JsonObject {
  return value === undefined ? {} : { [field]: value };
}
