import type { Json, JsonObject } from '../model/object.js';
import { formatDuration } from '../lib/time/duration.js';
import { getApiVersion } from '../model/resource.js';
import type { Controller } from './controller.js';

/** `apiVersion` of the objects that show controllers. */
export const CONTROLLER_API_VERSION = 'controller.platform.run/v1alpha1';

/** At most so many names that wait for their next attempt are shown. */
export const RETRIES_SHOWN_MAX = 100;

/**
 * Where a controller is in its life. `syncing`: it begins to follow the changes, and reads the names of the objects.
 * `running`: it follows the changes. `recovering`: it cannot read the changes, and tries again; all names are synced
 * when it can. `stopping`: it takes no more work. `stopped`: nothing of it runs that answers. `standby`: another
 * process runs it.
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

/** What a controller is, and how it is doing. Times are RFC 3339. */
export interface ControllerStatus {
  /** Unique among the running controllers. */
  readonly name: string;
  /** The plugin it belongs to. */
  readonly owner: string;
  readonly startTime: string;
  readonly model: { readonly apiVersion: string; readonly kind: string; readonly plural: string };
  readonly settings: {
    readonly workerCount: number;
    readonly minDelayMs: number;
    readonly maxDelayMs: number;
    readonly syncAllOnStart: boolean;
  };
  readonly phase: ControllerPhase;
  /** Why it is recovering. */
  readonly message?: string;
  /** Names that are to be reconciled as soon as a worker is free. */
  readonly queueDepth: number;
  /** How long the first of them waits. */
  readonly oldestWaitingSince?: string;
  readonly inWork: readonly InWorkStatus[];
  readonly retries: {
    /** All names that wait for their time. */
    readonly total: number;
    /** The next of them, soonest first, at most {@link RETRIES_SHOWN_MAX}. */
    readonly next: readonly RetryStatus[];
  };
  /** Since it started. */
  readonly counts: ControllerCounts;
  readonly lastError?: { readonly name: string; readonly message: string; readonly time: string };
}

export interface InWorkStatus {
  readonly name: string;
  readonly since: string;
}

export interface RetryStatus {
  readonly name: string;
  /** Attempts in a row without success; 0 when the reconciler asked for a time. */
  readonly attempts: number;
  /** What the last attempt failed with; undefined when it did not fail. */
  readonly error?: string;
  readonly nextAttempt: string;
}

export interface ControllerCounts {
  /** Reconciles that ended without an error, whatever they asked for. */
  readonly reconciled: number;
  /** Reconciles that ended with an error, conflicts not counted. */
  readonly failed: number;
  /** Reconciles after which the name came again by itself, for whatever reason. */
  readonly retried: number;
  /** Reconciles that ended because the object was changed since it was read. */
  readonly conflicts: number;
  /** Names read because all were. */
  readonly synced: number;
}

/** Why one object is not reconciled yet, as one controller sees it. Times are RFC 3339. */
export interface RequestStatus {
  /** {@link ControllerStatus.name} */
  readonly controller: string;
  readonly owner: string;
  readonly state: 'waiting' | 'delayed' | 'working';
  /** Since when it is in this state. */
  readonly since: string;
  readonly attempts: number;
  readonly error?: string;
  /** Only of a delayed one. */
  readonly nextAttempt?: string;
}

/** What a controller is, whether it runs or not. */
export function describe(
  name: string,
  owner: string,
  { parts }: Controller,
): Pick<ControllerStatus, 'name' | 'owner' | 'model' | 'settings'> {
  const { gvk, workerCount, minDelayMs, maxDelayMs, syncAllOnStart } = parts;
  return {
    name,
    owner,
    model: { apiVersion: getApiVersion(gvk), kind: gvk.kind, plural: gvk.plural },
    settings: { workerCount, minDelayMs, maxDelayMs, syncAllOnStart },
  };
}

/** A controller that another process runs. */
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

/** RFC 3339, UTC, of milliseconds since 1970. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** A controller as the object that is served. It is not stored: nothing but name and start is in its metadata. */
export function controllerObject(status: ControllerStatus): JsonObject {
  const { name, owner, startTime, model, settings, retries, inWork, counts } = status;
  return {
    apiVersion: CONTROLLER_API_VERSION,
    kind: 'Controller',
    metadata: { name, creationTimestamp: startTime },
    spec: {
      plugin: owner,
      resource: { ...model },
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
